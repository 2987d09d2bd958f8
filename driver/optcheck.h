/*
 * optcheck.h
 *		Checks that need all options; used by options.c.
 */
#ifndef LWP_OPTCHECK_H
#define LWP_OPTCHECK_H

#include "options.h"

/* Ends the program with code 1 after a message when options do not fit. */
extern void lwp_options_check(LwpOptions *o, bool init_option_seen, bool run_option_seen);

#endif
