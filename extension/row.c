/*
 * row.c
 *		Building result rows column by column; see row.h.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "slot.h"
#include "row.h"
#include "shmem.h"

void
lwp_row_begin(LwpRow *row, FunctionCallInfo fcinfo)
{
	lwp_require_loaded();
	InitMaterializedSRF(fcinfo, 0);
	row->result = (ReturnSetInfo *) fcinfo->resultinfo;
	row->n = 0;
}

void
lwp_row_put(LwpRow *row)
{
	if (row->n != row->result->setDesc->natts)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("pg_lwprof library and SQL objects do not fit together"),
						errhint("Run ALTER EXTENSION pg_lwprof UPDATE.")));
	tuplestore_putvalues(row->result->setResult, row->result->setDesc, row->values, row->nulls);
	row->n = 0;
}

static void
append(LwpRow *row, Datum value, bool isnull)
{
	if (row->n >= LWP_ROW_MAX_COLUMNS)
		elog(ERROR, "too many columns");
	row->values[row->n] = value;
	row->nulls[row->n] = isnull;
	row->n++;
}

void
lwp_row_datum(LwpRow *row, Datum value)
{
	append(row, value, false);
}

void
lwp_row_null(LwpRow *row)
{
	append(row, (Datum) 0, true);
}

void
lwp_row_text(LwpRow *row, const char *value)
{
	append(row, value ? CStringGetTextDatum(value) : (Datum) 0, value == NULL);
}

void
lwp_row_oid(LwpRow *row, Oid value)
{
	append(row, ObjectIdGetDatum(value), !OidIsValid(value));
}

void
lwp_row_bool(LwpRow *row, bool value)
{
	append(row, BoolGetDatum(value), false);
}

void
lwp_row_int32(LwpRow *row, int32 value)
{
	append(row, Int32GetDatum(value), false);
}

void
lwp_row_int64(LwpRow *row, int64 value)
{
	append(row, Int64GetDatum(value), false);
}

void
lwp_row_double(LwpRow *row, double value)
{
	append(row, Float8GetDatum(value), false);
}

void
lwp_row_ms(LwpRow *row, uint64 ns)
{
	append(row, Float8GetDatum((double) ns / 1e6), false);
}

void
lwp_row_ratio(LwpRow *row, double part, double whole)
{
	if (whole == 0)
		lwp_row_null(row);
	else
		lwp_row_double(row, part / whole);
}

void
lwp_row_timestamptz(LwpRow *row, TimestampTz value)
{
	append(row, TimestampTzGetDatum(value), false);
}
