/*
 * summary.h
 *		A bounded list of the heaviest keys: Space-Saving.
 *
 * Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k
 * Elements in Data Streams" (ICDT 2005), with weights.  A key that is not in
 * the full list replaces the lightest one and inherits its weight as error, so
 *
 *		weight - error <= true weight <= weight
 *
 * and a key whose true weight is above the lightest entry's is in the list:
 * the truly hot ones always survive.  Each slot has a list of its own, written
 * by its owner; readers merge them (Agarwal et al., "Mergeable Summaries",
 * PODS 2012): weights and errors add up, and a key missing from a full list
 * may have had up to that list's lightest weight there.
 *
 * The weight of a blocked request is the microseconds it waited, plus one.
 * The counts beside the weight begin when the key entered the list: they are
 * what was really seen, at most "error" less than the truth.
 */
#ifndef LWP_SUMMARY_H
#define LWP_SUMMARY_H

#include "postgres.h"

#include "slot.h"

#define LWP_SUMMARY_KEY_WORDS 4

typedef struct LwpSummaryKey
{
	uint64 word[LWP_SUMMARY_KEY_WORDS]; /* word[0] is not zero */
} LwpSummaryKey;

typedef struct LwpSummaryEntry
{
	LwpSummaryKey key; /* word[0] zero: free */
	uint64 weight;
	uint64 error;
	uint64 blocked;
	uint64 wait_time; /* ns */
	uint64 max_wait;  /* ns */
	uint64 note;      /* whatever else is known about the key; 0 = not yet */
} LwpSummaryEntry;

static inline bool
lwp_summary_same_key(const LwpSummaryKey *a, const LwpSummaryKey *b)
{
	return a->word[0] == b->word[0] && a->word[1] == b->word[1] && a->word[2] == b->word[2] &&
		   a->word[3] == b->word[3];
}

/*
 * Count one blocked request that waited ns (0 when it was not timed).  Returns
 * the key's entry; *evicted goes up when another key had to leave.
 */
extern LWP_HIDDEN LwpSummaryEntry *
lwp_summary_add(LwpSummaryEntry *entries, int n, const LwpSummaryKey *key, uint64 ns,
				uint64 *evicted);

/* Weight a key that is not in the list may have had: that of the lightest entry, 0 if not full. */
extern LWP_HIDDEN uint64 lwp_summary_bound(const LwpSummaryEntry *entries, int n);

#endif /* LWP_SUMMARY_H */
