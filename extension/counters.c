/*
 * counters.c
 *		Exact totals; see counters.h.
 *
 * A reset never writes into anybody's slot: it notes what the sums are now
 * and readers subtract that.  The longest wait can't be subtracted, so it
 * carries the reset epoch it belongs to.
 */
#include "compat.h"

#include "utils/timestamp.h"

#include "clock.h"
#include "counters.h"
#include "hold.h"
#include "shmem.h"

/* The time part of one tranche of one slot, consistent with the wait in progress. */
static void
read_times(LwpSlot *slot, bool live, int tranche, const LwpCold *cold, uint64 now, uint64 epoch,
		   LwpTotal *sum)
{
	uint64 wait_time = 0;
	uint64 max_wait = 0;
	uint64 timed = 0;

	for (int i = 0; i < LWP_SEQ_TRIES; i++)
	{
		uint32 seq = slot->wait_seq;
		LwpWord word;
		uint64 start;

		pg_read_barrier();
		timed = cold->timed_waits;
		wait_time = cold->wait_time;
		max_wait = cold->max_epoch == epoch ? cold->max_wait : 0;
		start = slot->wait_start;
		word = lwp_slot_state(slot);
		if (live && start != 0 && start < now && lwp_word_phase(word) != LWP_PHASE_NONE &&
			lwp_word_tranche(word) == tranche)
		{
			wait_time += now - start;
			max_wait = Max(max_wait, now - start);
		}
		pg_read_barrier();
		if ((seq & 1) == 0 && slot->wait_seq == seq)
			break;
	}
	sum->timed_waits += timed;
	sum->wait_time += wait_time;
	sum->max_wait = Max(sum->max_wait, max_wait);
}

void
lwp_totals_add_slot(LwpTotal *totals, int procno, uint64 now, uint64 epoch)
{
	LwpSlot *slot = lwp_slot_get(procno);
	int rows = lwp_shared->max_tranches + 1;
	bool live = slot->pid != 0 && slot->pid == lwp_proc_pid(&ProcGlobal->allProcs[procno]);

	for (int t = 0; t < rows; t++)
	{
		LwpTotal *sum = &totals[t];
		const LwpHot *hot = &slot->hot[t];
		const LwpCold *cold = lwp_slot_cold(slot, t);

		for (int mode = 0; mode < 2; mode++)
		{
			sum->acquires[mode] += hot->acquires[mode];
			sum->releases += hot->releases[mode];
		}
		if (t == rows - 1 && slot->cold_used == LWP_COLD_ROWS)
			cold = &slot->cold[LWP_COLD_ROWS]; /* those that found no row of their own */
		if (cold == NULL)
			continue;
		sum->blocked[LW_EXCLUSIVE] += cold->blocked[LW_EXCLUSIVE];
		sum->blocked[LW_SHARED] += cold->blocked[LW_SHARED];
		sum->conditional_failures += cold->conditional_failures;
		sum->group_waits += cold->group_waits;
		sum->var_waits += cold->var_waits;
		read_times(slot, live, t, cold, now, epoch, sum);
	}
}

static void
sum_slots(LwpTotal *totals, uint64 *unmatched)
{
	uint64 epoch = lwp_reset_epoch();
	uint64 now = lwp_clock_ns();

	memset(totals, 0, sizeof(LwpTotal) * ((Size) lwp_shared->max_tranches + 1));
	*unmatched = 0;
	for (int i = 0; i < lwp_shared->nslots; i++)
	{
		if (lwp_slot_get(i)->binds == 0)
			continue;
		*unmatched += lwp_slot_get(i)->unmatched_releases;
		lwp_totals_add_slot(totals, i, now, epoch);
	}
}

/* The sums never go down, but a reader may have seen one half of a change at a reset. */
static uint64
since(uint64 now, uint64 then)
{
	return now > then ? now - then : 0;
}

void
lwp_totals_read(LwpTotal *totals, uint64 *unmatched)
{
	LWLockAcquire(lwp_shared->lock, LW_SHARED);
	sum_slots(totals, unmatched);
	for (int t = 0; t <= lwp_shared->max_tranches; t++)
	{
		LwpTotal *sum = &totals[t];
		const LwpHot *hot = &lwp_baseline_hot[t];
		const LwpCold *cold = &lwp_baseline_cold[t];

		for (int mode = 0; mode < 2; mode++)
		{
			sum->acquires[mode] = since(sum->acquires[mode], hot->acquires[mode]);
			sum->blocked[mode] = since(sum->blocked[mode], cold->blocked[mode]);
		}
		sum->releases = since(sum->releases, hot->releases[0]);
		sum->conditional_failures = since(sum->conditional_failures, cold->conditional_failures);
		sum->group_waits = since(sum->group_waits, cold->group_waits);
		sum->var_waits = since(sum->var_waits, cold->var_waits);
		sum->timed_waits = since(sum->timed_waits, cold->timed_waits);
		sum->wait_time = since(sum->wait_time, cold->wait_time);
	}
	*unmatched = since(*unmatched, *lwp_baseline_unmatched);
	LWLockRelease(lwp_shared->lock);
}

void
lwp_totals_reset(void)
{
	int rows = lwp_shared->max_tranches + 1;
	LwpTotal *totals = palloc(sizeof(LwpTotal) * (Size) rows);
	uint64 unmatched;

	LWLockAcquire(lwp_shared->lock, LW_EXCLUSIVE);
	lwp_shared->reset_at = GetCurrentTimestamp();
	lwp_shared->reset_at_ns = lwp_clock_ns();
	pg_atomic_fetch_add_u64(&lwp_shared->reset_epoch, 1);
	sum_slots(totals, &unmatched);
	for (int t = 0; t < rows; t++)
	{
		LwpHot *hot = &lwp_baseline_hot[t];
		LwpCold *cold = &lwp_baseline_cold[t];

		for (int mode = 0; mode < 2; mode++)
		{
			hot->acquires[mode] = totals[t].acquires[mode];
			cold->blocked[mode] = totals[t].blocked[mode];
		}
		hot->releases[0] = totals[t].releases; /* of both modes together */
		cold->conditional_failures = totals[t].conditional_failures;
		cold->group_waits = totals[t].group_waits;
		cold->var_waits = totals[t].var_waits;
		cold->timed_waits = totals[t].timed_waits;
		cold->wait_time = totals[t].wait_time;
	}
	*lwp_baseline_unmatched = unmatched;
	lwp_hold_reset();
	LWLockRelease(lwp_shared->lock);
	pfree(totals);
}
