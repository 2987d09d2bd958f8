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
#include "code.h"
#include "details.h"
#include "guc.h"
#include "instance.h"
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
	LwpSummaryKey instance;
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
	return lwp_slot_cold_for_update(slot, lwp_word_tranche(word));
}

/*
 * A wait begins.  caller is the code that asked for the lock and frame its
 * stack frame, NULL where that is not known.
 */
static void
wait_open(LwpSlot *slot, LwpWord word, uintptr_t caller, void *frame)
{
	LwpAsleep *asleep = slot->asleep;

	wait.open = true;
	wait.group = false;
	wait.resumed = false;
	wait.word = word & ~LWP_WORD_PHASE_MASK;
	wait.timed = lwp_track_wait_time;
	wait.instance = lwp_instance_of(word);
	lwp_name_note_tranche((uint32) lwp_word_tranche(word));

	slot->caller = lwp_code_of(caller);
	asleep->instance = wait.instance;
	asleep->frame[0] = slot->caller;
	asleep->frames = 1;
	if (lwp_track_stacks && frame != NULL)
		asleep->frames += lwp_stack_walk(frame, &asleep->frame[1], LWP_STACK_FRAMES - 1);
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

/* Add the time of the open wait to the counters. */
static void
count_time(LwpSlot *slot, uint64 elapsed)
{
	LwpCold *cold = my_cold(slot, wait.word);
	uint64 epoch = lwp_reset_epoch();

	slot->wait_start = 0;
	if (!wait.resumed)
		cold->timed_waits++;
	cold->wait_time += elapsed;
	if (cold->max_epoch != epoch)
	{
		cold->max_wait = 0;
		cold->max_epoch = epoch;
	}
	cold->max_wait = Max(cold->max_wait, elapsed);
}

/* The open wait is over. */
static void
wait_close(LwpSlot *slot, LwpCode caller, bool granted)
{
	uint64 elapsed = wait.timed ? wait.woken - wait.start : 0;

	wait.open = false;
	slot->wait_seq++;
	pg_write_barrier();
	slot->caller = caller;
	if (wait.timed)
		count_time(slot, elapsed);
	if (!wait.resumed)
		lwp_details_record(slot->details, wait.word, &wait.instance, caller, wait.timed, elapsed,
						   granted);
	pg_write_barrier();
	slot->wait_seq++;
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
		frame = lwp_stack_hook_frame(frame);
		wait_open(slot, word, frame ? lwp_stack_return_address(frame) : 0, frame);
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
	wait_open(slot, word, lwp_stack_return_address(frame), frame);
	wait.group = true;
	wait.resumed = resumed;
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
		wait_close(slot, slot->caller, false);
	}
	else
		set_phase(slot, LWP_PHASE_ACQUIRING);
}

bool
lwp_wait_end(uintptr_t caller, bool granted)
{
	if (wait.open)
		wait_close(lwp_slot, lwp_code_of(caller), granted);
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
	wait_close(slot, slot->caller, false);
}
