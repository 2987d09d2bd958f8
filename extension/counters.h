/*
 * counters.h
 *		Exact totals: sums over all slots, minus the baseline of the last reset.
 */
#ifndef LWP_COUNTERS_H
#define LWP_COUNTERS_H

#include "slot.h"

/* Totals of one tranche since the last reset.  Times in nanoseconds. */
typedef struct LwpTotal
{
	uint64 acquires[2]; /* by LWLockMode */
	uint64 releases;
	uint64 conditional_failures;
	uint64 blocked[2]; /* by LWLockMode */
	uint64 group_waits;
	uint64 var_waits;
	uint64 timed_waits;
	uint64 wait_time; /* finished waits and the ones in progress */
	uint64 max_wait;
} LwpTotal;

/* All that slept for the lock, whatever for. */
static inline uint64
lwp_total_blocked(const LwpTotal *total)
{
	return total->blocked[LW_EXCLUSIVE] + total->blocked[LW_SHARED] + total->group_waits +
		   total->var_waits;
}

/*
 * Read the totals of every tranche; totals has lwp_shared->max_tranches + 1
 * entries, the last for the tranches that found no room.  *unmatched gets the
 * releases no detour saw acquired.  Takes the module's lock in shared mode.
 */
extern LWP_HIDDEN void lwp_totals_read(LwpTotal *totals, uint64 *unmatched);

/*
 * Add what one slot has counted since it exists to totals (same size).  now is
 * lwp_clock_ns(), up to which a wait in progress counts.  Takes no lock.
 */
extern LWP_HIDDEN void lwp_totals_add_slot(LwpTotal *totals, int procno, uint64 now, uint64 epoch);

/* Make everything count from now; the sampler follows at its next pass. */
extern LWP_HIDDEN void lwp_totals_reset(void);

#endif /* LWP_COUNTERS_H */
