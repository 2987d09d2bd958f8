/*
 * sqlfuncs_activity.c
 *		pg_lwprof_activity(): what every process does about LWLocks now.
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "clock.h"
#include "guc.h"
#include "mode.h"
#include "names.h"
#include "row.h"
#include "shmem.h"

#include "../sampler/observe.h"

PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_activity_1_0);

/* {'WALInsert:exclusive', ...} */
static Datum
held_array(LwpSlot *slot, int pid)
{
	LwpWord held[LWP_STACK_SIZE];
	Datum items[LWP_STACK_SIZE];
	int n = slot->pid == pid ? lwp_slot_held(slot, held) : 0;

	for (int i = 0; i < n; i++)
	{
		const char *lock = lwp_name_tranche((uint32) lwp_word_tranche(held[i]));
		const char *mode = lwp_name_mode(lwp_word_mode(held[i]));

		items[i] = CStringGetTextDatum(psprintf("%s:%s", lock ? lock : "?", mode ? mode : "?"));
	}
	return PointerGetDatum(construct_array(items, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/*
 * Processes that hold the lock a waiter waits for.  Only meaningful for an
 * address in the main shared memory segment, which is the same everywhere.
 */
static void
put_holders(LwpRow *row, LwpObserver *observer, LwpWord word)
{
	Datum *pids;
	int n = 0;

	if (lwp_word_phase(word) != LWP_PHASE_WAITING || !lwp_in_main_shmem(lwp_word_addr(word)))
	{
		lwp_row_null(row);
		return;
	}
	pids = palloc(sizeof(Datum) * (Size) observer->nprocs);
	for (int i = 0; i < observer->nprocs; i++)
	{
		LwpSlot *slot = lwp_slot_get(i);
		int pid = slot->pid;
		LwpWord held[LWP_STACK_SIZE];
		int nheld;

		if (pid == 0 || pid != lwp_proc_pid(&ProcGlobal->allProcs[i]))
			continue;
		nheld = lwp_slot_held(slot, held);
		for (int k = 0; k < nheld; k++)
		{
			if (lwp_word_same_lock(held[k], word))
			{
				pids[n++] = Int32GetDatum(pid);
				break;
			}
		}
	}
	lwp_row_datum(
		row, PointerGetDatum(construct_array(pids, n, INT4OID, sizeof(int32), true, TYPALIGN_INT)));
}

/* What the process has done since it started: acquires, blocked, wait time. */
static void
put_own_counts(LwpRow *row, LwpSlot *slot, int pid)
{
	LwpSlotSums now;

	if (slot == NULL)
	{
		for (int i = 0; i < 3; i++)
			lwp_row_null(row);
		return;
	}
	if (slot->pid == pid)
		now = lwp_slot_sums(slot);
	else
		now = slot->at_bind; /* it has not taken a lock yet */
	lwp_row_int64(row, (int64) (now.acquires - slot->at_bind.acquires));
	lwp_row_int64(row, (int64) (now.blocked - slot->at_bind.blocked));
	lwp_row_ms(row, now.wait_time - slot->at_bind.wait_time);
}

Datum
pg_lwprof_activity_1_0(PG_FUNCTION_ARGS)
{
	static const char *const phase_names[] = {NULL, "acquiring", "waiting", "releasing"};
	LwpObserver *observer;
	LwpRow row;

	lwp_row_begin(&row, fcinfo);
	observer = lwp_observer_create();
	for (int i = 0; i < observer->n; i++)
	{
		LwpObservation seen;
		const char *lock = NULL;
		uint64 start;
		uint64 now;

		if (!lwp_observe(observer, i, true, &seen))
			continue;
		start =
			seen.phase == LWP_PHASE_WAITING && seen.proc->slot ? seen.proc->slot->wait_start : 0;
		now = lwp_clock_ns();
		if (seen.tranche >= 0)
			lock = lwp_name_tranche((uint32) seen.tranche);

		lwp_row_int32(&row, seen.pid);
		lwp_row_text(&row, lwp_name_backend_type(seen.backend_type));
		lwp_row_oid(&row, seen.database);
		lwp_row_bool(&row, seen.active);
		lwp_row_text(&row, phase_names[seen.phase]);
		lwp_row_text(&row, lock);
		lwp_row_text(&row, lwp_name_classic(lock));
		lwp_row_text(&row, seen.tranche >= 0 ? lwp_name_mode(lwp_word_mode(seen.word)) : NULL);
		if (start != 0 && now > start)
			lwp_row_ms(&row, now - start);
		else
			lwp_row_null(&row);
		put_holders(&row, observer, seen.word);
		if (seen.proc->slot != NULL && lwp_enabled)
			lwp_row_datum(&row, held_array(seen.proc->slot, seen.pid));
		else
			lwp_row_null(&row);
		put_own_counts(&row, seen.proc->slot, seen.pid);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}
