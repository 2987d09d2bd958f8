/*
 * code.h
 *		Code addresses that mean the same in every process.
 *
 * The server's executable and the libraries it preloads are inherited by fork
 * and so lie at the same addresses in all processes; a library loaded later
 * does not.  A code address is therefore kept as (module, offset from its load
 * base).  Modules are numbered in a table in shared memory by the path of
 * their file, which is all a reader needs to find the symbol, whether it has
 * the library loaded or not.
 *
 *		bits 48..63	number of the module, LWP_MODULE_NONE if there is none
 *		bits  0..47	offset (the address itself if there is no module)
 */
#ifndef LWP_CODE_H
#define LWP_CODE_H

#include "postgres.h"

#include "slot.h"

typedef uint64 LwpCode;

#define LWP_MODULES_MAX     64
#define LWP_MODULE_PATH_MAX 256
#define LWP_MODULE_NONE     0xFFFF

static inline int
lwp_code_module(LwpCode code)
{
	return (int) (code >> 48);
}

static inline uint64
lwp_code_offset(LwpCode code)
{
	return code & ((UINT64CONST(1) << 48) - 1);
}

extern LWP_HIDDEN Size lwp_code_shmem_size(void);
extern LWP_HIDDEN void lwp_code_attach(void *base, bool found);

/* From an address in this process.  Safe inside a lock function; 0 stays 0. */
extern LWP_HIDDEN LwpCode lwp_code_of(uintptr_t addr);

/* Path of a module's file; NULL when there is none. */
extern LWP_HIDDEN const char *lwp_code_module_path(int module);

#endif /* LWP_CODE_H */
