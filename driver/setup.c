/*
 * setup.c
 *		What happens on one connection before a run.
 */
#include "setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "message.h"

static void
print_versions(const LwpOptions *o, PGconn *con)
{
	const char *server = PQparameterStatus(con, "server_version");

	if (server == NULL)
		server = "unknown";
	if (!o->as_pgbench)
		printf("lwbench (%s, libpq %s, server %s)\n", lwp_version(), lwp_pg_version(), server);
	else if (PQserverVersion(con) != PQlibVersion())
		printf("pgbench (%s, server %s)\n", lwp_pg_version(), server);
	else
		printf("pgbench (%s)\n", lwp_pg_version());
	fflush(stdout);
}

static _Noreturn void
need_init(PGconn *con)
{
	lwp_hint("Perhaps you need to do initialization (\"%s -i\") in database \"%s\".", lwp_progname,
			 PQdb(con));
	exit(1);
}

/* the scale factor is the number of branches */
static void
find_scale(LwpOptions *o, PGconn *con)
{
	PGresult *res = PQexec(con, "select count(*) from pgbench_branches");

	if (PQresultStatus(res) != PGRES_TUPLES_OK)
	{
		const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);

		lwp_error("could not count number of branches: %s", PQerrorMessage(con));
		if (state != NULL && strcmp(state, "42P01") == 0)
			need_init(con);
		exit(1);
	}
	o->scale = atoi(PQgetvalue(res, 0, 0));
	if (o->scale < 0)
		lwp_fatal("invalid count(*) from pgbench_branches: \"%s\"", PQgetvalue(res, 0, 0));
	PQclear(res);
	if (o->scale_given)
		lwp_warning("scale option ignored, using count from pgbench_branches table (%d)", o->scale);
}

/* strategy and number of partitions of the first pgbench_accounts in the search path */
static void
find_partitions(LwpOptions *o, PGconn *con)
{
	PGresult *res = PQexec(
		con, "with first as (select c.oid from pg_catalog.pg_class c "
			 "join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
			 "where c.relname = 'pgbench_accounts' "
			 "and n.nspname = any (pg_catalog.current_schemas(true)) "
			 "order by pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname) "
			 "limit 1) "
			 "select (select partstrat from pg_catalog.pg_partitioned_table p "
			 "where p.partrelid = first.oid), (select pg_catalog.count(*) "
			 "from pg_catalog.pg_inherits i where i.inhparent = first.oid) from first");

	o->partition_method = LWP_PART_NONE;
	o->partitions = 0;

	/* a server too old to know partitions has none */
	if (PQresultStatus(res) != PGRES_TUPLES_OK)
	{
		PQclear(res);
		return;
	}
	if (PQntuples(res) == 0)
	{
		lwp_error("no pgbench_accounts table found in search_path");
		need_init(con);
	}
	if (!PQgetisnull(res, 0, 0))
	{
		const char *strategy = PQgetvalue(res, 0, 0);

		if (strcmp(strategy, "r") == 0)
			o->partition_method = LWP_PART_RANGE;
		else if (strcmp(strategy, "h") == 0)
			o->partition_method = LWP_PART_HASH;
		else
			lwp_fatal("unexpected partition method: \"%s\"", strategy);
	}
	o->partitions = atoi(PQgetvalue(res, 0, 1));
	PQclear(res);
}

static void
vacuum(const LwpOptions *o, PGconn *con)
{
	fprintf(stderr, "starting vacuum...");
	lwp_try_exec(con, "vacuum pgbench_branches");
	lwp_try_exec(con, "vacuum pgbench_tellers");
	lwp_try_exec(con, "truncate pgbench_history");
	fprintf(stderr, "end.\n");
	if (o->vacuum_all)
	{
		fprintf(stderr, "starting vacuum pgbench_accounts...");
		lwp_try_exec(con, "vacuum analyze pgbench_accounts");
		fprintf(stderr, "end.\n");
	}
}

void
lwp_setup(LwpOptions *o)
{
	PGconn *con = lwp_connect(&o->conn);

	if (con == NULL)
		lwp_fatal("could not create connection for setup");
	print_versions(o, con);
	lwp_debug("pghost: %s pgport: %s nclients: %d %s: %lld dbName: %s", PQhost(con), PQport(con),
			  o->nclients, o->duration <= 0 ? "nxacts" : "duration",
			  o->duration <= 0 ? (long long) o->transactions : (long long) o->duration, PQdb(con));
	if (o->standard_script)
	{
		find_scale(o, con);
		find_partitions(o, con);
	}
	if (o->init_workload)
		for (int i = 0; i < o->nworkloads; i++)
			lwp_init_workload(con, o->workload[i], o->scale);

	/* workloads that stress a lock do without the standard tables */
	if (!o->no_vacuum && o->nworkloads < o->nscripts)
		vacuum(o, con);
	PQfinish(con);
}
