/*
 * symbols.h
 *		Names of code addresses, looked up when somebody reads them.
 */
#ifndef LWP_SYMBOLS_H
#define LWP_SYMBOLS_H

#include "postgres.h"

#include "code.h"

/*
 * Name of the function a return address is in: an exported symbol, or a static
 * function where the debug information of its file is installed; else
 * "file+0xoffset".  An address behind the end of the last symbol is not that
 * symbol.  palloc'd; NULL for code 0.
 */
extern LWP_HIDDEN char *lwp_symbol_name(LwpCode code);

/* File name, without its directories, of the module a code address is in; NULL when not known. */
extern LWP_HIDDEN const char *lwp_symbol_module(LwpCode code);

#endif /* LWP_SYMBOLS_H */
