/*
 * hist.c
 *		High dynamic range histogram of durations in nanoseconds.
 */
#include "hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

_Static_assert(LWP_HIST_SUB >= 1000, "a relative error of 0.1 % is promised");

void
lwp_hist_init(LwpHist *h)
{
	/* calloc maps zero pages: only buckets that are used cost memory */
	h->bucket = lwp_calloc((size_t) LWP_HIST_BUCKETS, sizeof(*h->bucket));
	atomic_init(&h->count, 0);
	atomic_init(&h->sum, 0);
	atomic_init(&h->min, INT64_MAX);
	atomic_init(&h->max, -1);
	h->sum2 = 0;
}

void
lwp_hist_free(LwpHist *h)
{
	free(h->bucket);
	h->bucket = NULL;
}

/* first and last bucket in use; false when there is none */
static bool
used_range(const LwpHist *h, int *first, int *last)
{
	int64_t min = LWP_PEEK(h->min);
	int64_t max = LWP_PEEK(h->max);

	if (max < 0 || min > max)
		return false;
	*first = lwp_hist_index(min);
	*last = lwp_hist_index(max);
	return true;
}

void
lwp_hist_clear(LwpHist *h)
{
	int first;
	int last;

	if (used_range(h, &first, &last))
		for (int i = first; i <= last; i++)
			atomic_store_explicit(&h->bucket[i], 0, memory_order_relaxed);
	atomic_store(&h->count, 0);
	atomic_store(&h->sum, 0);
	atomic_store(&h->min, INT64_MAX);
	atomic_store(&h->max, -1);
	h->sum2 = 0;
}

int64_t
lwp_hist_lowest(int index)
{
	int shift = (index >> LWP_HIST_SUB_BITS) - 1;

	if (index < 2 * LWP_HIST_SUB)
		return index;
	return (int64_t) ((uint64_t) (index - (shift << LWP_HIST_SUB_BITS)) << shift);
}

int64_t
lwp_hist_width(int index)
{
	if (index < 2 * LWP_HIST_SUB)
		return 1;
	return INT64_C(1) << ((index >> LWP_HIST_SUB_BITS) - 1);
}

static void
merge(LwpHist *into, const LwpHist *from, bool finished)
{
	int first;
	int last;
	uint64_t count = 0;

	/* the writer moves min and max after the bucket: look at them first */
	if (!used_range(from, &first, &last))
		return;
	for (int i = first; i <= last; i++)
	{
		uint64_t n = LWP_PEEK(from->bucket[i]);

		if (n > 0)
			LWP_BUMP(into->bucket[i], n);
		count += n;
	}
	/* counted from the buckets, so that the identity holds while one records */
	LWP_BUMP(into->count, count);
	LWP_BUMP(into->sum, LWP_PEEK(from->sum));
	if (finished)
		into->sum2 += from->sum2;
	if (LWP_PEEK(from->min) < LWP_PEEK(into->min))
		atomic_store(&into->min, LWP_PEEK(from->min));
	if (LWP_PEEK(from->max) > LWP_PEEK(into->max))
		atomic_store(&into->max, LWP_PEEK(from->max));
}

void
lwp_hist_merge(LwpHist *into, const LwpHist *from)
{
	merge(into, from, true);
}

void
lwp_hist_snapshot(LwpHist *into, const LwpHist *from)
{
	merge(into, from, false);
}

void
lwp_hist_subtract(LwpHist *out, const LwpHist *later, const LwpHist *earlier)
{
	int first;
	int last;
	int low = -1;
	int high = -1;
	uint64_t count = 0;

	lwp_hist_clear(out);
	if (!used_range(later, &first, &last))
		return;
	for (int i = first; i <= last; i++)
	{
		uint64_t n = LWP_PEEK(later->bucket[i]) - LWP_PEEK(earlier->bucket[i]);

		if (n == 0)
			continue;
		atomic_store_explicit(&out->bucket[i], n, memory_order_relaxed);
		count += n;
		if (low < 0)
			low = i;
		high = i;
		out->sum2 += (unsigned __int128) n *
					 (uint64_t) (lwp_hist_lowest(i) + lwp_hist_width(i) / 2) *
					 (uint64_t) (lwp_hist_lowest(i) + lwp_hist_width(i) / 2);
	}
	if (count == 0)
		return;
	atomic_store(&out->count, count);
	atomic_store(&out->sum, LWP_PEEK(later->sum) - LWP_PEEK(earlier->sum));
	atomic_store(&out->min, lwp_hist_lowest(low));
	atomic_store(&out->max, lwp_hist_lowest(high) + lwp_hist_width(high) - 1);
	if (LWP_PEEK(later->max) < LWP_PEEK(out->max))
		atomic_store(&out->max, LWP_PEEK(later->max));
	if (LWP_PEEK(later->min) > LWP_PEEK(out->min))
		atomic_store(&out->min, LWP_PEEK(later->min));
}

double
lwp_hist_mean(const LwpHist *h)
{
	uint64_t n = LWP_PEEK(h->count);

	return n ? (double) LWP_PEEK(h->sum) / (double) n : 0.0;
}

double
lwp_hist_stddev(const LwpHist *h)
{
	uint64_t n = LWP_PEEK(h->count);
	long double mean;
	long double variance;

	if (n == 0)
		return 0.0;
	mean = (long double) LWP_PEEK(h->sum) / (long double) n;
	variance = (long double) h->sum2 / (long double) n - mean * mean;
	return variance > 0 ? (double) sqrtl(variance) : 0.0;
}

int64_t
lwp_hist_percentile(const LwpHist *h, double percent)
{
	uint64_t n = LWP_PEEK(h->count);
	uint64_t seen = 0;
	uint64_t want;
	int first;
	int last;

	if (n == 0 || !used_range(h, &first, &last))
		return 0;
	want = (uint64_t) ceil(percent / 100.0 * (double) n);
	if (want < 1)
		want = 1;
	for (int i = first; i <= last; i++)
	{
		seen += LWP_PEEK(h->bucket[i]);
		if (seen >= want)
		{
			int64_t v = lwp_hist_lowest(i) + lwp_hist_width(i) - 1;
			int64_t max = LWP_PEEK(h->max);
			int64_t min = LWP_PEEK(h->min);

			return v > max ? max : v < min ? min : v;
		}
	}
	return LWP_PEEK(h->max);
}
