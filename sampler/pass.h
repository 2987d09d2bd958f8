/*
 * pass.h
 *		One sampling pass over all backends.
 */
#ifndef LWP_PASS_H
#define LWP_PASS_H

#include "history.h"
#include "observe.h"

typedef struct LwpPass LwpPass;

/* Set up in the current memory context. */
extern LWP_HIDDEN LwpPass *lwp_pass_create(LwpObserver *observer);

/*
 * Look at every backend and charge it weight nanoseconds for what it does;
 * unobserved is the time before that nobody speaks for.  Takes no lock and
 * makes no system call, except that it looks at the wall clock.
 */
extern LWP_HIDDEN void lwp_pass(LwpPass *pass, uint64 weight, uint64 unobserved);

/* Forget what the present second was like so far, for a reset. */
extern LWP_HIDDEN void lwp_pass_forget(LwpPass *pass);

/*
 * The part of the time since the last pass this pass may speak for; the rest
 * is unobserved.  All in nanoseconds.
 */
extern LWP_HIDDEN uint64 lwp_pass_weight(uint64 elapsed, uint64 interval);

#endif /* LWP_PASS_H */
