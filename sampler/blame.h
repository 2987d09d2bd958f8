/*
 * blame.h
 *		Whom a waiter waits for: holders of locks, and chains to the root.
 *
 * One pass collects the backends that are asleep for a lock.  If there are
 * any, the held sets of all backends are searched for the locks they wait
 * for, once for all waiters together.  A waiter's time is divided equally
 * among the holders of its lock, so that the shares of one lock's wait sum to
 * all of it, however many hold it.
 *
 * The pass sees the waiters and the holders at slightly different moments.  A
 * lock can have no holder any more by the time it is looked for; that time is
 * charged to "no holder", which is what it was.
 */
#ifndef LWP_BLAME_H
#define LWP_BLAME_H

#include "observe.h"

/* A backend asleep for a lock in this pass. */
typedef struct LwpWaiter
{
	LwpObservation seen;
	LwpQuery query;
} LwpWaiter;

typedef struct LwpBlame LwpBlame;

/* Set up in the current memory context. */
extern LWP_HIDDEN LwpBlame *lwp_blame_create(int nprocs);

/* A pass begins; a waiter was seen; all were seen: charge their holders. */
extern LWP_HIDDEN void lwp_blame_begin(LwpBlame *blame);
extern LWP_HIDDEN void
lwp_blame_add(LwpBlame *blame, const LwpObservation *seen, const LwpQuery *query);
extern LWP_HIDDEN void lwp_blame_charge(LwpBlame *blame, LwpObserver *observer, uint64 weight);

/* The waiters of the pass, and after lwp_blame_charge() one holder of each one's lock (pid, or 0). */
extern LWP_HIDDEN int lwp_blame_waiters(const LwpBlame *blame, const LwpWaiter **waiters);
extern LWP_HIDDEN int lwp_blame_a_holder(const LwpBlame *blame, int waiter);

#endif /* LWP_BLAME_H */
