/*
 * row.h
 *		Building result rows column by column.
 *
 * A function that returns a set begins once, appends the columns of a row in
 * order, and puts the row.  Appending more or fewer columns than the function
 * declares is an error, not a crash.
 */
#ifndef LWP_ROW_H
#define LWP_ROW_H

#include "compat.h"

#include "datatype/timestamp.h"

#define LWP_ROW_MAX_COLUMNS 40

typedef struct LwpRow
{
	ReturnSetInfo *result;
	int n;
	Datum values[LWP_ROW_MAX_COLUMNS];
	bool nulls[LWP_ROW_MAX_COLUMNS];
} LwpRow;

/* Raises the error for a module that is not preloaded. */
extern LWP_HIDDEN void lwp_row_begin(LwpRow *row, FunctionCallInfo fcinfo);
extern LWP_HIDDEN void lwp_row_put(LwpRow *row);

extern LWP_HIDDEN void lwp_row_datum(LwpRow *row, Datum value);
extern LWP_HIDDEN void lwp_row_null(LwpRow *row);
extern LWP_HIDDEN void lwp_row_text(LwpRow *row, const char *value); /* NULL -> NULL */
extern LWP_HIDDEN void lwp_row_oid(LwpRow *row, Oid value);          /* InvalidOid -> NULL */
extern LWP_HIDDEN void lwp_row_bool(LwpRow *row, bool value);
extern LWP_HIDDEN void lwp_row_int32(LwpRow *row, int32 value);
extern LWP_HIDDEN void lwp_row_int64(LwpRow *row, int64 value);
extern LWP_HIDDEN void lwp_row_double(LwpRow *row, double value);
extern LWP_HIDDEN void lwp_row_ms(LwpRow *row, uint64 ns); /* as double, milliseconds */
extern LWP_HIDDEN void lwp_row_ratio(LwpRow *row, double part, double whole); /* x / 0 -> NULL */
extern LWP_HIDDEN void lwp_row_timestamptz(LwpRow *row, TimestampTz value);

#endif /* LWP_ROW_H */
