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
#include "lockrows.h"
#include "mode.h"
#include "names.h"
#include "row.h"
#include "shmem.h"

#include "../sampler/profile.h"
#include "../sampler/sampler.h"
#include "../sampler/table.h"

#define LWP_VERSION "1.0"

PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_locks_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_contention_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_profile_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_info_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_reset_1_0);

/* A count only the detours know: NULL without them. */
static void
put_exact(LwpRow *row, uint64 value)
{
	if (lwp_mode_is_detour())
		lwp_row_int64(row, (int64) value);
	else
		lwp_row_null(row);
}

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

	lwp_require_loaded();
	lwp_row_begin(&row, fcinfo);
	locks = lwp_lock_rows();
	for (int i = 0; i < locks->n; i++)
	{
		const LwpLockRow *lock = &locks->rows[i];
		const LwpTotal *total = &lock->total;

		lwp_row_text(&row, lock->wait_event);
		lwp_row_text(&row, lwp_name_classic(lock->wait_event));
		put_exact(&row, total->acquires[LW_SHARED]);
		put_exact(&row, total->acquires[LW_EXCLUSIVE]);
		put_exact(&row, total->blocked[LW_SHARED]);
		put_exact(&row, total->blocked[LW_EXCLUSIVE]);
		put_exact(&row, total->conditional_failures);
		put_exact(&row, total->group_waits);
		put_exact_time(&row, total, total->wait_time);
		put_exact_time(&row, total, total->max_wait);
		put_exact(&row, total->var_waits);
		put_exact(&row, total->timed_waits);
		put_exact(&row, total->releases);
		put_exact(&row, lock->held);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

Datum
pg_lwprof_contention_1_0(PG_FUNCTION_ARGS)
{
	LwpLockRows *locks;
	LwpRow row;

	lwp_require_loaded();
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
		put_exact(&row, blocked);
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

	lwp_require_loaded();
	lwp_row_begin(&row, fcinfo);
	n = lwp_table_read(lwp_profile, lwp_reset_epoch(), &entries);
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

Datum
pg_lwprof_info_1_0(PG_FUNCTION_ARGS)
{
	const LwpSamplerShared *sampler;
	LwpSamplerShared s;
	LwpTotal *totals;
	uint64 unmatched;
	uint64 overflow;
	uint64 lost = 0;
	LwpRow row;

	lwp_require_loaded();
	lwp_row_begin(&row, fcinfo);
	sampler = lwp_sampler_shared;
	totals = palloc(sizeof(LwpTotal) * ((Size) lwp_shared->max_tranches + 1));
	lwp_totals_read(totals, &unmatched);
	overflow =
		totals[lwp_shared->max_tranches].acquires[0] + totals[lwp_shared->max_tranches].acquires[1];
	s = *sampler;
	if (s.epoch != lwp_reset_epoch())
	{
		/* reset since its last pass: nothing counted yet */
		s.passes = s.late_passes = s.skipped_passes = s.observed = s.unobserved = s.cpu = 0;
	}
	else
		lost = lwp_profile->lost;

	lwp_row_text(&row, lwp_mode_name());
	lwp_row_text(&row, lwp_mode_reason());
	lwp_row_text(&row, LWP_VERSION);
	lwp_row_bool(&row, lwp_enabled);
	put_exact(&row, unmatched);
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
	lwp_row_int64(&row, (int64) (overflow + lost + lwp_names_overflows()));
	put_exact(&row, overflow);
	lwp_row_int64(&row, (int64) lost);
	lwp_row_int64(&row, (int64) lwp_names_overflows());
	lwp_row_int32(&row, lwp_shared->nslots);
	lwp_row_int64(&row, (int64) lwp_slot_size(lwp_shared->max_tranches));
	lwp_row_int64(&row, (int64) lwp_shared->total_size);
	lwp_row_timestamptz(&row, lwp_shared->reset_at);
	lwp_row_put(&row);
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
