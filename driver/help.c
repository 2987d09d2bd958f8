/*
 * help.c
 *		--help and version texts.
 */
#include <stdio.h>

#include "message.h"
#include "options.h"

#ifndef LWP_PG_VERSION
#error "LWP_PG_VERSION comes from pg_config --version (Makefile)"
#endif
#ifndef LWP_VERSION
#define LWP_VERSION "1.0"
#endif

const char *
lwp_pg_version(void)
{
	return LWP_PG_VERSION;
}

const char *
lwp_version(void)
{
	return LWP_VERSION;
}

static const char init_options[] =
	"\nInitialization options:\n"
	"  -i, --initialize         invokes initialization mode\n"
	"  -I, --init-steps=[dtgGvpf]+ (default \"dtgvp\")\n"
	"                           run selected initialization steps\n"
	"  -F, --fillfactor=NUM     set fill factor\n"
	"  -n, --no-vacuum          do not run VACUUM during initialization\n"
	"  -q, --quiet              quiet logging (one message each 5 seconds)\n"
	"  -s, --scale=NUM          scaling factor\n"
	"  --foreign-keys           create foreign key constraints between tables\n"
	"  --index-tablespace=TABLESPACE\n"
	"                           create indexes in the specified tablespace\n"
	"  --partition-method=(range|hash)\n"
	"                           partition pgbench_accounts with this method (default: range)\n"
	"  --partitions=NUM         partition pgbench_accounts into NUM parts (default: 0)\n"
	"  --tablespace=TABLESPACE  create tables in the specified tablespace\n"
	"  --unlogged-tables        create tables as unlogged tables\n"
	"  -b, --builtin=WORKLOAD   create what this workload needs, nothing else\n";

static const char script_options[] =
	"\nOptions to select what to run:\n"
	"  -b, --builtin=NAME[@W]   add builtin script NAME weighted at W (default: 1)\n"
	"                           (use \"-b list\" to list available scripts)\n"
	"  -f, --file=FILENAME[@W]  add script FILENAME weighted at W (default: 1)\n"
	"  -N, --skip-some-updates  skip updates of pgbench_tellers and pgbench_branches\n"
	"                           (same as \"-b simple-update\")\n"
	"  -S, --select-only        perform SELECT-only transactions\n"
	"                           (same as \"-b select-only\")\n";

static const char run_options[] =
	"\nBenchmarking options:\n"
	"  -c, --client=NUM         number of concurrent database clients (default: 1)\n"
	"  -C, --connect            establish new connection for each transaction\n"
	"  -D, --define=VARNAME=VALUE\n"
	"                           define variable for use by custom script\n"
	"  -j, --jobs=NUM           number of threads (default: 1)\n"
	"  -l, --log                write transaction times to log file\n"
	"  -L, --latency-limit=NUM  count transactions lasting more than NUM ms as late\n"
	"  -M, --protocol=simple|extended|prepared\n"
	"                           protocol for submitting queries (default: simple)\n"
	"  -n, --no-vacuum          do not run VACUUM before tests\n"
	"  -P, --progress=NUM       show thread progress report every NUM seconds\n"
	"  -r, --report-per-command report latencies, failures, and retries per command\n"
	"  -R, --rate=NUM           target rate in transactions per second\n"
	"  -s, --scale=NUM          report this scale factor in output\n"
	"  -t, --transactions=NUM   number of transactions each client runs (default: 10)\n"
	"  -T, --time=NUM           duration of benchmark test in seconds\n"
	"  -v, --vacuum-all         vacuum all four standard tables before tests\n"
	"  --aggregate-interval=NUM aggregate data over NUM seconds\n"
	"  --continue-on-error      continue running after an SQL error\n"
	"  --exit-on-abort          exit when any client is aborted\n"
	"  --failures-detailed      report the failures grouped by basic types\n"
	"  --log-prefix=PREFIX      prefix for transaction time log file\n"
	"                           (default: \"%s\")\n"
	"  --max-tries=NUM          max number of tries to run transaction (default: 1)\n"
	"  --progress-timestamp     use Unix epoch timestamps for progress\n"
	"  --random-seed=SEED       set random seed (\"time\", \"rand\", integer)\n"
	"  --sampling-rate=NUM      fraction of transactions to log (e.g., 0.01 for 1%%)\n"
	"  --show-script=NAME       show builtin script code, then exit\n"
	"  --verbose-errors         print messages of all errors\n";

static const char own_options[] =
	"\nOptions pgbench does not have:\n"
	"  --compat=15..19          pgbench release whose options are meant where they differ\n"
	"  --connect-concurrency=NUM\n"
	"                           connections being made at a time (default: 32)\n"
	"  --connect-retries=NUM    further tries of a connection that fails (default: %d)\n"
	"  --init-sql=FILE          run this SQL in each session after connecting\n"
	"  --init-workload          create what the chosen workloads need before the run\n"
	"  --json=FILE              write everything measured as JSON (\"-\": standard output)\n"
	"  --log-drop               drop log lines rather than wait for a slow disk\n"
	"  --log-merged             one log file for all threads (default of lwbench)\n"
	"  --log-per-thread         one log file per thread (default under the name pgbench)\n"
	"  --min-clients=NUM        run if at least so many clients can connect\n"
	"  --profile[=FILE]         show the server's lock profile of the run (pg_lwprof)\n"
	"  --progress-bar=auto|always|never\n"
	"                           a bar on the terminal while the run goes on\n"
	"  --rate-schedule=SPEC     poisson|constant[,step|ramp,SECONDS:RATE,...]\n"
	"  --reconnect-on-failure   count a lost connection as a failed transaction, go on\n"
	"  --stop-grace=NUM         seconds running transactions get after SIGINT (default: 2)\n"
	"  --sweep-clients=N,N,...  one run for each number of clients, and a scalability fit\n"
	"  --warmup=NUM             seconds to run before measuring (needs -T)\n";

static const char common_options[] =
	"\nCommon options:\n"
	"%s"
	"  -h, --host=HOSTNAME      database server host or socket directory\n"
	"  -p, --port=PORT          database server port number\n"
	"  -U, --username=USERNAME  connect as specified database user\n"
	"  -V, --version            output version information, then exit\n"
	"  -?, --help               show this help, then exit\n"
	"\n"
	"Report bugs to <%s>.\n";

void
lwp_print_help(const LwpOptions *o)
{
	printf("%s is a benchmarking tool for PostgreSQL.\n\nUsage:\n  %s [OPTION]... [DBNAME]\n",
		   lwp_progname, lwp_progname);
	fputs(init_options, stdout);
	fputs(script_options, stdout);
	printf(run_options, o->as_pgbench ? "pgbench_log" : "lwbench_log");
	printf(own_options, o->connect_retries);
	printf(common_options,
		   o->compat >= 18 ? "  --debug                  print debugging output\n"
							 "  -d, --dbname=DBNAME      database name to connect to\n"
						   : "  -d, --debug              print debugging output\n"
							 "  --dbname=DBNAME          database name to connect to\n",
		   "the pg_lwprof project");
}
