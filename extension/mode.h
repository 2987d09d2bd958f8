/*
 * mode.h
 *		Detours or wait events only, and why.
 *
 * Decided once, in the postmaster, before any child exists; every process
 * inherits the answer.
 */
#ifndef LWP_MODE_H
#define LWP_MODE_H

#include "slot.h"

/* Try to install the detours as pg_lwprof.instrumentation asks; logs one line if it falls back. */
extern LWP_HIDDEN void lwp_mode_decide(void);

extern LWP_HIDDEN bool lwp_mode_is_detour(void);

/* 'detour' or 'wait_event'. */
extern LWP_HIDDEN const char *lwp_mode_name(void);

/* Why there are no detours; NULL when there are. */
extern LWP_HIDDEN const char *lwp_mode_reason(void);

#endif /* LWP_MODE_H */
