/*
 * wait.c
 *		The blocked path: counting and timing a request that sleeps.
 *
 * One request may sleep several times: a woken backend can find the lock
 * taken again.  The wait begins with the first sleep and ends with the last
 * wake-up; what follows until the lock is taken is the uncontended path.  The
 * clock is read before the server's function looks at the lock again, so that
 * reading it never makes the lock be held longer.
 *
 * Group waits: a backend that hands its work to a group leader
 * (ProcArrayGroupUpdate, XactGroupUpdate) sleeps in PGSemaphoreLock outside
 * every LWLock function.  It says so in its wait_event_info, and its time
 * belongs to the lock the leader holds on behalf of the group.
 *
 * A reader wants the time of finished waits and of the one in progress, each
 * nanosecond once.  Protocol (slot->wait_seq):
 *
 *	1.	The owner makes wait_seq odd, changes wait_start and the sums, makes it
 *		even again.
 *	2.	A reader notes wait_seq, reads both, and takes them if wait_seq was even
 *		and still is the same; else it tries again a few times and then takes
 *		what it has (an owner stopped just there must not hang a reader).
 */
#include "compat.h"

#include "clock.h"
#include "guc.h"
#include "names.h"
#include "shmem.h"
#include "stack.h"
#include "wait.h"

/* The open wait of this process. */
static struct
{
	bool open;
	bool timed;
	bool group;
	bool resumed; /* goes on after a stray wake-up of a group member */
	LwpWord word; /* lock, tranche, mode; phase 0 */
	uint64 start; /* ns */
	uint64 woken; /* ns */
} wait;

/*
 * Transactions of the last group wait counted, by kind: a sleep for the same
 * one is the same wait after a stray wake-up.
 */
static TransactionId last_procarray_member = InvalidTransactionId;
static TransactionId last_xact_member = InvalidTransactionId;

static LwpCold *
my_cold(LwpSlot *slot, LwpWord word)
{
	return &slot->cold[lwp_word_tranche(word)];
}

static void
wait_open(LwpSlot *slot, LwpWord word, bool group, bool resumed)
{
	wait.open = true;
	wait.group = group;
	wait.resumed = resumed;
	wait.word = word & ~LWP_WORD_PHASE_MASK;
	wait.timed = lwp_track_wait_time;
	lwp_name_note_tranche((uint32) lwp_word_tranche(word));
	if (wait.timed)
	{
		wait.start = lwp_clock_ns();
		slot->wait_seq++;
		pg_write_barrier();
		slot->wait_start = wait.start;
		pg_write_barrier();
		slot->wait_seq++;
	}
}

/* A sleep outside every lock function: is it a group wait, and for which lock? */
static bool
group_wait_word(LwpWord *word, bool *resumed)
{
	switch (*(volatile uint32 *) my_wait_event_info)
	{
		case WAIT_EVENT_PROCARRAY_GROUP_UPDATE:
			*word = lwp_word(ProcArrayLock, (uint32) lwp_tranche_procarray(), LW_EXCLUSIVE,
							 LWP_PHASE_NONE);
			*resumed = (MyProc->procArrayGroupMemberXid == last_procarray_member);
			last_procarray_member = MyProc->procArrayGroupMemberXid;
			return true;
		case WAIT_EVENT_XACT_GROUP_UPDATE:
			*word = lwp_word(lwp_xact_group_lock(MyProc), (uint32) lwp_tranche_xact(), LW_EXCLUSIVE,
							 LWP_PHASE_NONE);
			*resumed = (MyProc->clogGroupMemberXid == last_xact_member);
			last_xact_member = MyProc->clogGroupMemberXid;
			return true;
		default:
			return false;
	}
}

/* Change the phase of the entry on top of the stack. */
static void
set_phase(LwpSlot *slot, LwpPhase phase)
{
	slot->front->level = lwp_level(lwp_level_depth(slot->front->level), phase);
}

/* The request on top of the stack goes to sleep. */
static void
sleep_in_request(LwpSlot *slot, LwpWord word, void *frame)
{
	if (!wait.open)
	{
		LwpCold *cold = my_cold(slot, word);
		int mode = lwp_word_mode(word);

		if (mode == LW_WAIT_UNTIL_FREE)
			cold->var_waits++;
		else
			cold->blocked[mode]++;
		slot->caller = lwp_stack_caller_of_hook(frame);
		wait_open(slot, word, false, false);
	}
	set_phase(slot, LWP_PHASE_WAITING);
}

/* A member of a group goes to sleep: push what it waits for. */
static void
sleep_in_group(LwpSlot *slot, void *frame)
{
	uint64 depth = lwp_level_depth(slot->front->level);
	LwpWord word;
	bool resumed;

	if (depth >= LWP_STACK_SIZE || !group_wait_word(&word, &resumed))
		return;
	if (!resumed)
		my_cold(slot, word)->group_waits++;
	slot->caller = lwp_stack_return_address(frame);
	wait_open(slot, word, true, resumed);
	*lwp_slot_entry(slot, depth) = wait.word;
	slot->front->level = lwp_level(depth + 1, LWP_PHASE_WAITING);
}

void
lwp_wait_sleep(LwpSlot *slot, void *frame)
{
	LwpWord word = lwp_slot_state(slot);

	if (lwp_word_phase(word) == LWP_PHASE_ACQUIRING)
		sleep_in_request(slot, word, frame);
	else if (word == 0)
		sleep_in_group(slot, frame);
}

void
lwp_wait_woken(LwpSlot *slot)
{
	if (!wait.open)
		return;
	if (wait.timed)
		wait.woken = lwp_clock_ns();
	if (wait.group)
	{
		slot->front->level = lwp_level(lwp_level_depth(slot->front->level) - 1, LWP_PHASE_NONE);
		lwp_wait_end(slot->caller);
	}
	else
		set_phase(slot, LWP_PHASE_ACQUIRING);
}

bool
lwp_wait_end(uintptr_t caller)
{
	LwpSlot *slot = lwp_slot;
	LwpCold *cold;
	uint64 elapsed;
	uint64 epoch;

	if (!wait.open)
		return false;
	wait.open = false;
	slot->caller = caller;
	if (!wait.timed)
		return false;
	cold = my_cold(slot, wait.word);
	elapsed = wait.woken - wait.start;
	epoch = lwp_reset_epoch();

	slot->wait_seq++;
	pg_write_barrier();
	slot->wait_start = 0;
	if (!wait.resumed)
		cold->timed_waits++;
	cold->wait_time += elapsed;
	if (cold->max_epoch != epoch)
	{
		cold->max_wait = 0;
		cold->max_epoch = epoch;
	}
	if (elapsed > cold->max_wait)
		cold->max_wait = elapsed;
	pg_write_barrier();
	slot->wait_seq++;
	return false;
}

void
lwp_wait_refused(LwpSlot *slot, LwpWord word)
{
	my_cold(slot, word)->conditional_failures++;
}

void
lwp_wait_abandon(LwpSlot *slot)
{
	if (!wait.open)
		return;
	wait.woken = lwp_clock_ns();
	lwp_wait_end(slot->caller);
}
