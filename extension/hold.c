/*
 * hold.c
 *		Exact hold times; see hold.h.
 */
#include "compat.h"

#include "hold.h"
#include "shmem.h"

/* Index of a bucket among those of all tranches and both modes. */
#define BUCKET(tranche, mode, bucket) (((tranche) *2 + (mode)) * LWP_HIST_BUCKETS + (bucket))

static pg_atomic_uint64 *counts = NULL; /* LWP_HOLD_STRIPES times all buckets */
static uint64 *base_counts = NULL;      /* at the last reset, over all stripes */
static int buckets = 0;                 /* of one stripe */

Size
lwp_hold_shmem_size(int max_tranches)
{
	return sizeof(uint64) * (Size) BUCKET(max_tranches + 1, 0, 0) * (LWP_HOLD_STRIPES + 1);
}

void
lwp_hold_attach(void *base, int max_tranches, bool found)
{
	buckets = BUCKET(max_tranches + 1, 0, 0);
	base_counts = base;
	counts = (pg_atomic_uint64 *) (base_counts + buckets);
	for (int i = 0; i < buckets * LWP_HOLD_STRIPES && !found; i++)
		pg_atomic_init_u64(&counts[i], 0);
	if (!found)
		memset(base_counts, 0, sizeof(uint64) * (Size) buckets);
}

void
lwp_hold_record(LwpWord word, uint64 ns)
{
	int stripe = MyProc != NULL ? lwp_proc_number(MyProc) % LWP_HOLD_STRIPES : 0;
	int mode = lwp_word_mode(word);

	if (counts == NULL || mode > LW_SHARED)
		return;
	pg_atomic_fetch_add_u64(
		&counts[stripe * buckets + BUCKET(lwp_word_tranche(word), mode, lwp_hist_bucket(ns))], 1);
}

static uint64
over_stripes(int bucket)
{
	uint64 sum = 0;

	for (int s = 0; s < LWP_HOLD_STRIPES; s++)
		sum += pg_atomic_read_u64(&counts[s * buckets + bucket]);
	return sum;
}

void
lwp_hold_reset(void)
{
	for (int i = 0; i < buckets; i++)
		base_counts[i] = over_stripes(i);
}

void
lwp_hold_read(int tranche, int mode, uint64 *count)
{
	LWLockAcquire(lwp_shared->lock, LW_SHARED);
	for (int b = 0; b < LWP_HIST_BUCKETS; b++)
	{
		int i = BUCKET(tranche, mode, b);

		count[b] = over_stripes(i) - base_counts[i];
	}
	LWLockRelease(lwp_shared->lock);
}
