/*
 * init.c
 *		-i: makes the tables the builtin scripts use.
 *
 * Tables, columns and steps are pgbench's, so that its databases and ours are
 * the same; the "filler" columns are what TPC-B asks for in bytes per row.
 */
#include "init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "mem.h"
#include "message.h"
#include "num.h"
#include "sqlscan.h"

/* account numbers need bigint from here on */
#define BIGINT_SCALE 20000

/* rows per message about progress, and seconds with --quiet */
#define ROWS_PER_MESSAGE    100000
#define SECONDS_PER_MESSAGE 5

#define ALL_TABLES "pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers"

typedef struct Init
{
	const LwpOptions *o;
	PGconn *con;
	LwpStr sql;
} Init;

static void
run(Init *in)
{
	lwp_must_exec(in->con, in->sql.data);
	lwp_str_reset(&in->sql);
}

static void
add_tablespace(Init *in, const char *before, const char *name)
{
	char *quoted;

	if (name == NULL)
		return;
	quoted = PQescapeIdentifier(in->con, name, strlen(name));
	if (quoted == NULL)
		lwp_fatal("%s", PQerrorMessage(in->con));
	lwp_str_addf(&in->sql, "%s %s", before, quoted);
	PQfreemem(quoted);
}

static void
drop_tables(Init *in)
{
	fprintf(stderr, "dropping old tables...\n");
	lwp_must_exec(in->con, "drop table if exists " ALL_TABLES);
}

static void
create_partitions(Init *in)
{
	const LwpOptions *o = in->o;
	int64_t rows = (int64_t) LWP_ACCOUNTS * o->scale;
	int64_t size = (rows + o->partitions - 1) / o->partitions;

	fprintf(stderr, "creating %d partitions...\n", o->partitions);
	for (int p = 1; p <= o->partitions; p++)
	{
		lwp_str_addf(&in->sql,
					 "create%s table pgbench_accounts_%d partition of pgbench_accounts for values ",
					 o->unlogged ? " unlogged" : "", p);
		if (o->partition_method == LWP_PART_HASH)
			lwp_str_addf(&in->sql, "with (modulus %d, remainder %d)", o->partitions, p - 1);
		else
		{
			/* open at both ends: any account number finds a place */
			if (p == 1)
				lwp_str_adds(&in->sql, "from (minvalue) to (");
			else
				lwp_str_addf(&in->sql, "from (%lld) to (", (long long) size * (p - 1) + 1);
			if (p < o->partitions)
				lwp_str_addf(&in->sql, "%lld)", (long long) size * p + 1);
			else
				lwp_str_adds(&in->sql, "maxvalue)");
		}
		lwp_str_addf(&in->sql, " with (fillfactor=%d)", o->fillfactor);
		run(in);
	}
}

static void
create_tables(Init *in)
{
	const LwpOptions *o = in->o;
	const char *aid = o->scale >= BIGINT_SCALE ? "bigint" : "int";
	const struct
	{
		const char *name;
		char *columns;
		bool fillfactor;
		bool partitioned;
	} tables[] = {
		{"pgbench_history",
		 lwp_asprintf("tid int,bid int,aid %s,delta int,mtime timestamp,filler char(22)", aid),
		 false, false},
		{"pgbench_tellers", lwp_strdup("tid int not null,bid int,tbalance int,filler char(84)"),
		 true, false},
		{"pgbench_accounts",
		 lwp_asprintf("aid %s not null,bid int,abalance int,filler char(84)", aid), true, true},
		{"pgbench_branches", lwp_strdup("bid int not null,bbalance int,filler char(88)"), true,
		 false},
	};

	fprintf(stderr, "creating tables...\n");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
	{
		lwp_str_addf(&in->sql, "create%s table %s(%s)", o->unlogged ? " unlogged" : "",
					 tables[i].name, tables[i].columns);
		if (tables[i].partitioned && o->partition_method != LWP_PART_NONE)
			lwp_str_addf(&in->sql, " partition by %s (aid)",
						 lwp_partition_names[o->partition_method]);
		else if (tables[i].fillfactor)
			lwp_str_addf(&in->sql, " with (fillfactor=%d)", o->fillfactor);
		add_tablespace(in, " tablespace", o->tablespace);
		run(in);
		free(tables[i].columns);
	}
	if (o->partition_method != LWP_PART_NONE)
		create_partitions(in);
}

/* ---- client-side data ---- */

/* Messages while a table is being filled. */
typedef struct Fill
{
	const char *table;
	int64_t total;
	int64_t begin;
	int64_t said; /* seconds / SECONDS_PER_MESSAGE of the last message */
	int width;
	char eol;
	bool wordy; /* names the table, as pgbench 16 and later do */
	bool quiet;
} Fill;

static void
report_fill(Fill *f, int64_t done)
{
	double elapsed = (double) (lwp_now() - f->begin) / 1e9;
	double left = elapsed * (double) (f->total - done) / (double) done;
	int64_t slot = (int64_t) (elapsed / SECONDS_PER_MESSAGE);
	LwpStr s;
	int chars;

	if (f->quiet ? (done < f->total && slot == f->said) : done % ROWS_PER_MESSAGE != 0)
		return;
	f->said = slot;
	lwp_str_init(&s);
	lwp_str_addf(&s, "%lld of %lld tuples (%d%%)%s%s done (elapsed %.2f s, remaining %.2f s)",
				 (long long) done, (long long) f->total, (int) (done * 100 / f->total),
				 f->wordy ? " of " : "", f->wordy ? f->table : "", elapsed, left);
	chars = (int) s.len;

	/* a longer line before this one must not shine through */
	if (f->width > chars)
		lwp_str_addf(&s, "%*c", f->width - chars, ' ');
	f->width = chars;
	lwp_str_addc(&s, f->eol);
	fputs(s.data, stderr);
	lwp_str_free(&s);
}

typedef void (*RowMaker)(LwpStr *out, int64_t n);

static void
put_number(LwpStr *out, int64_t v, char behind)
{
	char digits[LWP_INT64_CHARS + 1];
	int n = lwp_format_int64(digits, v);

	digits[n++] = behind;
	lwp_str_add(out, digits, (size_t) n);
}

static void
branch_row(LwpStr *out, int64_t n)
{
	put_number(out, n, '\t');
	lwp_str_add(out, "0\t\\N\n", 5);
}

static void
teller_row(LwpStr *out, int64_t n)
{
	put_number(out, n, '\t');
	put_number(out, (n - 1) / LWP_TELLERS + 1, '\t');
	lwp_str_add(out, "0\t\\N\n", 5);
}

static void
account_row(LwpStr *out, int64_t n)
{
	put_number(out, n, '\t');
	put_number(out, (n - 1) / LWP_ACCOUNTS + 1, '\t');
	lwp_str_add(out, "0\t\n", 3);
}

static void
send_rows(Init *in)
{
	if (PQputCopyData(in->con, in->sql.data, (int) in->sql.len) != 1)
		lwp_fatal("PQputCopyData failed: %s", PQerrorMessage(in->con));
	lwp_str_reset(&in->sql);
}

static void
copy_table(Init *in, const char *table, RowMaker row, int64_t rows, bool freeze)
{
	Fill f = {.table = table,
			  .total = rows,
			  .begin = lwp_now(),
			  .eol = isatty(STDERR_FILENO) ? '\r' : '\n',
			  .wordy = in->o->compat > 15,
			  .quiet = in->o->init_quiet};
	PGresult *res;

	lwp_str_addf(&in->sql, "copy %s from stdin%s", table, freeze ? " with (freeze on)" : "");
	res = PQexec(in->con, in->sql.data);
	lwp_str_reset(&in->sql);
	if (PQresultStatus(res) != PGRES_COPY_IN)
		lwp_fatal("unexpected copy in result: %s", PQerrorMessage(in->con));
	PQclear(res);
	for (int64_t n = 1; n <= rows; n++)
	{
		row(&in->sql, n);
		if (in->sql.len > 60000)
			send_rows(in);
		if (n % 100 == 0 || n == rows)
			report_fill(&f, n);
	}
	send_rows(in);
	if (f.eol != '\n' && f.width > 0)
		fputc('\n', stderr);
	if (PQputCopyEnd(in->con, NULL) != 1)
		lwp_fatal("PQputCopyEnd failed: %s", PQerrorMessage(in->con));
	while ((res = PQgetResult(in->con)) != NULL)
	{
		if (PQresultStatus(res) != PGRES_COMMAND_OK)
			lwp_fatal("copying into %s failed: %s", table, PQerrorMessage(in->con));
		PQclear(res);
	}
}

static void
generate_client_side(Init *in)
{
	const LwpOptions *o = in->o;
	bool freeze = PQserverVersion(in->con) >= 140000;

	/* one transaction: the server need not write WAL for new tables then */
	fprintf(stderr, "generating data (client-side)...\n");
	lwp_must_exec(in->con, "begin");
	lwp_must_exec(in->con, "truncate table " ALL_TABLES);
	copy_table(in, "pgbench_branches", branch_row, (int64_t) LWP_BRANCHES * o->scale, freeze);
	copy_table(in, "pgbench_tellers", teller_row, (int64_t) LWP_TELLERS * o->scale, freeze);
	copy_table(in, "pgbench_accounts", account_row, (int64_t) LWP_ACCOUNTS * o->scale,
			   freeze && o->partitions == 0);
	lwp_must_exec(in->con, "commit");
}

static void
generate_server_side(Init *in)
{
	int scale = in->o->scale;

	fprintf(stderr, "generating data (server-side)...\n");
	lwp_must_exec(in->con, "begin");
	lwp_must_exec(in->con, "truncate table " ALL_TABLES);
	lwp_str_addf(&in->sql,
				 "insert into pgbench_branches(bid,bbalance) "
				 "select b, 0 from generate_series(1, %lld) b",
				 (long long) scale * LWP_BRANCHES);
	run(in);
	lwp_str_addf(&in->sql,
				 "insert into pgbench_tellers(tid,bid,tbalance) "
				 "select t, (t - 1) / %d + 1, 0 from generate_series(1, %lld) t",
				 LWP_TELLERS, (long long) scale * LWP_TELLERS);
	run(in);
	lwp_str_addf(&in->sql,
				 "insert into pgbench_accounts(aid,bid,abalance,filler) "
				 "select a, (a - 1) / %d + 1, 0, '' from generate_series(1, %lld) a",
				 LWP_ACCOUNTS, (long long) scale * LWP_ACCOUNTS);
	run(in);
	lwp_must_exec(in->con, "commit");
}

static void
vacuum(Init *in)
{
	static const char *const tables[] = {"branches", "tellers", "accounts", "history"};

	fprintf(stderr, "vacuuming...\n");
	for (int i = 0; i < 4; i++)
	{
		lwp_str_addf(&in->sql, "vacuum analyze pgbench_%s", tables[i]);
		run(in);
	}
}

static void
create_primary_keys(Init *in)
{
	static const char *const keys[][2] = {
		{"branches", "bid"}, {"tellers", "tid"}, {"accounts", "aid"}};

	fprintf(stderr, "creating primary keys...\n");
	for (int i = 0; i < 3; i++)
	{
		lwp_str_addf(&in->sql, "alter table pgbench_%s add primary key (%s)", keys[i][0],
					 keys[i][1]);
		add_tablespace(in, " using index tablespace", in->o->index_tablespace);
		run(in);
	}
}

static void
create_foreign_keys(Init *in)
{
	static const char *const keys[][3] = {{"tellers", "bid", "branches"},
										  {"accounts", "bid", "branches"},
										  {"history", "bid", "branches"},
										  {"history", "tid", "tellers"},
										  {"history", "aid", "accounts"}};

	fprintf(stderr, "creating foreign keys...\n");
	for (int i = 0; i < 5; i++)
	{
		lwp_str_addf(&in->sql,
					 "alter table pgbench_%s add constraint pgbench_%s_%s_fkey "
					 "foreign key (%s) references pgbench_%s",
					 keys[i][0], keys[i][0], keys[i][1], keys[i][1], keys[i][2]);
		run(in);
	}
}

static const struct
{
	char letter;
	const char *what;
	void (*step)(Init *in);
} steps[] = {
	{'d', "drop tables", drop_tables},
	{'t', "create tables", create_tables},
	{'g', "client-side generate", generate_client_side},
	{'G', "server-side generate", generate_server_side},
	{'v', "vacuum", vacuum},
	{'p', "primary keys", create_primary_keys},
	{'f', "foreign keys", create_foreign_keys},
};

/* the text with every ":scale" replaced */
static char *
with_scale(const char *text, int scale)
{
	LwpStr out;
	const char *at;

	lwp_str_init(&out);
	while ((at = strstr(text, ":scale")) != NULL)
	{
		lwp_str_add(&out, text, (size_t) (at - text));
		lwp_str_addf(&out, "%d", scale);
		text = at + strlen(":scale");
	}
	lwp_str_adds(&out, text);
	return out.data;
}

void
lwp_init_workload(PGconn *con, const LwpBuiltin *b, int factor)
{
	LwpSqlScan scan;
	LwpStr sql;
	LwpScanEnd end;

	fprintf(stderr, "initializing workload %s...\n", b->name);
	lwp_str_init(&sql);
	lwp_sqlscan_init(&scan, b->init);
	do
	{
		end = lwp_sqlscan_next(&scan, &sql);
		if (sql.len > 0)
		{
			char *filled = with_scale(sql.data, factor);

			lwp_must_exec(con, filled);
			free(filled);
		}
		lwp_str_reset(&sql);
	} while (end != LWP_SCAN_EOF);
	lwp_str_free(&sql);
}

static void
init_workloads(LwpOptions *o, PGconn *con)
{
	int64_t begin = lwp_now();

	lwp_must_exec(con, "set client_min_messages = warning");
	for (int i = 0; i < o->nworkloads; i++)
		lwp_init_workload(con, o->workload[i], o->scale);
	fprintf(stderr, "done in %.2f s.\n", (double) (lwp_now() - begin) / 1e9);
}

void
lwp_init_run(LwpOptions *o)
{
	Init in = {.o = o};
	LwpStr summary;
	double total = 0;

	in.con = lwp_connect(&o->conn);
	if (in.con == NULL)
		lwp_fatal("could not create connection for initialization");
	lwp_str_init(&in.sql);
	lwp_str_init(&summary);
	if (o->nworkloads > 0)
		init_workloads(o, in.con);
	else
	{
		for (const char *letter = o->init_steps; *letter; letter++)
			for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			{
				int64_t begin = lwp_now();
				double seconds;

				if (steps[i].letter != *letter)
					continue;
				steps[i].step(&in);
				seconds = (double) (lwp_now() - begin) / 1e9;
				total += seconds;
				lwp_str_addf(&summary, "%s%s %.2f s", summary.len > 0 ? ", " : "", steps[i].what,
							 seconds);
			}
		fprintf(stderr, "done in %.2f s (%s).\n", total, summary.data);
	}
	lwp_str_free(&summary);
	lwp_str_free(&in.sql);
	PQfinish(in.con);
}
