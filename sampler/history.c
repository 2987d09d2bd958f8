/*
 * history.c
 *		What every second was like; see history.h.
 *
 * Sampled times come from the passes.  The exact counts of a second are the
 * difference of what the slots say at its two ends.  Adding up all counters of
 * all slots each second would cost more than all the sampling, so a slot is
 * only read again if its process can have done something: a client backend
 * changes its status entry with every command.
 */
#include "postgres.h"

#include <time.h>

#include "../extension/clock.h"
#include "../extension/mode.h"
#include "../extension/shmem.h"
#include "history.h"
#include "shared.h"

/* The exact counts of one tranche in one slot, or in all of them. */
typedef struct Exact
{
	uint64 acquires;
	uint64 blocked;
	uint64 wait_time;
} Exact;

/* What a slot said when it was last read. */
typedef struct LastRead
{
	bool valid;
	int pid;
	int changecount; /* of its process's status entry */
	Exact *exact;    /* by tranche index; allocated when the slot is first used */
} LastRead;

static LastRead *last_read; /* by proc number */
static LwpTotal *totals;    /* scratch, by tranche index */
static Exact *delta;        /* of the second, by tranche index */
static int64 current_second;

static int
n_tranches(void)
{
	return lwp_shared->max_tranches + 1;
}

static int64
wall_clock_second(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64) ts.tv_sec;
}

static void
clear_second(LwpSecond *second)
{
	struct LwpSecondLock *lock = second->lock;

	memset(lock, 0, sizeof(*lock) * (Size) n_tranches());
	memset(second, 0, sizeof(*second));
	second->lock = lock;
}

/* Read a slot's counters and add what is new to the second's, unless it is the first time. */
static void
read_slot(int procno, bool count)
{
	LastRead *last = &last_read[procno];

	if (last->exact == NULL)
		last->exact = MemoryContextAllocZero(TopMemoryContext, sizeof(Exact) * (Size) n_tranches());
	memset(totals, 0, sizeof(LwpTotal) * (Size) n_tranches());
	lwp_totals_add_slot(totals, procno, lwp_clock_ns(), 0);
	for (int t = 0; t < n_tranches(); t++)
	{
		Exact now = {.acquires = totals[t].acquires[0] + totals[t].acquires[1],
					 .blocked = lwp_total_blocked(&totals[t]),
					 .wait_time = totals[t].wait_time};
		Exact *then = &last->exact[t];

		if (count)
		{
			delta[t].acquires += now.acquires - Min(then->acquires, now.acquires);
			delta[t].blocked += now.blocked - Min(then->blocked, now.blocked);
			delta[t].wait_time += now.wait_time - Min(then->wait_time, now.wait_time);
		}
		*then = now;
	}
}

/* What was counted before now belongs to no second. */
static void
forget_counts(void)
{
	for (int procno = 0; procno < lwp_slot_count(); procno++)
		if (lwp_mode_is_detour() && lwp_slot_get(procno)->binds != 0)
			read_slot(procno, false);
	memset(delta, 0, sizeof(Exact) * (Size) n_tranches());
}

LwpSecond *
lwp_history_begin(void)
{
	LwpSecond *second = palloc0(sizeof(LwpSecond));

	second->lock = palloc0(sizeof(*second->lock) * (Size) n_tranches());
	last_read = palloc0(sizeof(LastRead) * (Size) lwp_slot_count());
	totals = palloc(sizeof(LwpTotal) * (Size) n_tranches());
	delta = palloc0(sizeof(Exact) * (Size) n_tranches());
	forget_counts();
	current_second = wall_clock_second();
	return second;
}

void
lwp_history_forget(LwpSecond *second)
{
	clear_second(second);
	forget_counts();
}

/* Bring the exact counts up to date. */
static void
read_slots(const LwpObserver *observer)
{
	for (int i = 0; i < observer->n; i++)
	{
		const LwpProcCache *proc = &observer->procs[i];
		LastRead *last = &last_read[proc->procno];
		int changecount = proc->status ? proc->status->st_changecount : 0;
		bool quiet = proc->client && last->valid && last->pid == proc->pid &&
					 last->changecount == changecount && proc->status->st_state == STATE_IDLE;

		if (quiet || proc->slot == NULL)
			continue;
		read_slot(proc->procno, true);
		last->valid = true;
		last->pid = proc->pid;
		last->changecount = changecount;
	}
}

/* Slots of processes that have left since: their last counts belong to the second, too. */
static void
read_left(const LwpObserver *observer)
{
	static bool *living = NULL;

	if (living == NULL)
		living = MemoryContextAlloc(TopMemoryContext, sizeof(bool) * (Size) lwp_slot_count());
	memset(living, 0, sizeof(bool) * (Size) lwp_slot_count());
	for (int i = 0; i < observer->n; i++)
		living[observer->procs[i].procno] = true;
	for (int procno = 0; procno < lwp_slot_count(); procno++)
	{
		if (living[procno] || !last_read[procno].valid)
			continue;
		read_slot(procno, true);
		last_read[procno].valid = false;
	}
}

static bool
write_lock(const LwpSecond *second, int tranche, LwpHistoryRecord *record)
{
	const struct LwpSecondLock *lock = &second->lock[tranche];
	const Exact *exact = &delta[tranche];

	if (exact->acquires == 0 && exact->blocked == 0 && exact->wait_time == 0 &&
		lock->waiting == 0 && lock->acquiring == 0 && lock->holding_foreground == 0)
		return false;
	record->tranche = (uint32) tranche;
	record->lock.waiting = lock->waiting;
	record->lock.waiting_foreground = lock->waiting_foreground;
	record->lock.acquiring = lock->acquiring;
	record->lock.holding_foreground = lock->holding_foreground;
	record->lock.blocked = exact->blocked;
	record->lock.wait_time = exact->wait_time;
	record->lock.acquires = exact->acquires;
	return true;
}

static void
write_second(const LwpSecond *second, int64 at)
{
	static LwpHistoryRecord *records = NULL;
	uint32 n = 1;

	if (records == NULL)
		records = MemoryContextAlloc(TopMemoryContext,
									 sizeof(LwpHistoryRecord) * (Size) (n_tranches() + 1));
	for (int t = 0; t < n_tranches(); t++)
	{
		memset(&records[n], 0, sizeof(records[n]));
		records[n].second = at;
		if (write_lock(second, t, &records[n]))
			n++;
	}
	memset(&records[0], 0, sizeof(records[0]));
	records[0].second = at;
	records[0].tranche = LWP_NO_TRANCHE;
	records[0].locks = n - 1;
	records[0].all.observed = second->observed;
	records[0].all.unobserved = second->unobserved;
	records[0].all.active = second->active;
	records[0].all.active_foreground = second->active_foreground;
	records[0].all.passes = second->passes;
	records[0].all.exact = lwp_mode_is_detour();
	for (uint32 i = 0; i < n; i++)
		lwp_ring_append(lwp_history, &records[i]);
}

void
lwp_history_tick(LwpSecond *second, const LwpObserver *observer)
{
	int64 now = wall_clock_second();

	if (now == current_second)
		return;
	if (lwp_mode_is_detour())
	{
		read_slots(observer);
		read_left(observer);
	}
	if (second->passes > 0)
		write_second(second, current_second);
	memset(delta, 0, sizeof(Exact) * (Size) n_tranches());
	clear_second(second);
	current_second = now;
}
