/*
 * slot.h
 *		The per-backend slot: state flags, held set and exact counters.
 *
 * One slot per PGPROC that can belong to a living process, in shared memory,
 * indexed by proc number.  Only the process that owns the PGPROC writes its
 * slot; the sampler and the SQL functions read it without any lock.  All
 * fields are aligned words written by plain stores, so a reader never sees
 * half a value.  A slot is never cleared when its owner exits: the next
 * process in the same PGPROC goes on adding, so a total over time is the sum
 * over all slots, and a reset moves a baseline (counters.h).
 *
 * The parts of the slots are arrays of their own:
 *
 *		front	one cache line: what is being done about which lock, and the
 *				locks held.  All that a sampling pass reads of an idle backend;
 *				the fronts of all backends lie side by side.
 *		slot	the owner, the wait in progress, rarely written fields
 *		hot		one LwpHot per tranche: what the uncontended path counts
 *		cold	one LwpCold per tranche that had a blocked or failed request
 *		details	more about blocked requests (details.h); spinlocks (spin.h)
 *
 * hot has lwp_max_tranches_used + 1 entries; the last one collects the
 * tranches that found no room.  cold has LWP_COLD_ROWS + 1, and cold_row says
 * which of them is a tranche's; the last one is for when they are all taken.
 *
 * Identities, asserted by tests:
 *
 *		acquires = releases + held now + asked for now	per tranche
 *		timed_waits <= blocked + group_waits + var_waits
 */
#ifndef LWP_SLOT_H
#define LWP_SLOT_H

#include "postgres.h"

#include "storage/lwlock.h"

#define LWP_HIDDEN     __attribute__((visibility("hidden")))
#define LWP_CACHE_LINE 64

/* What a backend is doing about a lock at this instant. */
typedef enum LwpPhase
{
	LWP_PHASE_NONE,      /* outside all lock functions; about a lock on the stack: holding it */
	LWP_PHASE_ACQUIRING, /* inside an acquire function, not asleep */
	LWP_PHASE_WAITING,   /* asleep */
	LWP_PHASE_RELEASING  /* inside a release function, waking others */
} LwpPhase;

/*
 * The state word: a lock, in what mode, and what is being done about it.
 *
 *		bits 18..63	address of the LWLock, its two low bits (always zero) dropped
 *		bits 16..17	LwpPhase (0 in the entries of a slot's stack)
 *		bits  2..15	index of its tranche in hot[] and cold[]
 *		bits  0..1	LWLockMode, or LWP_MODE_UNKNOWN
 *
 * The low 16 bits taken as a number are the place of the acquires of that
 * tranche and mode in hot[] seen as an array of counters (lwp_acquires_of).
 *
 * An LWLock is aligned to four bytes at least, and user addresses have 48
 * bits at most, so nothing is lost.  The word carries the tranche because a
 * reader in another process must not follow the address: the lock may live in
 * a dynamic shared memory segment that is mapped elsewhere, or nowhere.
 */
typedef uint64 LwpWord;

#define LWP_WORD_TRANCHE_SHIFT 2
#define LWP_WORD_TRANCHE_BITS  14
#define LWP_WORD_PHASE_SHIFT   16
#define LWP_WORD_PHASE_MASK    ((LwpWord) 0x3 << LWP_WORD_PHASE_SHIFT)
#define LWP_WORD_ADDR_SHIFT    16
#define LWP_WORD_ADDR_LOWEST   ((LwpWord) 1 << 18)

/* In the mode bits where the mode is not known (wait_event mode). */
#define LWP_MODE_UNKNOWN 3

#define LWP_TRANCHES_LIMIT ((1 << LWP_WORD_TRANCHE_BITS) - 1)

static inline LwpWord
lwp_word(const void *lock, uint32 tranche_index, uint32 mode, LwpPhase phase)
{
	return ((LwpWord) (uintptr_t) lock << LWP_WORD_ADDR_SHIFT) |
		   (((uint32) phase << LWP_WORD_PHASE_SHIFT) + (tranche_index << LWP_WORD_TRANCHE_SHIFT) +
			mode);
}

/* The same word in another phase. */
static inline LwpWord
lwp_word_in_phase(LwpWord word, LwpPhase phase)
{
	return (word & ~LWP_WORD_PHASE_MASK) | ((LwpWord) phase << LWP_WORD_PHASE_SHIFT);
}

static inline LwpPhase
lwp_word_phase(LwpWord word)
{
	return (LwpPhase) ((word & LWP_WORD_PHASE_MASK) >> LWP_WORD_PHASE_SHIFT);
}

static inline int
lwp_word_mode(LwpWord word)
{
	return (int) (word & 0x3);
}

static inline int
lwp_word_tranche(LwpWord word)
{
	return (int) ((word >> LWP_WORD_TRANCHE_SHIFT) & ((1 << LWP_WORD_TRANCHE_BITS) - 1));
}

static inline uintptr_t
lwp_word_addr(LwpWord word)
{
	return (uintptr_t) ((word & ~(LWP_WORD_ADDR_LOWEST - 1)) >> LWP_WORD_ADDR_SHIFT);
}

/* Same lock, whatever the phase and mode? */
static inline bool
lwp_word_same_lock(LwpWord a, LwpWord b)
{
	return (a ^ b) < LWP_WORD_ADDR_LOWEST;
}

/*
 * Counts of the uncontended path, per tranche and LWLockMode (LW_EXCLUSIVE,
 * LW_SHARED); four counters, which the state word relies on.
 */
typedef struct LwpHot
{
	uint64 acquires[2];
	uint64 releases[2];
} LwpHot;

/* Counts of requests that failed or slept, per tranche.  Times are nanoseconds. */
typedef struct LwpCold
{
	uint64 conditional_failures;
	uint64 blocked[2];  /* requests that slept at least once, by LWLockMode */
	uint64 group_waits; /* members that slept while their group's leader held the lock */
	uint64 var_waits;   /* LWLockWaitForVar calls that slept */
	uint64 timed_waits; /* how many of all these were timed */
	uint64 wait_time;   /* sum over the timed ones */
	uint64 max_wait;    /* longest of them since max_epoch began */
	uint64 max_epoch;   /* reset epoch max_wait belongs to */
} LwpCold;

/*
 * Tranches of which one slot can count blocked requests one by one: all the
 * server has, and some of extensions.
 */
#define LWP_COLD_ROWS 80

/* How often a reader tries to catch a slot between two changes (wait.c). */
#define LWP_SEQ_TRIES 8

/* The server allows this many LWLocks at once (MAX_SIMUL_LWLOCKS in lwlock.c). */
#define LWP_MAX_HELD 200

/* Entries in the front; hardly anybody holds more. */
#define LWP_FRONT_ENTRIES 7

/* Room for all that can be held, and a few requests that are not granted. */
#define LWP_STACK_SIZE (LWP_MAX_HELD + 4)

/*
 * The front: state flag and held set in one, which is what keeps the hot path
 * short.  level is the size of a stack of state words in bytes plus the phase
 * of its top entry.  A request is pushed in phase "acquiring", is "waiting"
 * while asleep, and phase 0 makes the lock held; a release sets "releasing" and
 * then pops the entry.  Only the top can be in a phase other than 0; a lock that
 * is released out of order is first moved to the top.
 *
 * A reader takes level and then the entry it points at.  The two loads are of
 * different instants, but each entry is a state that was true a moment ago.
 */
typedef struct LwpFront
{
	volatile uint64 level;
	volatile LwpWord stack[LWP_FRONT_ENTRIES]; /* goes on in LwpSlot.deep */
} LwpFront;

/* A slot's counters over all tranches. */
typedef struct LwpSlotSums
{
	uint64 acquires;
	uint64 blocked;   /* all that slept, whatever for */
	uint64 wait_time; /* ns, finished waits */
} LwpSlotSums;

typedef struct LwpSlot
{
	LwpFront *front; /* the other parts; these never change */
	LwpHot *hot;
	LwpCold *cold;
	uint8 *cold_row; /* of each tranche; 0 = none yet, else one more than its place in cold[] */
	struct LwpDetails *details;
	struct LwpAsleep *asleep;
	struct LwpSpinCounts *spins;

	volatile int32 pid;                 /* owner; valid while equal to lwp_proc_pid() */
	volatile uint32 backend_type;       /* index into the backend type names (names.h) */
	volatile uint64 wait_start;         /* CLOCK_MONOTONIC, ns; 0 when not in a timed wait */
	volatile uintptr_t caller;          /* code address that asked for the lock slept for last */
	volatile uint32 wait_seq;           /* odd while wait_start and cold[] change together */
	volatile uint32 binds;              /* processes that have owned this slot */
	volatile uint64 unmatched_releases; /* releases of a lock no detour saw acquired */
	volatile uint32 cold_used;          /* rows of cold[] that belong to a tranche */
	uint32 unused;
	LwpSlotSums at_bind; /* sums when the present owner came */

	volatile LwpWord deep[LWP_STACK_SIZE - LWP_FRONT_ENTRIES];
} LwpSlot;

/* Entry n of a slot's stack, counted from 0. */
static inline volatile LwpWord *
lwp_slot_entry(LwpSlot *slot, uint64 n)
{
	return n < LWP_FRONT_ENTRIES ? &slot->front->stack[n] : &slot->deep[n - LWP_FRONT_ENTRIES];
}

static inline uint64
lwp_level(uint64 depth, LwpPhase phase)
{
	return depth * sizeof(LwpWord) + (uint64) phase;
}

static inline uint64
lwp_level_depth(uint64 level)
{
	return Min(level / sizeof(LwpWord), LWP_STACK_SIZE);
}

static inline LwpPhase
lwp_level_phase(uint64 level)
{
	return (LwpPhase) (level % sizeof(LwpWord));
}

/* What the owner is doing about which lock now; 0 = nothing, outside all lock functions. */
static inline LwpWord
lwp_slot_state(LwpSlot *slot)
{
	uint64 level = slot->front->level;
	uint64 depth = lwp_level_depth(level);

	if (lwp_level_phase(level) == LWP_PHASE_NONE || depth == 0)
		return 0;
	return lwp_word_in_phase(*lwp_slot_entry(slot, depth - 1), lwp_level_phase(level));
}

/* Copy the locks the owner holds; held has LWP_STACK_SIZE entries.  Returns how many. */
static inline int
lwp_slot_held(LwpSlot *slot, LwpWord *held)
{
	uint64 level = slot->front->level;
	uint64 depth = lwp_level_depth(level);

	if (lwp_level_phase(level) != LWP_PHASE_NONE && depth > 0)
		depth--;
	for (uint64 i = 0; i < depth; i++)
		held[i] = *lwp_slot_entry(slot, i);
	return (int) depth;
}

/* The cold counters of a tranche; NULL when it never had a blocked or failed request. */
static inline LwpCold *
lwp_slot_cold(const LwpSlot *slot, int tranche_index)
{
	uint8 row = slot->cold_row[tranche_index];

	return row == 0 ? NULL : &slot->cold[row - 1];
}

/* The same for the owner, who gets a row if there is none. */
extern LWP_HIDDEN LwpCold *lwp_slot_cold_for_update(LwpSlot *slot, int tranche_index);

/* The counters the low bits of a state word are the index of. */
static inline uint64 *
lwp_acquires_of(uint64 *hot_counters, LwpWord word)
{
	return hot_counters + (uint16) word;
}

static inline uint64 *
lwp_releases_of(uint64 *hot_counters, LwpWord word)
{
	return hot_counters + (uint16) word + 2;
}

StaticAssertDecl(sizeof(LwpHot) == sizeof(uint64) << LWP_WORD_TRANCHE_SHIFT &&
					 offsetof(LwpHot, acquires) == 0 &&
					 offsetof(LwpHot, releases) == 2 * sizeof(uint64) && LW_EXCLUSIVE == 0 &&
					 LW_SHARED == 1,
				 "the low bits of the state word must be the index of its counter");
StaticAssertDecl(sizeof(LwpFront) == LWP_CACHE_LINE, "a front must be one cache line");
StaticAssertDecl(offsetof(LwpFront, level) == 0 && offsetof(LwpFront, stack) == sizeof(LwpWord),
				 "the word below the first entry must be level, which is 0 then");

/*
 * This process's slot and its parts.  Until the process has a PGPROC and makes
 * its first lock call, lwp_front is one that never is in phase 0: so the hot
 * path needs one test for "not bound yet" and "left behind by an error".
 */
extern LWP_HIDDEN LwpFront *lwp_front;
extern LWP_HIDDEN uint64 *lwp_hot_counters; /* its hot[], as an array of counters */
extern LWP_HIDDEN LwpSlot *lwp_slot;        /* NULL until bound */
extern LWP_HIDDEN uint32 lwp_max_tranches_used;

/* Bytes of all the slots, with everything that belongs to them. */
extern LWP_HIDDEN Size lwp_slots_size(int nslots, int max_tranches);
extern LWP_HIDDEN Size lwp_slot_size(int max_tranches);

extern LWP_HIDDEN void lwp_slot_init_private(int max_tranches);
extern LWP_HIDDEN LwpSlot *lwp_slot_private(void);
extern LWP_HIDDEN void lwp_slot_attach(void *base, int nslots, int max_tranches, bool found);
extern LWP_HIDDEN LwpSlot *lwp_slot_bind(void);
extern LWP_HIDDEN LwpSlot *lwp_slot_get(int procno);
extern LWP_HIDDEN int lwp_slot_count(void);
extern LWP_HIDDEN LwpSlotSums lwp_slot_sums(LwpSlot *slot);
extern LWP_HIDDEN void lwp_slot_forget_locks(void);

/* Goes up whenever a process binds to a slot: a reader that cached who owns which looks again. */
extern LWP_HIDDEN uint64 lwp_slot_bind_count(void);

#endif /* LWP_SLOT_H */
