/*
 * hist.h
 *		High dynamic range histogram of durations in nanoseconds.
 *
 * The layout is that of G. Tene's HdrHistogram: each power of two is cut into
 * LWP_HIST_SUB equal buckets, so any value from 0 to 2^63-1 ns keeps a
 * relative error below 1/LWP_HIST_SUB (0.1 %), with no upper limit to be
 * clipped at.  Values below 2 * LWP_HIST_SUB ns are exact.
 *
 * One thread records.  Another may read counts, buckets, sum and extremes while
 * it does (relaxed atomics: each figure is whole, figures may be some events
 * apart); the sum of squares is for after the writer has finished.
 *
 * Identities: count is the sum of all buckets; min <= any percentile <= max.
 */
#ifndef LWP_HIST_H
#define LWP_HIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LWP_HIST_SUB_BITS 10
#define LWP_HIST_SUB      (1 << LWP_HIST_SUB_BITS)
#define LWP_HIST_BUCKETS  ((64 - LWP_HIST_SUB_BITS) * LWP_HIST_SUB)

typedef struct LwpHist
{
	_Atomic uint64_t *bucket; /* LWP_HIST_BUCKETS; memory is touched where used */
	_Atomic uint64_t count;
	_Atomic int64_t sum;    /* ns */
	_Atomic int64_t min;    /* ns; INT64_MAX when empty */
	_Atomic int64_t max;    /* ns; -1 when empty */
	unsigned __int128 sum2; /* ns^2 */
} LwpHist;

extern void lwp_hist_init(LwpHist *h);
extern void lwp_hist_free(LwpHist *h);
extern void lwp_hist_clear(LwpHist *h);

static inline int
lwp_hist_index(int64_t v)
{
	int shift;

	if (v < 2 * LWP_HIST_SUB)
		return v < 0 ? 0 : (int) v;
	shift = 63 - LWP_HIST_SUB_BITS - __builtin_clzll((uint64_t) v);
	return (shift << LWP_HIST_SUB_BITS) + (int) (v >> shift);
}

/* Smallest value of a bucket, and how many values share it. */
extern int64_t lwp_hist_lowest(int index);
extern int64_t lwp_hist_width(int index);

#define LWP_BUMP(field, by)                                                                        \
	atomic_store_explicit(&(field), atomic_load_explicit(&(field), memory_order_relaxed) + (by),   \
						  memory_order_relaxed)
#define LWP_PEEK(field) atomic_load_explicit(&(field), memory_order_relaxed)

/* Negative durations (a clock that stands still gives 0, never less) count as 0. */
static inline void
lwp_hist_record(LwpHist *h, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	LWP_BUMP(h->bucket[lwp_hist_index(ns)], 1);
	LWP_BUMP(h->count, 1);
	LWP_BUMP(h->sum, ns);
	h->sum2 += (unsigned __int128) ns * (uint64_t) ns;
	if (ns < LWP_PEEK(h->min))
		atomic_store_explicit(&h->min, ns, memory_order_relaxed);
	if (ns > LWP_PEEK(h->max))
		atomic_store_explicit(&h->max, ns, memory_order_relaxed);
}

/* Adds what from holds to into; from's writer has finished. */
extern void lwp_hist_merge(LwpHist *into, const LwpHist *from);

/*
 * The same while from is still written to.  The sum of squares is left out:
 * into is for lwp_hist_subtract and percentiles only.
 */
extern void lwp_hist_snapshot(LwpHist *into, const LwpHist *from);

/*
 * What was recorded between two merges of the same histograms: later - earlier,
 * into out (cleared first).  min and max of the interval are known to bucket
 * precision; stddev comes from the buckets.
 */
extern void lwp_hist_subtract(LwpHist *out, const LwpHist *later, const LwpHist *earlier);

/* ns; 0 when empty.  stddev is that of the population, as pgbench's. */
extern double lwp_hist_mean(const LwpHist *h);
extern double lwp_hist_stddev(const LwpHist *h);

/*
 * The smallest recorded value (to bucket precision, its upper end, but never
 * outside min..max) at or below which at least the given share 0..100 of the
 * values lie; 0 when empty.
 */
extern int64_t lwp_hist_percentile(const LwpHist *h, double percent);

#endif
