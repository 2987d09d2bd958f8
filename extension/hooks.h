/*
 * hooks.h
 *		What runs in place of the server's lock functions.
 */
#ifndef LWP_HOOKS_H
#define LWP_HOOKS_H

#include "detour.h"

/* The detours this server version needs, in one table for detour.c. */
extern LWP_HIDDEN LwpDetour *lwp_hooks_table(int *n);

/*
 * Switch recording on or off in this process, with or without hold times;
 * does nothing without detours.
 */
extern LWP_HIDDEN void lwp_hooks_switch(bool recording, bool hold_times);

/*
 * Acquire and release a private lock and see whether the private slot counted
 * it.  Returns NULL when every detour answers, else what did not.  Runs in the
 * postmaster right after the install.
 */
extern LWP_HIDDEN const char *lwp_hooks_selftest(void);

#endif /* LWP_HOOKS_H */
