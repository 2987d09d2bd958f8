/*
 * sqlfuncs.c
 *		SQL functions over the cumulative numbers: locks, contention, profile,
 *		info, reset.  What a number means is said in docs/views.md.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "clock.h"
#include "guc.h"
#include "hold.h"
#include "lockrows.h"
#include "merge.h"
#include "mode.h"
#include "names.h"
#include "row.h"
#include "shmem.h"
#include "spin.h"
#include "sql_common.h"

#include "../sampler/shared.h"
#include "../sampler/stacks.h"

#define LWP_VERSION "1.0"

PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_locks_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_contention_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_profile_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_info_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_reset_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_spinlocks_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_hold_histogram_1_0);

/* An exact time; NULL as well while sleeps are not timed and none was. */
static void
put_exact_time(LwpRow *row, const LwpTotal *total, uint64 ns)
{
	if (lwp_mode_is_detour() && (lwp_track_wait_time || total->timed_waits > 0))
		lwp_row_ms(row, ns);
	else
		lwp_row_null(row);
}

Datum
pg_lwprof_locks_1_0(PG_FUNCTION_ARGS)
{
	LwpLockRows *locks;
	LwpRow row;

	lwp_row_begin(&row, fcinfo);
	locks = lwp_lock_rows();
	for (int i = 0; i < locks->n; i++)
	{
		const LwpLockRow *lock = &locks->rows[i];
		const LwpTotal *total = &lock->total;

		lwp_row_text(&row, lock->wait_event);
		lwp_row_text(&row, lwp_name_classic(lock->wait_event));
		lwp_put_exact(&row, total->acquires[LW_SHARED]);
		lwp_put_exact(&row, total->acquires[LW_EXCLUSIVE]);
		lwp_put_exact(&row, total->blocked[LW_SHARED]);
		lwp_put_exact(&row, total->blocked[LW_EXCLUSIVE]);
		lwp_put_exact(&row, total->conditional_failures);
		lwp_put_exact(&row, total->group_waits);
		put_exact_time(&row, total, total->wait_time);
		put_exact_time(&row, total, total->max_wait);
		lwp_put_exact(&row, total->var_waits);
		lwp_put_exact(&row, total->timed_waits);
		lwp_put_exact(&row, total->releases);
		lwp_put_exact(&row, lock->held);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

/* p50, p90, p99, p99.9 of the wait times; NULL when there are none. */
static void
put_percentiles(LwpRow *row, const LwpLockRow *lock)
{
	static const double q[] = {0.5, 0.9, 0.99, 0.999};

	for (int i = 0; i < (int) lengthof(q); i++)
	{
		if (lwp_hist_total(lock->histogram) == 0)
			lwp_row_null(row);
		else
			lwp_row_double(row,
						   lwp_hist_quantile(lock->histogram, q[i], lock->total.max_wait) / 1e6);
	}
}

Datum
pg_lwprof_contention_1_0(PG_FUNCTION_ARGS)
{
	LwpLockRows *locks;
	LwpRow row;

	lwp_row_begin(&row, fcinfo);
	locks = lwp_lock_rows();
	for (int i = 0; i < locks->n; i++)
	{
		const LwpLockRow *lock = &locks->rows[i];
		const LwpTotal *total = &lock->total;
		uint64 blocked = lwp_total_blocked(total);

		lwp_row_text(&row, lock->wait_event);
		lwp_row_text(&row, lwp_name_classic(lock->wait_event));
		lwp_row_ratio(&row, 100.0 * (double) lock->waiting_foreground,
					  (double) locks->active_foreground);
		lwp_row_ratio(&row, (double) lock->waiting, (double) locks->observed);
		lwp_put_exact(&row, blocked);
		if (lwp_mode_is_detour())
			lwp_row_ratio(&row, 100.0 * (double) blocked, (double) locks->blocked);
		else
			lwp_row_null(&row);
		put_exact_time(&row, total, total->wait_time);
		lwp_row_ratio(&row, (double) total->wait_time / 1e6, (double) total->timed_waits);
		put_exact_time(&row, total, total->max_wait);
		if (lwp_mode_is_detour())
			lwp_row_ratio(&row, 100.0 * (double) lock->holding_foreground,
						  (double) locks->active_foreground);
		else
			lwp_row_null(&row);
		lwp_row_ms(&row, lock->waiting);
		put_percentiles(&row, lock);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

static const char *
phase_name(LwpProfilePhase phase)
{
	switch (phase)
	{
		case LWP_PROFILE_ACQUIRING:
			return "acquiring";
		case LWP_PROFILE_WAITING:
			return "waiting";
		case LWP_PROFILE_RELEASING:
			return "releasing";
		case LWP_PROFILE_HOLDING:
			return "holding";
		case LWP_PROFILE_ACTIVE:
			return "active";
	}
	return NULL;
}

/* Time of active backends of the same backend type and database. */
static uint64
active_time_beside(const LwpTableEntry *entries, int n, const LwpKey *key)
{
	for (int i = 0; i < n; i++)
		if (lwp_profile_phase(&entries[i].key) == LWP_PROFILE_ACTIVE &&
			lwp_profile_backend_type(&entries[i].key) == lwp_profile_backend_type(key) &&
			lwp_profile_database(&entries[i].key) == lwp_profile_database(key))
			return entries[i].time;
	return 0;
}

Datum
pg_lwprof_profile_1_0(PG_FUNCTION_ARGS)
{
	LwpTableEntry *entries;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = lwp_table_read(lwp_tables[LWP_TABLE_PROFILE], lwp_reset_epoch(), &entries);
	for (int i = 0; i < n; i++)
	{
		const LwpKey *key = &entries[i].key;
		LwpProfilePhase phase = lwp_profile_phase(key);
		const char *wait_event = NULL;
		uint64 active = active_time_beside(entries, n, key);

		if (phase != LWP_PROFILE_ACTIVE)
			wait_event = lwp_name_tranche((uint32) lwp_profile_tranche(key));
		lwp_row_text(&row, wait_event);
		lwp_row_text(&row, lwp_name_classic(wait_event));
		lwp_row_text(&row, phase_name(phase));
		lwp_row_text(&row,
					 phase == LWP_PROFILE_ACTIVE ? NULL : lwp_name_mode(lwp_profile_mode(key)));
		lwp_row_text(&row, lwp_name_backend_type(lwp_profile_backend_type(key)));
		lwp_row_oid(&row, lwp_profile_database(key));
		lwp_row_ms(&row, entries[i].time);
		lwp_row_ms(&row, active);
		lwp_row_ratio(&row, 100.0 * (double) entries[i].time, (double) active);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

/* What found no room, by where; the sum is the first column of them. */
static void
put_overflows(LwpRow *row, uint64 tranche_overflows, bool current)
{
	LwpDetailsLosses details = lwp_merge_losses();
	uint64 profile = 0;
	uint64 attribution = 0;
	uint64 stacks = 0;
	LwpSpinRow *sites = palloc(sizeof(LwpSpinRow) * LWP_SPIN_SITES);
	uint64 spin;

	lwp_spin_read(sites, &spin);
	for (int id = 0; id < LWP_TABLES && current; id++)
	{
		if (lwp_tables[id]->may_evict)
			attribution += lwp_tables[id]->lost + lwp_tables[id]->evicted;
		else
			profile += lwp_tables[id]->lost;
	}
	if (current)
		stacks = lwp_stacks->lost + lwp_stacks_table->lost + lwp_stacks_table->evicted;

	lwp_row_int64(row, (int64) (tranche_overflows + profile + attribution + stacks + spin +
								details.histogram_lost + details.instances_evicted +
								details.callers_evicted + lwp_names_overflows()));
	lwp_put_exact(row, tranche_overflows);
	lwp_row_int64(row, (int64) profile);
	lwp_row_int64(row, (int64) lwp_names_overflows());
	lwp_row_int64(row, (int64) attribution);
	lwp_put_exact(row, details.instances_evicted);
	lwp_put_exact(row, details.callers_evicted);
	lwp_put_exact(row, details.histogram_lost);
	lwp_row_int64(row, (int64) stacks);
	lwp_put_exact(row, spin);
}

/* Records of a ring that were overwritten since the last reset. */
static void
put_overwritten(LwpRow *row, LwpRing *ring, bool current)
{
	uint64 written = ring->head - ring->start;

	lwp_row_int64(row,
				  current && written > ring->capacity ? (int64) (written - ring->capacity) : 0);
}

Datum
pg_lwprof_info_1_0(PG_FUNCTION_ARGS)
{
	LwpSamplerShared s;
	LwpTotal *totals;
	LwpTotal *others;
	uint64 unmatched;
	bool current;
	LwpRow row;

	lwp_row_begin(&row, fcinfo);
	totals = palloc(sizeof(LwpTotal) * ((Size) lwp_shared->max_tranches + 1));
	lwp_totals_read(totals, &unmatched);
	others = &totals[lwp_shared->max_tranches];
	s = *lwp_sampler_shared;
	current = s.epoch == lwp_reset_epoch();
	if (!current) /* reset since its last pass: nothing counted yet */
		s.passes = s.late_passes = s.skipped_passes = s.observed = s.unobserved = s.cpu = 0;

	lwp_row_text(&row, lwp_mode_name());
	lwp_row_text(&row, lwp_mode_reason());
	lwp_row_text(&row, LWP_VERSION);
	lwp_row_bool(&row, lwp_enabled);
	lwp_put_exact(&row, unmatched);
	if (s.pid != 0)
		lwp_row_int32(&row, s.pid);
	else
		lwp_row_null(&row);
	lwp_row_double(&row, lwp_sample_interval);
	lwp_row_ratio(&row, (double) s.observed / 1e6, (double) s.passes);
	lwp_row_int64(&row, (int64) s.passes);
	lwp_row_int64(&row, (int64) s.late_passes);
	lwp_row_int64(&row, (int64) s.skipped_passes);
	lwp_row_ms(&row, s.observed);
	lwp_row_ms(&row, s.unobserved);
	lwp_row_ms(&row, s.cpu);
	put_overflows(&row, others->acquires[0] + others->acquires[1], current);
	put_overwritten(&row, lwp_samples, current);
	put_overwritten(&row, lwp_history, current);
	lwp_row_int32(&row, lwp_shared->nslots);
	lwp_row_int64(&row, (int64) lwp_slot_size(lwp_shared->max_tranches));
	lwp_row_int64(&row, (int64) lwp_shared->total_size);
	lwp_row_timestamptz(&row, lwp_shared->reset_at);
	lwp_row_put(&row);
	return (Datum) 0;
}

Datum
pg_lwprof_spinlocks_1_0(PG_FUNCTION_ARGS)
{
	LwpSpinRow *sites;
	uint64 lost;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	sites = palloc(sizeof(LwpSpinRow) * LWP_SPIN_SITES);
	n = lwp_mode_is_detour() ? lwp_spin_read(sites, &lost) : 0;
	for (int i = 0; i < n; i++)
	{
		lwp_row_text(&row, sites[i].file);
		lwp_row_int32(&row, sites[i].line);
		lwp_row_text(&row, sites[i].function);
		lwp_row_int64(&row, (int64) sites[i].entries);
		lwp_row_int64(&row, (int64) sites[i].delays);
		lwp_row_ms(&row, sites[i].time);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

Datum
pg_lwprof_hold_histogram_1_0(PG_FUNCTION_ARGS)
{
	LwpRow row;

	lwp_row_begin(&row, fcinfo);
	for (int t = 0; t <= lwp_shared->max_tranches; t++)
	{
		for (int mode = LW_EXCLUSIVE; mode <= LW_SHARED; mode++)
		{
			uint64 count[LWP_HIST_BUCKETS];

			lwp_hold_read(t, mode, count);
			lwp_put_histogram(&row, t, mode, count);
		}
	}
	return (Datum) 0;
}

Datum
pg_lwprof_reset_1_0(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	lwp_require_loaded();
	lwp_totals_reset();
	PG_RETURN_VOID();
}
