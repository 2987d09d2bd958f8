/*
 * hold.h
 *		Exact hold times, while pg_lwprof.track_hold_time is on.
 *
 * Two clock readings per acquisition are far beyond what the hot path may
 * cost, so this has hooks of its own, which the detours lead to only while it
 * is on.  The histograms are shared by groups of slots and incremented
 * atomically: there would not be room for one in every slot.
 */
#ifndef LWP_HOLD_H
#define LWP_HOLD_H

#include "postgres.h"

#include "details.h"

/* How many copies of the histograms there are; a slot uses that of its number modulo this. */
#define LWP_HOLD_STRIPES 8

extern LWP_HIDDEN Size lwp_hold_shmem_size(int max_tranches);
extern LWP_HIDDEN void lwp_hold_attach(void *base, int max_tranches, bool found);

/* A lock was held for ns. */
extern LWP_HIDDEN void lwp_hold_record(LwpWord word, uint64 ns);

/* For pg_lwprof_reset(), which holds lwp_shared->lock. */
extern LWP_HIDDEN void lwp_hold_reset(void);

/* The histogram of a tranche and mode since the last reset; takes lwp_shared->lock. */
extern LWP_HIDDEN void lwp_hold_read(int tranche, int mode, uint64 *count);

#endif /* LWP_HOLD_H */
