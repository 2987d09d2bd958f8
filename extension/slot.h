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
 * Layout of one slot, in cache lines:
 *
 *		header	line 0: wait_start, pid, level, stack[0..3]
 *				then the rest of the stack and rarely written fields
 *		hot		one LwpHot per tranche: what the uncontended path counts
 *		cold	one LwpCold per tranche: what only a blocked or failed request counts
 *
 * hot and cold have lwp_max_tranches + 1 entries; the last one collects the
 * tranches that found no room.
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

/* The server allows this many LWLocks at once (MAX_SIMUL_LWLOCKS in lwlock.c). */
#define LWP_MAX_HELD 200

/* Room on the stack: those, and a few requests that are not granted. */
#define LWP_STACK_SIZE (LWP_MAX_HELD + 4)

/*
 * Stack and level are state flag and held set in one, which is what keeps the
 * hot path short.  level is the size of the stack in bytes plus the phase of the
 * top entry.  A request is pushed in phase "acquiring", is "waiting" while
 * asleep, and phase 0 makes the lock held; a release sets "releasing" and then
 * pops the entry.  Only the top can be in a phase other than 0; a lock that is
 * released out of order is first moved to the top.
 *
 * A reader takes level and then the entry it points at.  The two loads are of
 * different instants, but each entry is a state that was true a moment ago.
 */
typedef struct LwpSlot
{
	/* line 0: read by every sampling pass */
	volatile uint64 wait_start;   /* CLOCK_MONOTONIC, ns; 0 when not in a timed wait */
	volatile int32 pid;           /* owner; valid while equal to lwp_proc_pid() */
	volatile uint32 backend_type; /* index into the backend type names (names.h) */
	volatile uint64 level;        /* bytes of stack[] in use + LwpPhase of the last entry */
	LwpWord bottom;               /* always 0: what is "on top" of an empty stack */
	volatile LwpWord stack[LWP_STACK_SIZE];

	/* rarely written */
	volatile uintptr_t caller; /* code address that asked for the lock slept for last */
	volatile uint32 wait_seq;  /* odd while wait_start and cold[] change together */
	uint32 unused;
	volatile uint64 unmatched_releases; /* releases of a lock no detour saw acquired */
	volatile uint64 binds;              /* processes that have owned this slot */
	uint64 reserved[4];
} LwpSlot;

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
lwp_slot_state(const LwpSlot *slot)
{
	uint64 level = slot->level;
	uint64 depth = lwp_level_depth(level);

	if (lwp_level_phase(level) == LWP_PHASE_NONE || depth == 0)
		return 0;
	return lwp_word_in_phase(slot->stack[depth - 1], lwp_level_phase(level));
}

/* Copy the locks the owner holds; held has LWP_STACK_SIZE entries.  Returns how many. */
static inline int
lwp_slot_held(const LwpSlot *slot, LwpWord *held)
{
	uint64 level = slot->level;
	uint64 depth = lwp_level_depth(level);

	if (lwp_level_phase(level) != LWP_PHASE_NONE && depth > 0)
		depth--;
	for (uint64 i = 0; i < depth; i++)
		held[i] = slot->stack[i];
	return (int) depth;
}

StaticAssertDecl(sizeof(LwpHot) == sizeof(uint64) << LWP_WORD_TRANCHE_SHIFT &&
					 offsetof(LwpHot, acquires) == 0 &&
					 offsetof(LwpHot, releases) == 2 * sizeof(uint64) && LW_EXCLUSIVE == 0 &&
					 LW_SHARED == 1,
				 "the low bits of the state word must be the index of its counter");
StaticAssertDecl(offsetof(LwpSlot, stack) == 32, "level and four entries must share line 0");
StaticAssertDecl(sizeof(LwpSlot) % LWP_CACHE_LINE == 0, "arrays after the header must be aligned");

static inline LwpHot *
lwp_slot_hot(LwpSlot *slot)
{
	return (LwpHot *) (slot + 1);
}

/* The counters the low bits of a state word are the index of. */
static inline uint64 *
lwp_acquires_of(LwpSlot *slot, LwpWord word)
{
	return (uint64 *) (slot + 1) + (uint16) word;
}

static inline uint64 *
lwp_releases_of(LwpSlot *slot, LwpWord word)
{
	return (uint64 *) (slot + 1) + (uint16) word + 2;
}

static inline LwpCold *
lwp_slot_cold(LwpSlot *slot, int max_tranches)
{
	return (LwpCold *) ((char *) (slot + 1) +
						TYPEALIGN(LWP_CACHE_LINE, sizeof(LwpHot) * (Size) (max_tranches + 1)));
}

/* Bytes of one slot, a multiple of the cache line. */
static inline Size
lwp_slot_size(int max_tranches)
{
	return sizeof(LwpSlot) + TYPEALIGN(LWP_CACHE_LINE, sizeof(LwpHot) * (Size) (max_tranches + 1)) +
		   TYPEALIGN(LWP_CACHE_LINE, sizeof(LwpCold) * (Size) (max_tranches + 1));
}

/*
 * This process's slot.  Until the process has a PGPROC and makes its first lock
 * call that is one that never is in phase 0: so the hot path needs one test
 * for "not bound yet" and "left behind by an error" (slot.c).
 */
extern LWP_HIDDEN LwpSlot *lwp_slot;
extern LWP_HIDDEN uint32 lwp_max_tranches_used;

extern LWP_HIDDEN void lwp_slot_init_private(int max_tranches);
extern LWP_HIDDEN LwpSlot *lwp_slot_private(void);
extern LWP_HIDDEN void lwp_slot_attach(void *base, int nslots, int max_tranches);
extern LWP_HIDDEN LwpSlot *lwp_slot_bind(void);
extern LWP_HIDDEN bool lwp_slot_is_bound(void);
extern LWP_HIDDEN LwpSlot *lwp_slot_get(int procno);
extern LWP_HIDDEN int lwp_slot_count(void);
extern LWP_HIDDEN void lwp_slot_forget_locks(void);

#endif /* LWP_SLOT_H */
