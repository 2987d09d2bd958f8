/*
 * pass.h
 *		One sampling pass over all backends.
 */
#ifndef LWP_PASS_H
#define LWP_PASS_H

#include "observe.h"

/*
 * Look at every backend and charge it weight nanoseconds for what it does.
 * Takes no lock and makes no system call.
 */
extern LWP_HIDDEN void lwp_pass(LwpObserver *observer, uint64 weight);

/*
 * The part of the time since the last pass this pass may speak for; the rest
 * is unobserved.  All in nanoseconds.
 */
extern LWP_HIDDEN uint64 lwp_pass_weight(uint64 elapsed, uint64 interval);

#endif /* LWP_PASS_H */
