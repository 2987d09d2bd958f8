/*
 * hooks.c
 *		What runs in place of the server's lock functions.
 *
 * This is the hot path.  On the way of a request that does not sleep there is
 * no system call, no clock, no write outside the own slot, no allocation and
 * no branch that is usually taken.  What is left of its cost is the wait of the
 * server's atomic operation for the stores before it: so there are few of
 * them, they are made as early as possible, and nothing is kept in a register
 * across the call of the server's function (saving that is a store, too).
 * Everything about sleeping is in wait.c.
 *
 * A hook must leave the server's behaviour alone: it calls the server's own
 * function exactly once, with the same arguments, and returns what that
 * returned.  The server's function may leave by longjmp (elog); then a stale
 * entry stays on top of the stack until LWLockReleaseAll, which every error
 * path runs, or until the slow path finds it.
 */
#include "compat.h"

#include "storage/s_lock.h"

#include "clock.h"
#include "hold.h"
#include "hooks.h"
#include "spin.h"
#include "stack.h"
#include "wait.h"

static bool (*server_acquire)(LWLock *lock, LWLockMode mode);
static bool (*server_conditional_acquire)(LWLock *lock, LWLockMode mode);
static bool (*server_acquire_or_wait)(LWLock *lock, LWLockMode mode);
static bool (*server_wait_for_var)(LWLock *lock, LwpLockVar *valptr, uint64 oldval, uint64 *newval);
static void (*server_update_var)(LWLock *lock, LwpLockVar *valptr, uint64 val);
static void (*server_release)(LWLock *lock);
static void (*server_release_clear_var)(LWLock *lock, LwpLockVar *valptr, uint64 val);
static void (*server_release_all)(void);
static void (*server_semaphore_lock)(PGSemaphore sema);
static int (*server_s_lock)(volatile slock_t *lock, const char *file, int line,
							const char *function);

StaticAssertDecl((LWP_FRONT_ENTRIES & (LWP_FRONT_ENTRIES + 1)) == 0,
				 "hook_release tests the depth with a mask");

/* --- the quick way: at most LWP_FRONT_ENTRIES locks, all in the front ----- */

/* The entry a level points behind; of an empty stack that is level itself, which is 0 then. */
static inline volatile LwpWord *
entry_below(LwpFront *front, uint64 level)
{
	return (volatile LwpWord *) ((char *) front->stack + level - sizeof(LwpWord));
}

/* Subtract in one instruction, which the compiler does not dare to on a volatile. */
static inline void
lower_level(LwpFront *front, uint64 by)
{
	*(uint64 *) &front->level -= by;
}

/* The request on top was granted. */
static inline void
granted(LwpFront *front)
{
	lower_level(front, LWP_PHASE_ACQUIRING);
}

/* The lock on top was released. */
static inline void
released(LwpFront *front)
{
	lower_level(front, sizeof(LwpWord) + LWP_PHASE_RELEASING);
}

/*
 * Push a request and count it.  False when the process has no slot yet, there
 * is no room in the front, an error left something behind, or the tranche has
 * no counters of its own.
 */
static inline bool
request_quick(const LWLock *lock, LWLockMode mode)
{
	LwpFront *front = lwp_front;
	uint64 level = front->level;
	uint32 tranche = lock->tranche;
	LwpWord word;

	if (unlikely(lwp_level_phase(level) != LWP_PHASE_NONE ||
				 level >= lwp_level(LWP_FRONT_ENTRIES, LWP_PHASE_NONE) ||
				 tranche >= lwp_max_tranches_used))
		return false;
	word = lwp_word(lock, tranche, mode, LWP_PHASE_NONE);
	*entry_below(front, level + sizeof(LwpWord)) = word;
	front->level = level + lwp_level(1, LWP_PHASE_ACQUIRING);
	++*lwp_acquires_of(lwp_hot_counters, word);
	return true;
}

/* --- the slow way: everything else ------------------------------------------ */

static uint64
depth_of(const LwpSlot *slot)
{
	return lwp_level_depth(slot->front->level);
}

static LwpWord
top(LwpSlot *slot)
{
	return *lwp_slot_entry(slot, depth_of(slot) - 1);
}

/* Take the top off the stack, whatever its phase; returns it. */
static LwpWord
pop(LwpSlot *slot)
{
	LwpWord word = top(slot);

	slot->front->level = lwp_level(depth_of(slot) - 1, LWP_PHASE_NONE);
	return word;
}

/* The request on top was not granted. */
static LwpWord
refused(LwpSlot *slot)
{
	LwpWord word = pop(slot);

	--*lwp_acquires_of((uint64 *) slot->hot, word);
	return word;
}

/* The lock on top, in phase 0, was released by something that does not count. */
static void
count_release(LwpSlot *slot)
{
	++*lwp_releases_of((uint64 *) slot->hot, pop(slot));
}

/* A top in another phase than 0 while no lock function is active was left by an error. */
static void
drop_stale(LwpSlot *slot)
{
	LwpPhase phase = lwp_level_phase(slot->front->level);

	if (phase == LWP_PHASE_NONE || depth_of(slot) == 0)
		return;
	if (phase == LWP_PHASE_RELEASING || lwp_word_mode(top(slot)) == LW_WAIT_UNTIL_FREE)
		pop(slot);
	else
		refused(slot);
}

/* When each lock on the stack was acquired (ns), while hold times are recorded; 0 = unknown. */
static uint64 held_since[LWP_STACK_SIZE];

static void
note_held(LwpSlot *slot)
{
	if (depth_of(slot) > 0)
		held_since[depth_of(slot) - 1] = lwp_clock_ns();
}

/*
 * Move the entry of a lock that is released out of order to the top.  False
 * when the lock isn't there.
 */
static bool
bring_to_top(LwpSlot *slot, LwpWord wanted)
{
	uint64 depth = depth_of(slot);

	/* the server's own search runs from the end, too */
	for (uint64 i = depth; i-- > 0;)
	{
		LwpWord word = *lwp_slot_entry(slot, i);
		uint64 since = held_since[i];

		if (!lwp_word_same_lock(word, wanted))
			continue;
		for (; i + 1 < depth; i++)
		{
			*lwp_slot_entry(slot, i) = *lwp_slot_entry(slot, i + 1);
			held_since[i] = held_since[i + 1];
		}
		*lwp_slot_entry(slot, i) = word;
		held_since[i] = since;
		return true;
	}
	return false;
}

/*
 * Push an entry in any phase; returns the slot it was pushed on.  The server
 * allows fewer locks at once than there is room for.
 */
static LwpSlot *
push(const LWLock *lock, uint32 mode, LwpPhase phase)
{
	LwpSlot *slot = lwp_slot_bind();
	uint32 tranche = Min(lock->tranche, lwp_max_tranches_used);
	uint64 depth;

	drop_stale(slot);
	depth = Min(depth_of(slot), LWP_STACK_SIZE - 1);
	*lwp_slot_entry(slot, depth) = lwp_word(lock, tranche, mode, LWP_PHASE_NONE);
	slot->front->level = lwp_level(depth + 1, phase);
	return slot;
}

/* Push a request and count it. */
static LwpSlot *
request(const LWLock *lock, LWLockMode mode)
{
	LwpSlot *slot = push(lock, mode, LWP_PHASE_ACQUIRING);

	++*lwp_acquires_of((uint64 *) slot->hot, top(slot));
	return slot;
}

/* --- the hooks ------------------------------------------------------------------ */

LWP_HOOK_SECTION static pg_noinline bool
acquire_slow(LWLock *lock, LWLockMode mode, uintptr_t caller)
{
	LwpSlot *slot = request(lock, mode);
	bool at_once = server_acquire(lock, mode);

	granted(slot->front);
	return at_once || lwp_wait_end(caller, true);
}

LWP_HOOK_SECTION static bool
hook_acquire(LWLock *lock, LWLockMode mode)
{
	if (unlikely(!request_quick(lock, mode)))
		return acquire_slow(lock, mode, (uintptr_t) __builtin_return_address(0));
	if (unlikely(!server_acquire(lock, mode)))
	{
		granted(lwp_front);
		return lwp_wait_end((uintptr_t) __builtin_return_address(0), true);
	}
	granted(lwp_front);
	return true;
}

LWP_HOOK_SECTION static bool
hook_conditional_acquire(LWLock *lock, LWLockMode mode)
{
	LwpSlot *slot = request(lock, mode);
	bool acquired = server_conditional_acquire(lock, mode);

	if (acquired)
		granted(slot->front);
	else
		lwp_wait_refused(slot, refused(slot));
	return acquired;
}

LWP_HOOK_SECTION static bool
acquire_or_wait(LWLock *lock, LWLockMode mode, uintptr_t caller)
{
	LwpSlot *slot = request(lock, mode);

	if (server_acquire_or_wait(lock, mode))
	{
		granted(slot->front);
		return true;
	}
	refused(slot);
	return lwp_wait_end(caller, false);
}

LWP_HOOK_SECTION static bool
hook_acquire_or_wait(LWLock *lock, LWLockMode mode)
{
	return acquire_or_wait(lock, mode, (uintptr_t) __builtin_return_address(0));
}

LWP_HOOK_SECTION static bool
hook_wait_for_var(LWLock *lock, LwpLockVar *valptr, uint64 oldval, uint64 *newval)
{
	LwpSlot *slot = push(lock, LW_WAIT_UNTIL_FREE, LWP_PHASE_ACQUIRING);
	bool was_free = server_wait_for_var(lock, valptr, oldval, newval);

	pop(slot);
	lwp_wait_end((uintptr_t) __builtin_return_address(0), false);
	return was_free;
}

/* Nothing to count: the lock stays held, but waiters are woken, which takes time. */
LWP_HOOK_SECTION static void
hook_update_var(LWLock *lock, LwpLockVar *valptr, uint64 val)
{
	LwpSlot *slot = push(lock, LW_EXCLUSIVE, LWP_PHASE_RELEASING);

	server_update_var(lock, valptr, val);
	pop(slot);
}

/* Not on top of the stack: released out of order, or not bound yet, or unseen so far. */
LWP_HOOK_SECTION static pg_noinline void
release_slow(LWLock *lock)
{
	LwpSlot *slot = lwp_slot_bind();

	drop_stale(slot);
	if (bring_to_top(slot, lwp_word(lock, 0, 0, LWP_PHASE_NONE)))
	{
		slot->front->level += LWP_PHASE_RELEASING;
		++*lwp_releases_of((uint64 *) slot->hot, top(slot));
		server_release(lock);
		released(slot->front);
	}
	else
	{
		server_release(lock); /* raises an error if the lock isn't held at all */
		slot->unmatched_releases++;
	}
}

/*
 * The lock's memory may be gone once it is released; all that is needed of it
 * is in its stack entry.
 */
LWP_HOOK_SECTION static void
hook_release(LWLock *lock)
{
	LwpFront *front = lwp_front;
	uint64 level = front->level;

	/* phase 0, and no more entries than the front has */
	if (likely((level & ~lwp_level(LWP_FRONT_ENTRIES, LWP_PHASE_NONE)) == 0))
	{
		LwpWord word = *entry_below(front, level);

		if (likely(lwp_word_same_lock(word, lwp_word(lock, 0, 0, LWP_PHASE_NONE))))
		{
			front->level = level + LWP_PHASE_RELEASING;
			++*lwp_releases_of(lwp_hot_counters, word);
			server_release(lock);
			released(lwp_front);
			return;
		}
	}
	release_slow(lock);
}

/*
 * Whether the server's function goes through LWLockRelease's entry, and so
 * through hook_release, depends on how it was compiled.  Look, don't assume.
 */
LWP_HOOK_SECTION static void
hook_release_clear_var(LWLock *lock, LwpLockVar *valptr, uint64 val)
{
	LwpSlot *slot = lwp_slot_bind();
	uint64 level = slot->front->level;

	server_release_clear_var(lock, valptr, val);
	/* cppcheck-suppress knownConditionTrueFalse; LWLockRelease's hook changes it */
	if (slot->front->level != level)
		return;
	if (bring_to_top(slot, lwp_word(lock, 0, 0, LWP_PHASE_NONE)))
		count_release(slot);
	else
		slot->unmatched_releases++;
}

/*
 * The end of every error path.  Up to 17 the server's function calls
 * LWLockRelease for each lock, later it doesn't: whatever is still held on the
 * stack afterwards has been released unseen.
 */
LWP_HOOK_SECTION static void
hook_release_all(void)
{
	LwpSlot *slot = lwp_slot_bind();

	server_release_all();
	drop_stale(slot);
	while (slot->front->level != 0)
		count_release(slot);
	lwp_wait_abandon(slot);
}

LWP_HOOK_SECTION static void
hook_semaphore_lock(PGSemaphore sema)
{
	LwpSlot *slot = lwp_slot;

	if (slot == NULL || MyProc == NULL || sema != MyProc->sem)
	{
		server_semaphore_lock(sema);
		return;
	}
	lwp_wait_sleep(slot, __builtin_frame_address(0));
	server_semaphore_lock(sema);
	lwp_wait_woken(slot);
}

/*
 * With hold times: the same by the slow way, and the clock.  The time is taken
 * behind the acquisition and behind the release, and recorded when the lock is
 * free again.
 */
LWP_HOOK_SECTION static bool
hook_acquire_timed(LWLock *lock, LWLockMode mode)
{
	bool at_once = acquire_slow(lock, mode, (uintptr_t) __builtin_return_address(0));

	note_held(lwp_slot_bind());
	return at_once;
}

LWP_HOOK_SECTION static bool
hook_conditional_acquire_timed(LWLock *lock, LWLockMode mode)
{
	bool acquired = hook_conditional_acquire(lock, mode);

	if (acquired)
		note_held(lwp_slot_bind());
	return acquired;
}

LWP_HOOK_SECTION static bool
hook_acquire_or_wait_timed(LWLock *lock, LWLockMode mode)
{
	bool acquired = acquire_or_wait(lock, mode, (uintptr_t) __builtin_return_address(0));

	if (acquired)
		note_held(lwp_slot_bind());
	return acquired;
}

LWP_HOOK_SECTION static void
hook_release_timed(LWLock *lock)
{
	LwpSlot *slot = lwp_slot_bind();
	LwpWord word = lwp_word(lock, 0, 0, LWP_PHASE_NONE);
	uint64 since = 0;

	drop_stale(slot);
	if (bring_to_top(slot, word))
	{
		word = top(slot);
		since = held_since[depth_of(slot) - 1];
		held_since[depth_of(slot) - 1] = 0;
	}
	release_slow(lock);
	if (since != 0)
		lwp_hold_record(word, lwp_clock_ns() - since);
}

/* Entered when the first try for a spinlock failed; returns with the spinlock held. */
LWP_HOOK_SECTION static int
hook_s_lock(volatile slock_t *lock, const char *file, int line, const char *function)
{
	LwpSpinCount *count = lwp_spin_site(file, line, function);
	uint64 start = lwp_clock_ns();
	int delays = server_s_lock(lock, file, line, function);

	if (count != NULL)
		lwp_spin_note(count, delays, lwp_clock_ns() - start);
	return delays;
}

#define DETOUR(function, hook_function, original_pointer)                                          \
	{                                                                                              \
		.name = #function, .target = (uint8 *) (function), .hook = (hook_function),                \
		.original = (void **) &(original_pointer)                                                  \
	}

#define DETOUR_TIMED(function, hook_function, original_pointer)                                    \
	{                                                                                              \
		.name = #function, .target = (uint8 *) function, .hook = hook_function,                    \
		.alternative = hook_function##_timed, .original = (void **) &original_pointer              \
	}

static LwpDetour detours[] = {
	DETOUR_TIMED(LWLockAcquire, hook_acquire, server_acquire),
	DETOUR_TIMED(LWLockConditionalAcquire, hook_conditional_acquire, server_conditional_acquire),
	DETOUR_TIMED(LWLockAcquireOrWait, hook_acquire_or_wait, server_acquire_or_wait),
	DETOUR(LWLockWaitForVar, hook_wait_for_var, server_wait_for_var),
	DETOUR(LWLockUpdateVar, hook_update_var, server_update_var),
	DETOUR_TIMED(LWLockRelease, hook_release, server_release),
	DETOUR(LWLockReleaseClearVar, hook_release_clear_var, server_release_clear_var),
	DETOUR(LWLockReleaseAll, hook_release_all, server_release_all),
	DETOUR(PGSemaphoreLock, hook_semaphore_lock, server_semaphore_lock),
	DETOUR(s_lock, hook_s_lock, server_s_lock),
};

LwpDetour *
lwp_hooks_table(int *n)
{
	*n = lengthof(detours);
	return detours;
}

void
lwp_hooks_switch(bool recording, bool hold_times)
{
	lwp_detour_switch(detours, lengthof(detours),
					  !recording   ? LWP_RECORDING_OFF
					  : hold_times ? LWP_RECORDING_ALTERNATIVE
								   : LWP_RECORDING_ON);
}

const char *
lwp_hooks_selftest(void)
{
	static LWLockPadded probe;
	LWLock *lock = &probe.lock;
	LwpSlot *slot = lwp_slot_private();
	LwpHot *hot = &slot->hot[LWTRANCHE_BUFFER_CONTENT];
	LwpCold *cold = lwp_slot_cold_for_update(slot, LWTRANCHE_BUFFER_CONTENT);
	LwpHot before = *hot;
	uint64 failures = cold->conditional_failures;
	LwpLockVar var = 0;
	uint64 newval;
	uint32 held_inside;
	bool got_second;

	LWLockInitialize(lock, LWTRANCHE_BUFFER_CONTENT);
	LWLockAcquire(lock, LW_EXCLUSIVE);
	held_inside = (uint32) lwp_level_depth(slot->front->level);
	got_second = LWLockConditionalAcquire(lock, LW_SHARED);
	LWLockUpdateVar(lock, &var, 1);
	LWLockReleaseClearVar(lock, &var, 2);
	(void) LWLockWaitForVar(lock, &var, 2, &newval);
	if (LWLockAcquireOrWait(lock, LW_EXCLUSIVE))
		LWLockRelease(lock);
	LWLockAcquire(lock, LW_SHARED);
	LWLockReleaseAll();
	RESUME_INTERRUPTS(); /* LWLockReleaseAll leaves that to the error path it is part of */

	if (held_inside != 1 || slot->front->level != 0)
		return "self-test: the stack of locks is wrong";
	if (got_second || var != 2)
		return "self-test: a lock function misbehaved";
	if (hot->acquires[LW_EXCLUSIVE] != before.acquires[LW_EXCLUSIVE] + 2 ||
		hot->acquires[LW_SHARED] != before.acquires[LW_SHARED] + 1 ||
		hot->releases[LW_EXCLUSIVE] != before.releases[LW_EXCLUSIVE] + 2 ||
		hot->releases[LW_SHARED] != before.releases[LW_SHARED] + 1 ||
		cold->conditional_failures != failures + 1)
		return "self-test: the counters did not move as they should";
	return NULL;
}
