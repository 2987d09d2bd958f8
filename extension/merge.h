/*
 * merge.h
 *		The details of all slots, put together by a reader.
 */
#ifndef LWP_MERGE_H
#define LWP_MERGE_H

#include "details.h"

/* A key of a summary, over all slots. */
typedef struct LwpMerged
{
	LwpSummaryKey key; /* first, for the hash table */
	uint64 blocked;
	uint64 wait_time; /* ns */
	uint64 max_wait;  /* ns */
	uint64 note;
	uint64 missed;        /* us: at most this much of its wait was seen before it entered a list */
	uint64 present_bound; /* sum of the bounds of the lists it is in, while merging */
} LwpMerged;

typedef enum LwpSummaryId
{
	LWP_SUMMARY_INSTANCES,
	LWP_SUMMARY_CALLERS
} LwpSummaryId;

/* All keys of one summary; palloc'd array, heaviest first.  Returns how many. */
extern LWP_HIDDEN int lwp_merge_summary(LwpSummaryId id, LwpMerged **merged);

/* The wait-time histogram of one tranche and mode. */
typedef struct LwpMergedHistogram
{
	uint32 key; /* lwp_hist_key() */
	uint64 count[LWP_HIST_BUCKETS];
} LwpMergedHistogram;

extern LWP_HIDDEN int lwp_merge_histograms(LwpMergedHistogram **merged);

/* What all slots together had no room for. */
typedef struct LwpDetailsLosses
{
	uint64 histogram_lost;
	uint64 instances_evicted;
	uint64 callers_evicted;
} LwpDetailsLosses;

extern LWP_HIDDEN LwpDetailsLosses lwp_merge_losses(void);

/*
 * Quantile q (0 to 1) of a histogram, in ns: the place in its bucket is
 * interpolated, and max (ns) bounds the last one.  0 when the histogram is
 * empty; the caller asks *n first.
 */
extern LWP_HIDDEN double lwp_hist_quantile(const uint64 *count, double q, uint64 max);
extern LWP_HIDDEN uint64 lwp_hist_total(const uint64 *count);

#endif /* LWP_MERGE_H */
