/*
 * sql_attribution.c
 *		SQL functions over the sampler's tables: holders, chains, queries, waits,
 *		samples.
 */
#include "compat.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/queryjumble.h"

#include "names.h"
#include "row.h"
#include "shmem.h"
#include "sql_common.h"

#include "../sampler/observe.h"
#include "../sampler/samples.h"
#include "../sampler/shared.h"

PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_holders_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_chains_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_queries_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_waits_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_samples_1_0);
PGDLLEXPORT PG_FUNCTION_INFO_V1(pg_lwprof_statements_1_0);

static int
read_table(LwpTableId id, LwpTableEntry **entries)
{
	return lwp_table_read(lwp_tables[id], lwp_reset_epoch(), entries);
}

Datum
pg_lwprof_holders_1_0(PG_FUNCTION_ARGS)
{
	LwpTableEntry *entries;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = read_table(LWP_TABLE_HOLDERS, &entries);
	for (int i = 0; i < n; i++)
	{
		const LwpKey *key = &entries[i].key;
		int mode = lwp_holders_mode(key);

		lwp_put_lock(&row, lwp_holders_tranche(key));
		if (lwp_key_is_rest(key) || mode == LWP_HOLDER_NONE)
		{
			for (int k = 0; k < 2; k++)
				lwp_row_null(&row);
			lwp_row_text(&row, lwp_key_is_rest(key) ? "others" : "none");
			for (int k = 0; k < 2; k++)
				lwp_row_null(&row);
		}
		else
		{
			lwp_row_text(&row, lwp_name_mode(mode));
			lwp_row_text(&row, lwp_name_backend_type(lwp_holders_backend_type(key)));
			lwp_put_event(&row, lwp_holders_event(key), lwp_holders_holder_tranche(key));
			lwp_put_query(&row, lwp_holders_query(key));
		}
		lwp_row_ms(&row, entries[i].time);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

/* "WALWrite <- WALInsert": the lock waited for, then what its holder waits for, and so on. */
static char *
chain_text(const LwpChain *chain)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < chain->n; i++)
	{
		const char *lock = lwp_name_tranche((uint32) chain->tranche[i]);

		appendStringInfo(&text, "%s%s", i > 0 ? " <- " : "", lock ? lock : "?");
	}
	return text.data;
}

static const char *
chain_end(LwpChainEnd end)
{
	switch (end)
	{
		case LWP_CHAIN_ROOT:
			return "root";
		case LWP_CHAIN_NO_HOLDER:
			return "none";
		case LWP_CHAIN_CUT:
			return "cut";
		case LWP_CHAIN_CYCLE:
			return "cycle";
	}
	return NULL;
}

Datum
pg_lwprof_chains_1_0(PG_FUNCTION_ARGS)
{
	LwpTableEntry *entries;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = read_table(LWP_TABLE_CHAINS, &entries);
	for (int i = 0; i < n; i++)
	{
		LwpChain chain = lwp_chains_unpack(&entries[i].key);
		bool rest = lwp_key_is_rest(&entries[i].key);

		lwp_put_lock(&row, chain.tranche[0]);
		lwp_row_text(&row, chain_text(&chain));
		lwp_row_int32(&row, chain.n);
		lwp_row_text(&row, rest ? "others" : chain_end(chain.end));
		if (rest || chain.end == LWP_CHAIN_NO_HOLDER)
		{
			for (int k = 0; k < 4; k++)
				lwp_row_null(&row);
		}
		else
		{
			lwp_put_event(&row, chain.root_event, LWP_NO_TRANCHE);
			lwp_row_text(&row, lwp_name_backend_type(chain.root_backend_type));
			lwp_put_query(&row, chain.root_query);
		}
		lwp_row_ms(&row, entries[i].time);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

Datum
pg_lwprof_queries_1_0(PG_FUNCTION_ARGS)
{
	LwpTableEntry *entries;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	if (!IsQueryIdEnabled())
		ereport(NOTICE,
				(errmsg("query identifiers are not computed, so queries are not told apart"),
				 errhint("Set \"compute_query_id\" to \"on\".")));
	n = read_table(LWP_TABLE_QUERIES, &entries);
	for (int i = 0; i < n; i++)
	{
		const LwpKey *key = &entries[i].key;
		bool rest = lwp_key_is_rest(key);
		int tranche = lwp_queries_tranche(key);

		lwp_row_text(&row, tranche == LWP_NO_TRANCHE ? "active" : "waiting");
		if (tranche == LWP_NO_TRANCHE)
		{
			lwp_row_null(&row);
			lwp_row_null(&row);
		}
		else
			lwp_put_lock(&row, tranche);
		lwp_row_text(&row, lwp_name_backend_type(lwp_queries_backend_type(key)));
		lwp_row_bool(&row, rest);
		lwp_put_query(&row, rest ? 0 : lwp_queries_query(key));
		lwp_row_text(&row, rest ? NULL : lwp_command_name(lwp_queries_command(key)));
		lwp_row_oid(&row, rest ? InvalidOid : lwp_queries_database(key));
		lwp_row_oid(&row, rest ? InvalidOid : lwp_queries_user(key));
		lwp_row_ms(&row, entries[i].time);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

Datum
pg_lwprof_waits_1_0(PG_FUNCTION_ARGS)
{
	LwpTableEntry *entries;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = read_table(LWP_TABLE_WAITS, &entries);
	for (int i = 0; i < n; i++)
	{
		const LwpKey *key = &entries[i].key;

		lwp_row_text(&row, lwp_name_backend_type(lwp_waits_backend_type(key)));
		lwp_put_event(&row, lwp_waits_event(key), lwp_waits_tranche(key));
		lwp_row_ms(&row, entries[i].time);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

Datum
pg_lwprof_samples_1_0(PG_FUNCTION_ARGS)
{
	LwpSample *samples;
	uint64 overwritten;
	void *records;
	LwpRow row;
	int n;

	lwp_row_begin(&row, fcinfo);
	n = lwp_ring_read(lwp_samples, lwp_reset_epoch(), &records, &overwritten);
	samples = records;
	for (int i = 0; i < n; i++)
	{
		const LwpSample *s = &samples[i];

		lwp_row_timestamptz(&row, s->at);
		lwp_row_int32(&row, s->pid);
		lwp_row_text(&row, lwp_name_backend_type(s->backend_type));
		lwp_put_lock(&row, s->tranche);
		lwp_row_text(&row, lwp_name_mode(s->mode));
		lwp_put_instance(&row, &s->instance);
		if (s->holder_pid != 0)
			lwp_row_int32(&row, s->holder_pid);
		else
			lwp_row_null(&row);
		lwp_put_query(&row, s->query);
		lwp_row_oid(&row, s->database);
		lwp_row_oid(&row, s->user);
		if (s->waited != 0)
			lwp_row_ms(&row, s->waited);
		else
			lwp_row_null(&row);
		lwp_row_ms(&row, s->weight);
		lwp_row_put(&row);
	}
	return (Datum) 0;
}

/*
 * Query texts from pg_stat_statements, if that is installed in this database
 * and loaded; else nothing.
 */
Datum
pg_lwprof_statements_1_0(PG_FUNCTION_ARGS)
{
	static const char *const find = "SELECT n.nspname FROM pg_catalog.pg_extension e "
									"JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace "
									"WHERE e.extname = 'pg_stat_statements'";
	LwpRow row;

	lwp_row_begin(&row, fcinfo);
	if (GetConfigOption("pg_stat_statements.max", true, false) == NULL)
		return (Datum) 0;
	SPI_connect();
	if (SPI_execute(find, true, 1) == SPI_OK_SELECT && SPI_processed == 1)
	{
		char *schema = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
		char *read = psprintf("SELECT queryid, userid, dbid, query FROM %s.pg_stat_statements "
							  "WHERE toplevel AND queryid IS NOT NULL",
							  quote_identifier(schema));

		if (SPI_execute(read, true, 0) == SPI_OK_SELECT)
		{
			for (uint64 i = 0; i < SPI_processed; i++)
			{
				for (int column = 1; column <= 4; column++)
				{
					bool isnull;
					Datum value = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
												column, &isnull);

					if (isnull)
						lwp_row_null(&row);
					else
						lwp_row_datum(&row, value);
				}
				lwp_row_put(&row);
			}
		}
	}
	SPI_finish();
	return (Datum) 0;
}
