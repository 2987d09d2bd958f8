/*
 * pass.c
 *		One sampling pass over all backends.
 */
#include "postgres.h"

#include "../extension/shmem.h"
#include "pass.h"
#include "profile.h"

/* How many backends ahead the cache lines are asked for. */
#define PREFETCH_AHEAD 8

/* A pass may always stand for this long, however short the interval (ns). */
#define MIN_WEIGHT_CAP UINT64CONST(100000000)

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
charge(const LwpObservation *seen, int tranche, LwpProfilePhase phase, int mode, uint64 weight)
{
	LwpKey key = lwp_profile_key(tranche, phase, mode, seen->backend_type, seen->database);

	lwp_table_add(lwp_profile, &key, weight);
}

/* Once per tranche and mode, however many locks of it the backend holds. */
static void
charge_held(const LwpObservation *seen, uint64 weight)
{
	LwpWord held[LWP_STACK_SIZE];
	int n = lwp_slot_held(seen->proc->slot, held);

	for (int i = 0; i < n; i++)
	{
		bool again = false;

		for (int k = 0; k < i && !again; k++)
			again = lwp_word_tranche(held[k]) == lwp_word_tranche(held[i]) &&
					lwp_word_mode(held[k]) == lwp_word_mode(held[i]);
		if (!again)
			charge(seen, lwp_word_tranche(held[i]), LWP_PROFILE_HOLDING, lwp_word_mode(held[i]),
				   weight);
	}
}

void
lwp_pass(LwpObserver *observer, uint64 weight)
{
	LwpObservation seen;

	lwp_observer_follow(observer);
	for (int i = 0; i < observer->n; i++)
	{
		if (i + PREFETCH_AHEAD < observer->n)
			lwp_observe_prefetch(observer, i + PREFETCH_AHEAD);
		if (!lwp_observe(observer, i, false, &seen) || seen.pid == MyProcPid)
			continue;
		charge(&seen, 0, LWP_PROFILE_ACTIVE, 0, weight);
		if (seen.tranche >= 0)
			charge(&seen, seen.tranche, (LwpProfilePhase) seen.phase, lwp_word_mode(seen.word),
				   weight);
		if (seen.proc->slot != NULL && seen.proc->slot->front->level != 0 &&
			seen.proc->slot->pid == seen.pid)
			charge_held(&seen, weight);
	}
}
