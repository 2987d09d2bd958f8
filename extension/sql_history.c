/*
 * sql_history.c
 *		SQL functions over the per-second history.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/timestamp.h"

#include "names.h"
#include "row.h"
#include "shmem.h"
#include "sql_common.h"

#include "../sampler/history.h"
#include "../sampler/shared.h"

PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_history_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_history_seconds_1_0);

static TimestampTz
timestamp_of(int64 second)
{
	return (second - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY) * USECS_PER_SEC;
}

/*
 * Read what is there.  A header and its locks are written one after the other,
 * so at the end that wraps, locks can be without their header: they go.
 */
static int
read_history(LwpHistoryRecord **history)
{
	uint64 overwritten;
	void *records;
	int n = lwp_ring_read(lwp_history, lwp_reset_epoch(), &records, &overwritten);
	int first = 0;
	int last = n;

	*history = records;
	while (first < n && (*history)[first].tranche != LWP_NO_TRANCHE)
		first++;
	/* the same at the end being written */
	for (int i = n; i-- > first;)
	{
		if ((*history)[i].tranche != LWP_NO_TRANCHE)
			continue;
		if ((int) (*history)[i].locks > n - i - 1)
			last = i;
		break;
	}
	*history += first;
	return last - first;
}

static void
put_exact_ms(LwpRow *row, bool exact, uint64 ns)
{
	if (exact)
		lwp_row_ms(row, ns);
	else
		lwp_row_null(row);
}

static void
put_exact_count(LwpRow *row, bool exact, uint64 count)
{
	if (exact)
		lwp_row_int64(row, (int64) count);
	else
		lwp_row_null(row);
}

Datum
pg_lwprof_history_1_0(PG_FUNCTION_ARGS)
{
	LwpHistoryRecord *history;
	const LwpHistoryRecord *header = NULL;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = read_history(&history);
	for (int i = 0; i < n; i++)
	{
		const LwpHistoryRecord *r = &history[i];

		if (r->tranche == LWP_NO_TRANCHE)
		{
			header = r;
			continue;
		}
		lwp_row_timestamptz(&row, timestamp_of(r->second));
		lwp_put_lock(&row, (int) r->tranche);
		lwp_row_ms(&row, r->lock.waiting);
		lwp_row_ms(&row, r->lock.waiting_foreground);
		lwp_row_ms(&row, r->lock.acquiring);
		put_exact_ms(&row, header->all.exact, r->lock.holding_foreground);
		lwp_row_ms(&row, header->all.active_foreground);
		lwp_row_ms(&row, header->all.observed);
		put_exact_count(&row, header->all.exact, r->lock.blocked);
		put_exact_ms(&row, header->all.exact, r->lock.wait_time);
		put_exact_count(&row, header->all.exact, r->lock.acquires);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

Datum
pg_lwprof_history_seconds_1_0(PG_FUNCTION_ARGS)
{
	LwpHistoryRecord *history;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = read_history(&history);
	for (int i = 0; i < n; i++)
	{
		const LwpHistoryRecord *r = &history[i];

		if (r->tranche != LWP_NO_TRANCHE)
			continue;
		lwp_row_timestamptz(&row, timestamp_of(r->second));
		lwp_row_ms(&row, r->all.observed);
		lwp_row_ms(&row, r->all.unobserved);
		lwp_row_ms(&row, r->all.active);
		lwp_row_ms(&row, r->all.active_foreground);
		lwp_row_int64(&row, (int64) r->all.passes);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}
