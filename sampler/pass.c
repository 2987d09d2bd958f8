/*
 * pass.c
 *		One sampling pass over all backends.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "../extension/clock.h"
#include "../extension/details.h"
#include "../extension/names.h"
#include "../extension/shmem.h"
#include "blame.h"
#include "keys.h"
#include "pass.h"
#include "samples.h"
#include "shared.h"
#include "stacks.h"

/* How many backends ahead the cache lines are asked for. */
#define PREFETCH_AHEAD 8

/* A pass may always stand for this long, however short the interval (ns). */
#define MIN_WEIGHT_CAP UINT64CONST(100000000)

struct LwpPass
{
	LwpObserver *observer;
	LwpBlame *blame;
	LwpSecond *second;
	uint64 weight;
};

LwpPass *
lwp_pass_create(LwpObserver *observer)
{
	LwpPass *pass = palloc0(sizeof(LwpPass));

	pass->observer = observer;
	pass->blame = lwp_blame_create(observer->nprocs);
	pass->second = lwp_history_begin();
	return pass;
}

void
lwp_pass_forget(LwpPass *pass)
{
	lwp_history_forget(pass->second);
}

/*
 * The weight of a pass is the real time since the last one, so that a late
 * tick shifts no share.  But a sampler that was stopped for seconds knows
 * nothing of them: letting a single look stand for so long would make the
 * shares a matter of luck.  Beyond two intervals, or a tenth of a second if
 * that is more, time is unobserved, and left out of every share.
 */
uint64
lwp_pass_weight(uint64 elapsed, uint64 interval)
{
	return Min(elapsed, Max(2 * interval, MIN_WEIGHT_CAP));
}

static void
charge(LwpTableId table, const LwpKey *key, uint64 weight)
{
	lwp_table_add(lwp_tables[table], key, weight);
}

static void
charge_profile(LwpPass *pass, const LwpObservation *seen, int tranche, LwpProfilePhase phase,
			   int mode)
{
	LwpKey key = lwp_profile_key(tranche, phase, mode, seen->backend_type, seen->database);

	charge(LWP_TABLE_PROFILE, &key, pass->weight);
}

/* Once per tranche and mode, however many locks of it the backend holds. */
static void
charge_held(LwpPass *pass, const LwpObservation *seen, bool foreground)
{
	LwpWord held[LWP_STACK_SIZE];
	int n = lwp_slot_held(seen->proc->slot, held);

	for (int i = 0; i < n; i++)
	{
		bool same_lock = false;
		bool same_mode = false;

		for (int k = 0; k < i; k++)
		{
			if (lwp_word_tranche(held[k]) != lwp_word_tranche(held[i]))
				continue;
			same_lock = true;
			same_mode |= lwp_word_mode(held[k]) == lwp_word_mode(held[i]);
		}
		if (!same_mode)
			charge_profile(pass, seen, lwp_word_tranche(held[i]), LWP_PROFILE_HOLDING,
						   lwp_word_mode(held[i]));
		if (!same_lock && foreground)
			pass->second->lock[lwp_word_tranche(held[i])].holding_foreground += pass->weight;
	}
}

/* CPU, or one wait event: every slice of an active backend's time is exactly one of them. */
static void
charge_waits(LwpPass *pass, const LwpObservation *seen)
{
	uint32 event = seen->wait_event_info;
	int tranche = LWP_NO_TRANCHE;
	LwpKey key;

	if (seen->phase == LWP_PHASE_WAITING)
	{
		event = PG_WAIT_LWLOCK;
		tranche = seen->tranche;
	}
	else if (pass->observer->detoured &&
			 ((event & 0xFF000000U) == PG_WAIT_LWLOCK ||
			  event == WAIT_EVENT_PROCARRAY_GROUP_UPDATE || event == WAIT_EVENT_XACT_GROUP_UPDATE))
		event = 0; /* about to sleep for a lock, or just woken: the slot knows better */
	key = lwp_waits_key(event, tranche, seen->backend_type);
	charge(LWP_TABLE_WAITS, &key, pass->weight);
}

static void
charge_query(LwpPass *pass, const LwpObservation *seen, int tranche, const LwpQuery *query)
{
	LwpKey key = lwp_queries_key(tranche, seen->backend_type, query->command, query->id,
								 query->database, query->user);

	charge(LWP_TABLE_QUERIES, &key, pass->weight);
}

/* The stack a sleeping backend left for us, unless it has woken up meanwhile. */
static void
charge_stack(LwpPass *pass, const LwpObservation *seen)
{
	LwpSlot *slot = seen->proc->slot;
	LwpAsleep asleep;
	int number;
	LwpKey key;

	if (slot == NULL || slot->asleep->frames < 2)
		return;
	pg_read_barrier();
	asleep = *slot->asleep;
	pg_read_barrier();
	if (lwp_slot_state(slot) != seen->word || asleep.frames < 2 || asleep.frames > LWP_STACK_FRAMES)
		return;
	number = lwp_stacks_intern(lwp_stacks, asleep.frame, asleep.frames);
	if (number < 0)
		return;
	key.word[0] = LWP_KEY_USED | (uint64) seen->tranche;
	key.word[1] = (uint64) number;
	key.word[2] = 0;
	lwp_table_add(lwp_stacks_table, &key, pass->weight);
}

static void
look_at(LwpPass *pass, const LwpObservation *seen)
{
	bool foreground = lwp_name_is_foreground(seen->backend_type);
	LwpQuery query = lwp_observe_query(pass->observer, seen);

	pass->second->active += pass->weight;
	if (foreground)
		pass->second->active_foreground += pass->weight;
	charge_profile(pass, seen, 0, LWP_PROFILE_ACTIVE, 0);
	charge_waits(pass, seen);
	charge_query(pass, seen, LWP_NO_TRANCHE, &query);
	if (seen->tranche >= 0)
	{
		struct LwpSecondLock *lock = &pass->second->lock[seen->tranche];

		charge_profile(pass, seen, seen->tranche, (LwpProfilePhase) seen->phase,
					   lwp_word_mode(seen->word));
		if (seen->phase == LWP_PHASE_ACQUIRING)
			lock->acquiring += pass->weight;
		if (seen->phase == LWP_PHASE_WAITING)
		{
			lock->waiting += pass->weight;
			if (foreground)
				lock->waiting_foreground += pass->weight;
			charge_query(pass, seen, seen->tranche, &query);
			charge_stack(pass, seen);
			lwp_blame_add(pass->blame, seen, &query);
		}
	}
	if (seen->proc->front != NULL && seen->proc->front->level != 0 &&
		seen->proc->slot->pid == seen->pid)
		charge_held(pass, seen, foreground);
}

/* What the waiter's slot says about the lock it is asleep for, if it still is. */
static LwpSummaryKey
instance_of(const LwpObservation *seen)
{
	LwpSlot *slot = seen->proc->slot;
	LwpSummaryKey key = {{0}};

	if (slot == NULL)
		return key;
	key = slot->asleep->instance;
	pg_read_barrier();
	if (lwp_slot_state(slot) != seen->word)
		memset(&key, 0, sizeof(key));
	return key;
}

static void
write_samples(LwpPass *pass)
{
	const LwpWaiter *waiters;
	int n = lwp_blame_waiters(pass->blame, &waiters);
	TimestampTz at = n > 0 ? GetCurrentTimestamp() : 0;
	uint64 now = n > 0 ? lwp_clock_ns() : 0;

	for (int i = 0; i < n; i++)
	{
		const LwpObservation *seen = &waiters[i].seen;
		uint64 start = seen->proc->slot ? seen->proc->slot->wait_start : 0;
		LwpSample sample = {.at = at,
							.pid = seen->pid,
							.holder_pid = lwp_blame_a_holder(pass->blame, i),
							.backend_type = seen->backend_type,
							.tranche = (uint16) seen->tranche,
							.mode = (uint16) lwp_word_mode(seen->word),
							.query = waiters[i].query.id,
							.database = waiters[i].query.database,
							.user = waiters[i].query.user,
							.waited = start != 0 && now > start ? now - start : 0,
							.weight = pass->weight,
							.instance = instance_of(seen)};

		lwp_ring_append(lwp_samples, &sample);
	}
}

void
lwp_pass(LwpPass *pass, uint64 weight, uint64 unobserved)
{
	LwpObserver *observer = pass->observer;
	LwpObservation seen;

	pass->weight = weight;
	lwp_observer_follow(observer);
	lwp_history_tick(pass->second, observer);
	pass->second->passes++;
	pass->second->observed += weight;
	pass->second->unobserved += unobserved;
	lwp_blame_begin(pass->blame);
	for (int i = 0; i < observer->n; i++)
	{
		if (i + PREFETCH_AHEAD < observer->n)
			lwp_observe_prefetch(observer, i + PREFETCH_AHEAD);
		if (lwp_observe(observer, i, false, &seen) && seen.pid != MyProcPid)
			look_at(pass, &seen);
	}
	lwp_blame_charge(pass->blame, observer, weight);
	write_samples(pass);
}
