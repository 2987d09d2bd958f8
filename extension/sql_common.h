/*
 * sql_common.h
 *		Columns that several SQL functions have.
 */
#ifndef LWP_SQL_COMMON_H
#define LWP_SQL_COMMON_H

#include "row.h"
#include "summary.h"

/* wait_event and classic_name of a tranche index. */
extern LWP_HIDDEN void lwp_put_lock(LwpRow *row, int tranche);

/*
 * Which lock it is: kind, number, database, tablespace, relfilenode, fork,
 * block, address.  All NULL for a key that is not one.
 */
extern LWP_HIDDEN void lwp_put_instance(LwpRow *row, const LwpSummaryKey *key);

/*
 * Type and name of a wait event; "CPU" and NULL for none.  A lightweight lock
 * is given by its tranche index.
 */
extern LWP_HIDDEN void lwp_put_event(LwpRow *row, uint32 wait_event_info, int tranche);

/* A query id: NULL when there is none. */
extern LWP_HIDDEN void lwp_put_query(LwpRow *row, uint64 query);

/* A row for each bucket of a histogram that is not empty. */
extern LWP_HIDDEN void lwp_put_histogram(LwpRow *row, int tranche, int mode, const uint64 *count);

/* A count that only detours know: NULL without them. */
extern LWP_HIDDEN void lwp_put_exact(LwpRow *row, uint64 value);

#endif /* LWP_SQL_COMMON_H */
