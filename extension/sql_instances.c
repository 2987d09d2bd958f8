/*
 * sql_instances.c
 *		SQL functions over the blocked path's details: instances, callers,
 *		stacks, histogram.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "instance.h"
#include "merge.h"
#include "names.h"
#include "row.h"
#include "shmem.h"
#include "sql_common.h"
#include "symbols.h"

#include "../sampler/observe.h"
#include "../sampler/shared.h"
#include "../sampler/stacks.h"

PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_instances_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_callers_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_stacks_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_histogram_1_0);

/* How many backends are asleep for each instance now, as far as they are among the given ones. */
static void
count_waiters(const LwpMerged *merged, int n, int *waiters)
{
	LwpObserver *observer = lwp_observer_create();

	memset(waiters, 0, sizeof(int) * (Size) n);
	for (int i = 0; i < observer->n; i++)
	{
		LwpObservation seen;
		LwpSummaryKey key;

		if (!lwp_observe(observer, i, true, &seen) || seen.phase != LWP_PHASE_WAITING ||
			seen.proc->slot == NULL)
			continue;
		key = seen.proc->slot->asleep->instance;
		pg_read_barrier();
		if (lwp_slot_state(seen.proc->slot) != seen.word)
			continue;
		for (int k = 0; k < n; k++)
			if (lwp_summary_same_key(&merged[k].key, &key))
				waiters[k]++;
	}
}

Datum
pg_lwprof_instances_1_0(PG_FUNCTION_ARGS)
{
	LwpMerged *merged;
	LwpRow row;
	int *waiters;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = lwp_merge_summary(LWP_SUMMARY_INSTANCES, &merged);
	waiters = palloc(sizeof(int) * (Size) (n + 1));
	count_waiters(merged, n, waiters);
	for (int i = 0; i < n; i++)
	{
		lwp_put_lock(&row, lwp_instance_tranche(&merged[i].key));
		lwp_put_instance(&row, &merged[i].key);
		lwp_row_text(&row, lwp_page_kind_name((LwpPageKind) merged[i].note));
		lwp_row_int64(&row, (int64) merged[i].blocked);
		lwp_row_ms(&row, merged[i].wait_time);
		lwp_row_ms(&row, merged[i].max_wait);
		lwp_row_int32(&row, waiters[i]);
		lwp_row_ms(&row, merged[i].missed * 1000);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

Datum
pg_lwprof_callers_1_0(PG_FUNCTION_ARGS)
{
	LwpMerged *merged;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = lwp_merge_summary(LWP_SUMMARY_CALLERS, &merged);
	for (int i = 0; i < n; i++)
	{
		LwpCode code = merged[i].key.word[1];

		lwp_put_lock(&row, (int) (uint32) merged[i].key.word[0]);
		lwp_row_text(&row, lwp_symbol_name(code));
		lwp_row_text(&row, lwp_symbol_module(code));
		lwp_row_int64(&row, (int64) lwp_code_offset(code));
		lwp_row_int64(&row, (int64) merged[i].blocked);
		lwp_row_ms(&row, merged[i].wait_time);
		lwp_row_ms(&row, merged[i].max_wait);
		lwp_row_ms(&row, merged[i].missed * 1000);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

/* "outermost;...;innermost", as flame graph tools read it. */
static char *
folded(const LwpStack *stack)
{
	StringInfoData text;

	initStringInfo(&text);
	for (uint32 i = stack->frames; i-- > 0;)
	{
		char *name = lwp_symbol_name(stack->frame[i]);

		appendStringInfo(&text, "%s%s", text.len > 0 ? ";" : "", name ? name : "?");
	}
	return text.data;
}

Datum
pg_lwprof_stacks_1_0(PG_FUNCTION_ARGS)
{
	LwpTableEntry *entries;
	uint64 epoch = 0;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	epoch = lwp_reset_epoch();
	n = lwp_table_read(lwp_stacks_table, epoch, &entries);
	for (int i = 0; i < n; i++)
	{
		LwpStack stack;

		if (lwp_key_is_rest(&entries[i].key) || entries[i].key.word[1] >= lwp_stacks->capacity)
			continue;
		stack = lwp_stacks->stacks[entries[i].key.word[1]];
		pg_read_barrier();
		if (stack.hash == 0 || stack.frames > LWP_STACK_FRAMES || lwp_stacks->epoch != epoch)
			continue; /* reset meanwhile */
		lwp_put_lock(&row, (int) (entries[i].key.word[0] & 0xFFFF));
		lwp_row_text(&row, folded(&stack));
		lwp_row_ms(&row, entries[i].time);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

Datum
pg_lwprof_histogram_1_0(PG_FUNCTION_ARGS)
{
	LwpMergedHistogram *merged;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = lwp_merge_histograms(&merged);
	for (int i = 0; i < n; i++)
		lwp_put_histogram(&row, lwp_hist_tranche(merged[i].key), lwp_hist_mode(merged[i].key),
						  merged[i].count);
	return (Datum) 0;
}
