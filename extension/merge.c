/*
 * merge.c
 *		The details of all slots, put together by a reader; see merge.h.
 */
#include "compat.h"

#include "utils/hsearch.h"

#include "merge.h"
#include "shmem.h"

/* Call visit for the details of every slot that has some of the present reset epoch. */
static void
for_each_slot(void (*visit)(const LwpDetails *details, void *arg), void *arg)
{
	LwpDetails *copy = palloc(sizeof(LwpDetails));
	uint64 epoch = lwp_reset_epoch();

	for (int i = 0; i < lwp_shared->nslots; i++)
	{
		LwpSlot *slot = lwp_slot_get(i);

		if (slot->binds != 0 && lwp_details_read(slot, epoch, copy))
			visit(copy, arg);
	}
	pfree(copy);
}

typedef struct SummaryMerge
{
	LwpSummaryId id;
	HTAB *keys;
	uint64 bound; /* sum of the bounds of all lists */
} SummaryMerge;

static void
merge_list(const LwpDetails *details, void *arg)
{
	SummaryMerge *merge = arg;
	bool instances = merge->id == LWP_SUMMARY_INSTANCES;
	const LwpSummaryEntry *list = instances ? details->instances : details->callers;
	int n = instances ? LWP_INSTANCES : LWP_CALLERS;
	uint64 bound = lwp_summary_bound(list, n);

	merge->bound += bound;
	for (int i = 0; i < n && list[i].key.word[0] != 0; i++)
	{
		bool found;
		LwpMerged *merged = hash_search(merge->keys, &list[i].key, HASH_ENTER, &found);

		if (!found)
			memset((char *) merged + sizeof(LwpSummaryKey), 0,
				   sizeof(LwpMerged) - sizeof(LwpSummaryKey));
		merged->blocked += list[i].blocked;
		merged->wait_time += list[i].wait_time;
		merged->max_wait = Max(merged->max_wait, list[i].max_wait);
		merged->missed += list[i].error;
		merged->present_bound += bound;
		if (list[i].note != 0)
			merged->note = list[i].note;
	}
}

static int
heavier(const void *a, const void *b)
{
	const LwpMerged *x = a;
	const LwpMerged *y = b;

	if (x->wait_time != y->wait_time)
		return x->wait_time > y->wait_time ? -1 : 1;
	return x->blocked > y->blocked ? -1 : (x->blocked < y->blocked);
}

int
lwp_merge_summary(LwpSummaryId id, LwpMerged **merged)
{
	HASHCTL ctl = {.keysize = sizeof(LwpSummaryKey),
				   .entrysize = sizeof(LwpMerged),
				   .hcxt = CurrentMemoryContext};
	SummaryMerge merge = {.id = id};
	HASH_SEQ_STATUS scan;
	LwpMerged *entry;
	int n = 0;

	merge.keys =
		hash_create("pg_lwprof summary", 1024, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	for_each_slot(merge_list, &merge);
	*merged = palloc(sizeof(LwpMerged) * (Size) (hash_get_num_entries(merge.keys) + 1));
	hash_seq_init(&scan, merge.keys);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		/* a full list it is not in may have dropped as much as its lightest entry */
		entry->missed += merge.bound - entry->present_bound;
		(*merged)[n++] = *entry;
	}
	hash_destroy(merge.keys);
	qsort(*merged, (size_t) n, sizeof(LwpMerged), heavier);
	return n;
}

typedef struct HistogramMerge
{
	int n;
	int room;
	LwpMergedHistogram *rows;
} HistogramMerge;

static void
merge_rows(const LwpDetails *details, void *arg)
{
	HistogramMerge *merge = arg;

	for (int i = 0; i < LWP_HIST_ROWS && details->histograms[i].key != 0; i++)
	{
		const LwpHistRow *row = &details->histograms[i];
		int k = 0;

		while (k < merge->n && merge->rows[k].key != row->key)
			k++;
		if (k == merge->n)
		{
			if (merge->n == merge->room)
			{
				merge->room *= 2;
				merge->rows =
					repalloc(merge->rows, sizeof(LwpMergedHistogram) * (Size) merge->room);
			}
			memset(&merge->rows[k], 0, sizeof(merge->rows[k]));
			merge->rows[k].key = row->key;
			merge->n++;
		}
		for (int b = 0; b < LWP_HIST_BUCKETS; b++)
			merge->rows[k].count[b] += row->count[b];
	}
}

int
lwp_merge_histograms(LwpMergedHistogram **merged)
{
	HistogramMerge merge = {.room = 64, .rows = palloc(sizeof(LwpMergedHistogram) * 64)};

	for_each_slot(merge_rows, &merge);
	*merged = merge.rows;
	return merge.n;
}

static void
add_losses(const LwpDetails *details, void *arg)
{
	LwpDetailsLosses *losses = arg;

	losses->histogram_lost += details->histogram_lost;
	losses->instances_evicted += details->instances_evicted;
	losses->callers_evicted += details->callers_evicted;
}

LwpDetailsLosses
lwp_merge_losses(void)
{
	LwpDetailsLosses losses = {0};

	for_each_slot(add_losses, &losses);
	return losses;
}

uint64
lwp_hist_total(const uint64 *count)
{
	uint64 total = 0;

	for (int b = 0; b < LWP_HIST_BUCKETS; b++)
		total += count[b];
	return total;
}

double
lwp_hist_quantile(const uint64 *count, double q, uint64 max)
{
	double rank = q * (double) lwp_hist_total(count);
	double before = 0;

	for (int b = 0; b < LWP_HIST_BUCKETS; b++)
	{
		double lower = (double) lwp_hist_lower(b);
		double upper = b + 1 < LWP_HIST_BUCKETS ? (double) lwp_hist_lower(b + 1) : (double) max;

		if (count[b] == 0 || before + (double) count[b] < rank)
		{
			before += (double) count[b];
			continue;
		}
		upper = Max(Min(upper, (double) max), lower);
		return lower + (upper - lower) * (rank - before) / (double) count[b];
	}
	return 0;
}
