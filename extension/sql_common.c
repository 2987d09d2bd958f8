/*
 * sql_common.c
 *		Columns that several SQL functions have; see sql_common.h.
 */
#include "compat.h"

#include "common/relpath.h"

#include "details.h"
#include "instance.h"
#include "mode.h"
#include "names.h"
#include "places.h"
#include "sql_common.h"

#include "../sampler/keys.h"

void
lwp_put_lock(LwpRow *row, int tranche)
{
	const char *wait_event = lwp_name_tranche((uint32) tranche);

	lwp_row_text(row, wait_event);
	lwp_row_text(row, lwp_name_classic(wait_event));
}

void
lwp_put_instance(LwpRow *row, const LwpSummaryKey *key)
{
	LwpInstanceKind kind = lwp_instance_kind(key);

	if (kind == LWP_INSTANCE_BUFFER)
	{
		LwpPage page = lwp_instance_page(key);

		lwp_row_text(row, "page");
		lwp_row_null(row);
		lwp_row_datum(row, ObjectIdGetDatum(page.database)); /* 0: a shared relation */
		lwp_row_oid(row, page.tablespace);
		lwp_row_oid(row, page.relfilenode);
		lwp_row_text(row, page.fork >= 0 && page.fork <= MAX_FORKNUM ? forkNames[page.fork] : NULL);
		lwp_row_int64(row, (int64) page.block);
		lwp_row_null(row);
	}
	else if (kind == LWP_INSTANCE_ADDRESS)
	{
		uintptr_t addr = lwp_instance_address(key);
		LwpPlace place = lwp_place_of(addr, lwp_instance_tranche(key));

		lwp_row_text(row, lwp_place_kind_name(place.kind));
		if (place.number < 0)
			lwp_row_null(row);
		else
			lwp_row_int32(row, place.number);
		for (int i = 0; i < 5; i++)
			lwp_row_null(row);
		lwp_row_text(row, psprintf("0x%zx", (Size) addr));
	}
	else
	{
		for (int i = 0; i < 8; i++)
			lwp_row_null(row);
	}
}

void
lwp_put_event(LwpRow *row, uint32 wait_event_info, int tranche)
{
	if ((wait_event_info & 0xFF000000U) == PG_WAIT_LWLOCK)
	{
		lwp_row_text(row, "LWLock");
		lwp_row_text(row, tranche == LWP_NO_TRANCHE ? pgstat_get_wait_event(wait_event_info)
													: lwp_name_tranche((uint32) tranche));
	}
	else if (wait_event_info == 0)
	{
		lwp_row_text(row, "CPU");
		lwp_row_null(row);
	}
	else
	{
		lwp_row_text(row, pgstat_get_wait_event_type(wait_event_info));
		lwp_row_text(row, pgstat_get_wait_event(wait_event_info));
	}
}

void
lwp_put_query(LwpRow *row, uint64 query)
{
	if (query == 0)
		lwp_row_null(row);
	else
		lwp_row_int64(row, (int64) query);
}

void
lwp_put_histogram(LwpRow *row, int tranche, int mode, const uint64 *count)
{
	for (int b = 0; b < LWP_HIST_BUCKETS; b++)
	{
		if (count[b] == 0)
			continue;
		lwp_put_lock(row, tranche);
		lwp_row_text(row, lwp_name_mode(mode));
		lwp_row_int32(row, b);
		lwp_row_ms(row, lwp_hist_lower(b));
		if (b + 1 < LWP_HIST_BUCKETS)
			lwp_row_ms(row, lwp_hist_lower(b + 1));
		else
			lwp_row_null(row);
		lwp_row_int64(row, (int64) count[b]);
		lwp_row_put(row);
	}
}

void
lwp_put_exact(LwpRow *row, uint64 value)
{
	if (lwp_mode_is_detour())
		lwp_row_int64(row, (int64) value);
	else
		lwp_row_null(row);
}
