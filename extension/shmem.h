/*
 * shmem.h
 *		The module's shared memory, sized and initialised here and nowhere else.
 */
#ifndef LWP_SHMEM_H
#define LWP_SHMEM_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/lwlock.h"

#include "slot.h"

typedef struct LwpShared
{
	/*
	 * Counts resets.  Written under lock; read without by the blocked path
	 * and the sampler.  On a line of its own: the blocked path reads it.
	 */
	pg_atomic_uint64 reset_epoch;
	char pad[LWP_CACHE_LINE - sizeof(pg_atomic_uint64)];

	LWLock *lock;         /* guards reset_at and the baseline */
	TimestampTz reset_at; /* when counting began */
	uint64 reset_at_ns;   /* the same instant on CLOCK_MONOTONIC */
	int max_tranches;
	int nslots;
	Size total_size; /* bytes of all of this */
} LwpShared;

extern LWP_HIDDEN LwpShared *lwp_shared; /* NULL when not preloaded */

/* Totals at the last reset, to be subtracted from the sums over slots; guarded by lock. */
extern LWP_HIDDEN LwpHot *lwp_baseline_hot;
extern LWP_HIDDEN LwpCold *lwp_baseline_cold;
extern LWP_HIDDEN uint64 *lwp_baseline_unmatched;

extern LWP_HIDDEN void lwp_shmem_request(void);
extern LWP_HIDDEN void lwp_shmem_startup(void);

static inline uint64
lwp_reset_epoch(void)
{
	return lwp_shared ? pg_atomic_read_u64(&lwp_shared->reset_epoch) : 0;
}

/* Raise the error for "not in shared_preload_libraries". */
extern LWP_HIDDEN void lwp_require_loaded(void);

#endif /* LWP_SHMEM_H */
