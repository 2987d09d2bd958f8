/*
 * lockrows.c
 *		Everything known about every lock, one row per wait_event.
 */
#include "compat.h"

#include "lockrows.h"
#include "merge.h"
#include "names.h"
#include "shmem.h"

#include "../sampler/shared.h"

/* Where the row of a tranche index is, while the rows are being built. */
typedef struct Builder
{
	LwpLockRows *result;
	LwpLockRow **by_tranche; /* max_tranches + 1 entries, NULL = not looked up yet */
} Builder;

static LwpLockRow *
row_named(LwpLockRows *result, const char *wait_event)
{
	LwpLockRow *row;

	for (int i = 0; i < result->n; i++)
	{
		const char *known = result->rows[i].wait_event;

		if (known == wait_event || (known && wait_event && strcmp(known, wait_event) == 0))
			return &result->rows[i];
	}
	row = &result->rows[result->n++];
	memset(row, 0, sizeof(*row));
	row->wait_event = wait_event;
	return row;
}

/* The row of a tranche index, made if there is none. */
static LwpLockRow *
row_of(Builder *b, int tranche)
{
	if (b->by_tranche[tranche] == NULL)
		b->by_tranche[tranche] = row_named(b->result, lwp_name_tranche((uint32) tranche));
	return b->by_tranche[tranche];
}

static void
add_total(LwpTotal *sum, const LwpTotal *more)
{
	for (int mode = 0; mode < 2; mode++)
	{
		sum->acquires[mode] += more->acquires[mode];
		sum->blocked[mode] += more->blocked[mode];
	}
	sum->releases += more->releases;
	sum->conditional_failures += more->conditional_failures;
	sum->group_waits += more->group_waits;
	sum->var_waits += more->var_waits;
	sum->timed_waits += more->timed_waits;
	sum->wait_time += more->wait_time;
	sum->max_wait = Max(sum->max_wait, more->max_wait);
}

/* Add what the sampler knows. */
static void
add_profile(Builder *b)
{
	LwpLockRows *result = b->result;
	LwpTableEntry *entries;
	uint64 epoch = lwp_reset_epoch();
	int n = lwp_table_read(lwp_tables[LWP_TABLE_PROFILE], epoch, &entries);

	for (int i = 0; i < n; i++)
	{
		const LwpKey *key = &entries[i].key;
		uint64 time = entries[i].time;
		bool foreground = lwp_name_is_foreground(lwp_profile_backend_type(key));
		LwpLockRow *row;

		if (lwp_profile_phase(key) == LWP_PROFILE_ACTIVE)
		{
			if (foreground)
				result->active_foreground += time;
			continue;
		}
		row = row_of(b, lwp_profile_tranche(key));
		switch (lwp_profile_phase(key))
		{
			case LWP_PROFILE_WAITING:
				row->waiting += time;
				if (foreground)
					row->waiting_foreground += time;
				break;
			case LWP_PROFILE_HOLDING:
				if (foreground)
					row->holding_foreground += time;
				break;
			default:
				break;
		}
	}
	if (lwp_sampler_shared->epoch == epoch)
		result->observed = lwp_sampler_shared->observed;
	pfree(entries);
}

/* Locks held at this instant, by row. */
static void
add_held(Builder *b)
{
	for (int i = 0; i < lwp_shared->nslots; i++)
	{
		LwpSlot *slot = lwp_slot_get(i);
		LwpWord held[LWP_STACK_SIZE];
		int n;

		if (slot->pid == 0 || slot->pid != lwp_proc_pid(&ProcGlobal->allProcs[i]))
			continue;
		n = lwp_slot_held(slot, held);
		for (int k = 0; k < n; k++)
			row_of(b, lwp_word_tranche(held[k]))->held++;
	}
}

/* Distribution of wait times, all modes of a lock together. */
static void
add_histograms(Builder *b)
{
	LwpMergedHistogram *merged;
	int n = lwp_merge_histograms(&merged);

	for (int i = 0; i < n; i++)
	{
		LwpLockRow *row = row_of(b, lwp_hist_tranche(merged[i].key));

		for (int k = 0; k < LWP_HIST_BUCKETS; k++)
			row->histogram[k] += merged[i].count[k];
	}
	pfree(merged);
}

LwpLockRows *
lwp_lock_rows(void)
{
	int max_tranches = lwp_shared->max_tranches;
	int known = Min(lwp_tranche_count(), max_tranches);
	Size n = (Size) max_tranches + 1;
	LwpTotal *totals = palloc(sizeof(LwpTotal) * n);
	Builder b = {.result = palloc0(sizeof(LwpLockRows)),
				 .by_tranche = palloc0(sizeof(LwpLockRow *) * n)};

	b.result->rows = palloc(sizeof(LwpLockRow) * n);
	lwp_totals_read(totals, &b.result->unmatched_releases);
	for (int t = 0; t <= max_tranches; t++)
	{
		const char *name = lwp_name_tranche((uint32) t);
		bool used = totals[t].acquires[0] + totals[t].acquires[1] > 0;

		/* numbers the server left free have a name in angle brackets */
		if (!used && (t >= known || name == NULL || name[0] == '<'))
			continue;
		add_total(&row_of(&b, t)->total, &totals[t]);
		b.result->blocked += lwp_total_blocked(&totals[t]);
	}
	add_profile(&b);
	add_held(&b);
	add_histograms(&b);
	pfree(totals);
	pfree(b.by_tranche);
	return b.result;
}
