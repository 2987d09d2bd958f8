/*
 * details.h
 *		What a slot knows about its blocked requests beyond counters:
 *		wait-time histograms, the heaviest lock instances and callers, and what
 *		the request now asleep is about.
 *
 * Written by the slot's owner on the blocked path only, so waiters that record
 * at once never write the same cache line.  Everything belongs to one reset
 * epoch: the owner empties it when it first records in a new one, and readers
 * pass over what belongs to an older one.  Reading follows slot->wait_seq, as
 * described in wait.c.
 */
#ifndef LWP_DETAILS_H
#define LWP_DETAILS_H

#include "postgres.h"

#include "code.h"
#include "slot.h"
#include "summary.h"

/*
 * Buckets of a histogram: bucket 0 is below 1.024 us, bucket b from
 * 2^(b+9) ns to below 2^(b+10) ns, the last one has no end.
 */
#define LWP_HIST_BUCKETS     26
#define LWP_HIST_FIRST_SHIFT 10

#define LWP_HIST_ROWS    24
#define LWP_INSTANCES    40
#define LWP_CALLERS      20
#define LWP_STACK_FRAMES 24

typedef struct LwpHistRow
{
	uint32 key; /* lwp_hist_key(); 0 = free */
	uint32 unused;
	uint64 count[LWP_HIST_BUCKETS];
} LwpHistRow;

typedef struct LwpDetails
{
	volatile uint64 epoch;    /* reset epoch of all this */
	uint64 histogram_lost;    /* waits that found no row */
	uint64 instances_evicted; /* keys that had to leave, see summary.h */
	uint64 callers_evicted;
	LwpHistRow histograms[LWP_HIST_ROWS];
	LwpSummaryEntry instances[LWP_INSTANCES]; /* keys: instance.h */
	LwpSummaryEntry callers[LWP_CALLERS];     /* keys: lwp_caller_key() */
} LwpDetails;

/* The request that is asleep now.  Valid while the slot's state stays the same. */
typedef struct LwpAsleep
{
	LwpSummaryKey instance;
	uint32 frames;
	uint32 unused;
	LwpCode frame[LWP_STACK_FRAMES]; /* innermost first */
} LwpAsleep;

static inline uint32
lwp_hist_key(int tranche_index, int mode)
{
	return ((uint32) tranche_index << 2 | (uint32) mode) + 1;
}

static inline int
lwp_hist_tranche(uint32 key)
{
	return (int) ((key - 1) >> 2);
}

static inline int
lwp_hist_mode(uint32 key)
{
	return (int) ((key - 1) & 3);
}

/* Bucket of a time in ns. */
static inline int
lwp_hist_bucket(uint64 ns)
{
	int bits = ns == 0 ? 0 : 64 - __builtin_clzll(ns);

	if (bits <= LWP_HIST_FIRST_SHIFT)
		return 0;
	return Min(bits - LWP_HIST_FIRST_SHIFT, LWP_HIST_BUCKETS - 1);
}

/* Lower bound of a bucket, ns; the upper bound is that of the next. */
static inline uint64
lwp_hist_lower(int bucket)
{
	return bucket == 0 ? 0 : UINT64CONST(1) << (bucket + LWP_HIST_FIRST_SHIFT - 1);
}

static inline LwpSummaryKey
lwp_caller_key(int tranche_index, LwpCode code)
{
	LwpSummaryKey key = {{(UINT64CONST(1) << 63) | (uint32) tranche_index, code, 0, 0}};

	return key;
}

/*
 * Record a blocked request that is over.  instance is its lock, code the
 * caller, ns the time it waited (timed says whether that is known), granted
 * whether it ended with the lock held.  The owner only, between the two
 * changes of wait_seq.
 */
extern LWP_HIDDEN void
lwp_details_record(LwpDetails *details, LwpWord word, const LwpSummaryKey *instance, LwpCode code,
				   bool timed, uint64 ns, bool granted);

/* Copy a slot's details; false when it has none of the given reset epoch. */
extern LWP_HIDDEN bool lwp_details_read(LwpSlot *slot, uint64 epoch, LwpDetails *copy);

#endif /* LWP_DETAILS_H */
