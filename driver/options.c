/*
 * options.c
 *		Reads the command line.
 *
 * Options act in the order they are given, as in pgbench: the first mistake is
 * the one that is reported.  What can only be judged with all options known
 * is checked in optcheck.c.
 */
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "clock.h"
#include "fdlimit.h"
#include "mem.h"
#include "message.h"
#include "num.h"
#include "optcheck.h"

const char *const lwp_partition_names[3] = {"none", "range", "hash"};

enum
{
	OPT_UNLOGGED = 256,
	OPT_TABLESPACE,
	OPT_INDEX_TABLESPACE,
	OPT_SAMPLING_RATE,
	OPT_AGGREGATE_INTERVAL,
	OPT_PROGRESS_TIMESTAMP,
	OPT_LOG_PREFIX,
	OPT_FOREIGN_KEYS,
	OPT_RANDOM_SEED,
	OPT_SHOW_SCRIPT,
	OPT_PARTITIONS,
	OPT_PARTITION_METHOD,
	OPT_FAILURES_DETAILED,
	OPT_MAX_TRIES,
	OPT_VERBOSE_ERRORS,
	OPT_EXIT_ON_ABORT,
	OPT_CONTINUE_ON_ERROR,
	OPT_DEBUG,
	OPT_DBNAME,
	OPT_COMPAT,
	OPT_CONNECT_CONCURRENCY,
	OPT_CONNECT_RETRIES,
	OPT_MIN_CLIENTS,
	OPT_RATE_SCHEDULE,
	OPT_LOG_PER_THREAD,
	OPT_LOG_MERGED,
	OPT_LOG_DROP,
	OPT_RECONNECT,
	OPT_JSON,
	OPT_INIT_SQL,
	OPT_INIT_WORKLOAD,
	OPT_SWEEP,
	OPT_WARMUP,
	OPT_PROFILE,
	OPT_BAR,
	OPT_STOP_GRACE
};

static const struct option long_options[] = {
	{"builtin", required_argument, NULL, 'b'},
	{"client", required_argument, NULL, 'c'},
	{"connect", no_argument, NULL, 'C'},
	{"dbname", required_argument, NULL, OPT_DBNAME},
	{"debug", no_argument, NULL, OPT_DEBUG},
	{"define", required_argument, NULL, 'D'},
	{"file", required_argument, NULL, 'f'},
	{"fillfactor", required_argument, NULL, 'F'},
	{"help", no_argument, NULL, '?'},
	{"host", required_argument, NULL, 'h'},
	{"initialize", no_argument, NULL, 'i'},
	{"init-steps", required_argument, NULL, 'I'},
	{"jobs", required_argument, NULL, 'j'},
	{"log", no_argument, NULL, 'l'},
	{"latency-limit", required_argument, NULL, 'L'},
	{"no-vacuum", no_argument, NULL, 'n'},
	{"port", required_argument, NULL, 'p'},
	{"progress", required_argument, NULL, 'P'},
	{"protocol", required_argument, NULL, 'M'},
	{"quiet", no_argument, NULL, 'q'},
	{"report-per-command", no_argument, NULL, 'r'},
	{"rate", required_argument, NULL, 'R'},
	{"scale", required_argument, NULL, 's'},
	{"select-only", no_argument, NULL, 'S'},
	{"skip-some-updates", no_argument, NULL, 'N'},
	{"time", required_argument, NULL, 'T'},
	{"transactions", required_argument, NULL, 't'},
	{"username", required_argument, NULL, 'U'},
	{"vacuum-all", no_argument, NULL, 'v'},
	{"unlogged-tables", no_argument, NULL, OPT_UNLOGGED},
	{"tablespace", required_argument, NULL, OPT_TABLESPACE},
	{"index-tablespace", required_argument, NULL, OPT_INDEX_TABLESPACE},
	{"sampling-rate", required_argument, NULL, OPT_SAMPLING_RATE},
	{"aggregate-interval", required_argument, NULL, OPT_AGGREGATE_INTERVAL},
	{"progress-timestamp", no_argument, NULL, OPT_PROGRESS_TIMESTAMP},
	{"log-prefix", required_argument, NULL, OPT_LOG_PREFIX},
	{"foreign-keys", no_argument, NULL, OPT_FOREIGN_KEYS},
	{"random-seed", required_argument, NULL, OPT_RANDOM_SEED},
	{"show-script", required_argument, NULL, OPT_SHOW_SCRIPT},
	{"partitions", required_argument, NULL, OPT_PARTITIONS},
	{"partition-method", required_argument, NULL, OPT_PARTITION_METHOD},
	{"failures-detailed", no_argument, NULL, OPT_FAILURES_DETAILED},
	{"max-tries", required_argument, NULL, OPT_MAX_TRIES},
	{"verbose-errors", no_argument, NULL, OPT_VERBOSE_ERRORS},
	{"exit-on-abort", no_argument, NULL, OPT_EXIT_ON_ABORT},
	{"continue-on-error", no_argument, NULL, OPT_CONTINUE_ON_ERROR},
	/* lwbench's own */
	{"compat", required_argument, NULL, OPT_COMPAT},
	{"connect-concurrency", required_argument, NULL, OPT_CONNECT_CONCURRENCY},
	{"connect-retries", required_argument, NULL, OPT_CONNECT_RETRIES},
	{"min-clients", required_argument, NULL, OPT_MIN_CLIENTS},
	{"rate-schedule", required_argument, NULL, OPT_RATE_SCHEDULE},
	{"log-per-thread", no_argument, NULL, OPT_LOG_PER_THREAD},
	{"log-merged", no_argument, NULL, OPT_LOG_MERGED},
	{"log-drop", no_argument, NULL, OPT_LOG_DROP},
	{"reconnect-on-failure", no_argument, NULL, OPT_RECONNECT},
	{"json", required_argument, NULL, OPT_JSON},
	{"init-sql", required_argument, NULL, OPT_INIT_SQL},
	{"init-workload", no_argument, NULL, OPT_INIT_WORKLOAD},
	{"sweep-clients", required_argument, NULL, OPT_SWEEP},
	{"warmup", required_argument, NULL, OPT_WARMUP},
	{"profile", optional_argument, NULL, OPT_PROFILE},
	{"progress-bar", required_argument, NULL, OPT_BAR},
	{"stop-grace", required_argument, NULL, OPT_STOP_GRACE},
	{NULL, 0, NULL, 0}};

static int
parse_int(const char *text, const char *option, int64_t low, int64_t high)
{
	int64_t v = 0;
	LwpNumResult r = lwp_parse_int64(text, &v);

	if (r == LWP_NUM_SYNTAX)
		lwp_fatal("invalid value \"%s\" for option %s", text, option);
	if (r == LWP_NUM_RANGE || v < low || v > high)
		lwp_fatal("%s must be in range %lld..%lld", option, (long long) low, (long long) high);
	return (int) v;
}

/* a finite number above zero and at most max, or the given complaint */
static double
parse_positive(const char *text, const char *what, double max)
{
	double v = 0;

	if (lwp_parse_double(text, &v) != LWP_NUM_OK || !isfinite(v) || v <= 0.0 || v > max)
		lwp_fatal("invalid %s: \"%s\"", what, text);
	return v;
}

static double
parse_seconds(const char *text, const char *option)
{
	double v = 0;

	if (lwp_parse_double(text, &v) != LWP_NUM_OK || !isfinite(v) || v < 0 || v > INT_MAX)
		lwp_fatal("invalid value \"%s\" for option %s", text, option);
	return v;
}

static void
add_script(LwpOptions *o, LwpScript *s)
{
	if (s == NULL)
		exit(1);
	if (o->nscripts >= LWP_MAX_SCRIPTS)
		lwp_fatal("at most %d SQL scripts are allowed", LWP_MAX_SCRIPTS);
	o->script[o->nscripts++] = s;
	o->total_weight += s->weight;
}

static void
add_builtin(LwpOptions *o, const char *name, int weight)
{
	const LwpBuiltin *b = lwp_builtin_find(name);
	LwpScript *s;

	if (b == NULL)
		exit(1);
	s = lwp_script_parse(b->script, b->desc, weight, &o->names);
	if (s != NULL && lwp_builtin_is_standard(b))
	{
		s->internal = true;
		o->standard_script = true;
	}
	else if (s != NULL && o->nworkloads < LWP_MAX_SCRIPTS)
		o->workload[o->nworkloads++] = b;
	add_script(o, s);
}

/* cuts "@weight" off; 1 without one */
static int
cut_weight(char *spec)
{
	char *at = strrchr(spec, '@');
	char *end;
	long w;

	if (at == NULL)
		return 1;
	errno = 0;
	w = strtol(at + 1, &end, 10);
	if (errno != 0 || end == at + 1 || *end != '\0')
		lwp_fatal("invalid weight specification: %s", at);
	if (w < 0 || w > INT_MAX)
		lwp_fatal("weight specification out of range (0 .. %d): %ld", INT_MAX, w);
	*at = '\0';
	return (int) w;
}

static void
add_weighted(LwpOptions *o, const char *spec, bool file)
{
	char *name = lwp_strdup(spec);
	int weight = cut_weight(name);

	if (file)
	{
		char *text = lwp_read_file(name);

		if (text == NULL)
			exit(1);
		add_script(o, lwp_script_parse(text, name, weight, &o->names));
		free(text);
	}
	else
		add_builtin(o, name, weight);
	free(name);
}

static void
add_define(LwpOptions *o, const char *spec)
{
	const char *eq = strchr(spec, '=');
	char *name;

	if (eq == NULL || eq == spec || eq[1] == '\0')
		lwp_fatal("invalid variable definition: \"%s\"", spec);
	name = lwp_strndup(spec, (size_t) (eq - spec));
	if (!lwp_name_valid(name))
		lwp_fatal("option: invalid variable name: \"%s\"", name);
	o->define = lwp_realloc(o->define, sizeof(*o->define) * (size_t) (o->ndefines + 1));
	o->define[o->ndefines].slot = lwp_names_intern(&o->names, name);
	o->define[o->ndefines++].value = lwp_strdup(eq + 1);
	free(name);
}

static void
set_seed(LwpOptions *o, const char *text, const char *where)
{
	if (text == NULL || strcmp(text, "time") == 0)
		o->seed = (uint64_t) lwp_clock_ns(CLOCK_REALTIME) / 1000;
	else if (strcmp(text, "rand") == 0)
	{
		if (getrandom(&o->seed, sizeof(o->seed), 0) != (ssize_t) sizeof(o->seed))
		{
			lwp_error("could not generate random seed");
			lwp_fatal("error while setting random seed from %s", where);
		}
	}
	else
	{
		char *end;

		errno = 0;
		o->seed = strtoull(text, &end, 10);
		if (errno != 0 || end == text || *end != '\0')
		{
			lwp_error("unrecognized random seed option \"%s\"", text);
			lwp_detail("Expecting an unsigned integer, \"time\" or \"rand\".");
			lwp_fatal("error while setting random seed from %s", where);
		}
	}
	if (text != NULL)
	{
		lwp_info("setting random seed to %llu", (unsigned long long) o->seed);
		o->seed_given = true;
	}
}

static void
check_init_steps(const char *steps)
{
	if (*steps == '\0')
		lwp_fatal("no initialization steps specified");
	for (const char *s = steps; *s; s++)
		if (strchr("dtgGvpf ", *s) == NULL)
		{
			lwp_error("unrecognized initialization step \"%c\"", *s);
			lwp_detail("Allowed step characters are: \"dtgGvpf\".");
			exit(1);
		}
}

static void
parse_sweep(LwpOptions *o, const char *text)
{
	char *copy = lwp_strdup(text);
	char *rest = copy;
	char *word;

	o->nsweep = 0;
	while ((word = strsep(&rest, ",")) != NULL)
	{
		o->sweep = lwp_realloc(o->sweep, sizeof(int) * (size_t) (o->nsweep + 1));
		o->sweep[o->nsweep++] = parse_int(word, "--sweep-clients", 1, INT_MAX);
	}
	free(copy);
}

static void
show_script(const char *name)
{
	const LwpBuiltin *b = lwp_builtin_find(name);

	if (b == NULL)
		exit(1);
	fprintf(stderr, "-- %s: %s\n%s\n", b->name, b->desc, b->script);
	exit(0);
}

/* options of -i and options of a run exclude each other */
typedef struct Seen
{
	bool init_only;
	bool run_only;
	bool nonworkload_script;
} Seen;

static bool
take_init_option(LwpOptions *o, Seen *seen, int c)
{
	switch (c)
	{
		case 'I':
			free(o->init_steps);
			o->init_steps = lwp_strdup(optarg);
			check_init_steps(o->init_steps);
			break;
		case 'q':
			o->init_quiet = true;
			break;
		case 'F':
			o->fillfactor = parse_int(optarg, "-F/--fillfactor", 10, 100);
			break;
		case OPT_UNLOGGED:
			o->unlogged = true;
			break;
		case OPT_TABLESPACE:
			o->tablespace = optarg;
			break;
		case OPT_INDEX_TABLESPACE:
			o->index_tablespace = optarg;
			break;
		case OPT_FOREIGN_KEYS:
			o->foreign_keys = true;
			break;
		case OPT_PARTITIONS:
			o->partitions = parse_int(optarg, "--partitions", 0, INT_MAX);
			break;
		case OPT_PARTITION_METHOD:
			if (strcasecmp(optarg, "range") == 0)
				o->partition_method = LWP_PART_RANGE;
			else if (strcasecmp(optarg, "hash") == 0)
				o->partition_method = LWP_PART_HASH;
			else
				lwp_fatal("invalid partition method, expecting \"range\" or \"hash\", got: \"%s\"",
						  optarg);
			break;
		default:
			return false;
	}
	seen->init_only = true;
	return true;
}

static bool
take_common_option(LwpOptions *o, int c)
{
	switch (c)
	{
		case 'i':
			o->init = true;
			return true;
		case 'h':
			o->conn.host = optarg;
			return true;
		case 'p':
			o->conn.port = optarg;
			return true;
		case 'U':
			o->conn.user = optarg;
			return true;
		case 'n':
			o->no_vacuum = true;
			return true;
		case 's':
			o->scale_given = true;
			o->scale = parse_int(optarg, "-s/--scale", 1, INT_MAX);
			return true;
		case 'd':
			if (o->compat >= 18)
				o->conn.dbname = optarg;
			else
				lwp_debug_on = true;
			return true;
		case OPT_DBNAME:
			o->conn.dbname = optarg;
			return true;
		case OPT_DEBUG:
			lwp_debug_on = true;
			return true;
		case OPT_COMPAT:
			return true;
		default:
			return false;
	}
}

static bool
take_script_option(LwpOptions *o, Seen *seen, int c)
{
	int before = o->nworkloads;

	switch (c)
	{
		case 'b':
			if (strcmp(optarg, "list") == 0)
			{
				lwp_builtin_list();
				exit(0);
			}
			add_weighted(o, optarg, false);
			break;
		case 'S':
			add_builtin(o, "select-only", 1);
			break;
		case 'N':
			add_builtin(o, "simple-update", 1);
			break;
		case 'f':
			add_weighted(o, optarg, true);
			break;
		case OPT_SHOW_SCRIPT:
			show_script(optarg);
			break;
		default:
			return false;
	}
	/* "-i -b workload" initialises that workload */
	if (o->nworkloads == before)
		seen->run_only = seen->nonworkload_script = true;
	return true;
}

/* variables in text that is filled in while threads run must be known before */
static void
intern_names(LwpOptions *o, const char *text)
{
	int n;

	free(lwp_split_pieces(text, &o->names, &n));
}

static bool
take_connect_option(LwpOptions *o, int c)
{
	switch (c)
	{
		case OPT_CONNECT_CONCURRENCY:
			o->connect_concurrency = parse_int(optarg, "--connect-concurrency", 1, INT_MAX);
			return true;
		case OPT_CONNECT_RETRIES:
			o->connect_retries = parse_int(optarg, "--connect-retries", 0, INT_MAX);
			return true;
		case OPT_MIN_CLIENTS:
			o->min_clients = parse_int(optarg, "--min-clients", 1, INT_MAX);
			return true;
		case OPT_RECONNECT:
			o->reconnect = true;
			return true;
		case OPT_STOP_GRACE:
			o->stop_grace = parse_seconds(optarg, "--stop-grace");
			return true;
		case OPT_INIT_SQL:
			free(o->init_sql);
			o->init_sql = lwp_read_file(optarg);
			if (o->init_sql == NULL)
				exit(1);
			intern_names(o, o->init_sql);
			return true;
		case OPT_INIT_WORKLOAD:
			o->init_workload = true;
			return true;
		default:
			return false;
	}
}

static bool
take_output_option(LwpOptions *o, int c)
{
	switch (c)
	{
		case 'l':
			o->use_log = true;
			return true;
		case 'P':
			o->progress = parse_int(optarg, "-P/--progress", 1, INT_MAX);
			return true;
		case 'r':
			o->per_command = true;
			return true;
		case OPT_SAMPLING_RATE:
			o->sampling_rate = parse_positive(optarg, "sampling rate", 1.0);
			return true;
		case OPT_AGGREGATE_INTERVAL:
			o->agg_interval = parse_int(optarg, "--aggregate-interval", 1, INT_MAX);
			return true;
		case OPT_PROGRESS_TIMESTAMP:
			o->progress_timestamp = true;
			return true;
		case OPT_LOG_PREFIX:
			o->log_prefix = optarg;
			return true;
		case OPT_LOG_PER_THREAD:
			o->log_per_thread = true;
			return true;
		case OPT_LOG_MERGED:
			o->log_per_thread = false;
			return true;
		case OPT_LOG_DROP:
			o->log_drop = true;
			return true;
		case OPT_JSON:
			o->json_path = optarg;
			return true;
		case OPT_PROFILE:
			o->profile = true;
			o->profile_path = optarg;
			return true;
		case OPT_BAR:
			if (strcmp(optarg, "auto") == 0)
				o->bar = LWP_BAR_AUTO;
			else if (strcmp(optarg, "always") == 0)
				o->bar = LWP_BAR_ALWAYS;
			else if (strcmp(optarg, "never") == 0)
				o->bar = LWP_BAR_NEVER;
			else
				lwp_fatal("invalid value \"%s\" for option --progress-bar", optarg);
			return true;
		default:
			return false;
	}
}

static void
take_clients(LwpOptions *o)
{
	o->nclients = parse_int(optarg, "-c/--clients", 1, INT_MAX);
	if (!lwp_limits_allow(o->nclients))
		exit(1);
}

static void
take_schedule(LwpOptions *o, int c)
{
	const char *why;

	if (c == 'R')
	{
		bool constant = o->schedule.constant;

		lwp_schedule_set_rate(&o->schedule, parse_positive(optarg, "rate limit", 1e9));
		o->schedule.constant = constant;
		return;
	}
	if (!lwp_schedule_parse(&o->schedule, optarg, &why))
	{
		lwp_error("invalid rate schedule: \"%s\"", optarg);
		lwp_detail("The part that is wrong: %s.", why);
		exit(1);
	}
}

static void
take_max_tries(LwpOptions *o)
{
	int64_t v = 0;

	if (lwp_parse_int64(optarg, &v) != LWP_NUM_OK || v < 0 || v > INT_MAX)
		lwp_fatal("invalid number of maximum tries: \"%s\"", optarg);
	o->max_tries = (uint32_t) v;
}

static void
take_query_mode(LwpOptions *o)
{
	for (int m = 0; m < 3; m++)
		if (strcmp(optarg, lwp_mode_names[m]) == 0)
		{
			o->mode = (LwpQueryMode) m;
			return;
		}
	lwp_fatal("invalid query mode (-M): \"%s\"", optarg);
}

static bool
take_run_option(LwpOptions *o, int c)
{
	switch (c)
	{
		case 'c':
			take_clients(o);
			return true;
		case 'j':
			o->nthreads = parse_int(optarg, "-j/--jobs", 1, INT_MAX);
			return true;
		case 'C':
			o->connect_each = true;
			return true;
		case 't':
			o->transactions = parse_int(optarg, "-t/--transactions", 1, INT_MAX);
			return true;
		case 'T':
			o->duration = parse_int(optarg, "-T/--time", 1, INT_MAX);
			return true;
		case 'v':
			o->vacuum_all = true;
			return true;
		case 'D':
			add_define(o, optarg);
			return true;
		case 'M':
			take_query_mode(o);
			return true;
		case 'R':
		case OPT_RATE_SCHEDULE:
			take_schedule(o, c);
			return true;
		case 'L':
			o->latency_limit =
				(int64_t) (parse_positive(optarg, "latency limit", 1e12) * (double) LWP_NS_PER_MS);
			if (o->latency_limit == 0)
				o->latency_limit = 1; /* 0 is none */
			return true;
		case OPT_RANDOM_SEED:
			set_seed(o, optarg, "--random-seed option");
			return true;
		case OPT_FAILURES_DETAILED:
			o->failures_detailed = true;
			return true;
		case OPT_MAX_TRIES:
			take_max_tries(o);
			return true;
		case OPT_VERBOSE_ERRORS:
			o->verbose_errors = true;
			return true;
		case OPT_EXIT_ON_ABORT:
			o->exit_on_abort = true;
			return true;
		case OPT_CONTINUE_ON_ERROR:
			o->continue_on_error = true;
			return true;
		case OPT_SWEEP:
			parse_sweep(o, optarg);
			return true;
		case OPT_WARMUP:
			o->warmup = parse_seconds(optarg, "--warmup");
			return true;
		default:
			return take_connect_option(o, c) || take_output_option(o, c);
	}
}

/* --compat must be known before the meaning of -d is */
static int
find_compat(int argc, char **argv, int fallback)
{
	for (int i = 1; i < argc; i++)
	{
		if (strncmp(argv[i], "--compat=", 9) == 0)
			fallback = parse_int(argv[i] + 9, "--compat", 15, 19);
		else if (strcmp(argv[i], "--compat") == 0 && i + 1 < argc)
			fallback = parse_int(argv[i + 1], "--compat", 15, 19);
	}
	return fallback;
}

static void
set_defaults(LwpOptions *o, int argc, char **argv)
{
	memset(o, 0, sizeof(*o));
	o->as_pgbench = strcmp(lwp_progname, "pgbench") == 0;
	o->compat = find_compat(argc, argv, o->as_pgbench ? PQlibVersion() / 10000 : 18);
	if (o->compat < 15)
		o->compat = 15;
	o->conn.app_name = lwp_progname;
	o->fillfactor = 100;
	o->nclients = 1;
	o->nthreads = 1;
	o->scale = 1;
	o->max_tries = 1;
	o->log_per_thread = o->as_pgbench;
	o->connect_concurrency = 32;
	o->connect_retries = o->as_pgbench ? 0 : 5;
	o->stop_grace = 2;
	o->warmup = -1;
	o->argc = argc;
	o->argv = argv;
	lwp_names_init(&o->names);
}

static void
early_exits(LwpOptions *o)
{
	const char *first = o->argc > 1 ? o->argv[1] : "";

	if (strcmp(first, "--help") == 0 || strcmp(first, "-?") == 0)
	{
		lwp_print_help(o);
		exit(0);
	}
	if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
	{
		if (o->as_pgbench)
			printf("pgbench (PostgreSQL) %s\n", lwp_pg_version());
		else
			printf("lwbench (pg_lwprof) %s, like pgbench (PostgreSQL) %s\n", lwp_version(),
				   lwp_pg_version());
		exit(0);
	}
}

static void
take_dbname(LwpOptions *o)
{
	const char *env;

	if (optind < o->argc)
		o->conn.dbname = o->argv[optind++];
	if (optind < o->argc)
	{
		lwp_error("too many command-line arguments (first is \"%s\")", o->argv[optind]);
		lwp_hint("Try \"%s --help\" for more information.", lwp_progname);
		exit(1);
	}
	if (o->conn.dbname != NULL)
		return;
	if ((env = getenv("PGDATABASE")) != NULL && *env)
		o->conn.dbname = env;
	else if (o->compat >= 18 && o->conn.user != NULL)
		o->conn.dbname = o->conn.user;
	else if ((env = getenv("PGUSER")) != NULL && *env)
		o->conn.dbname = env;
	else
		o->conn.dbname = lwp_os_user();
}

void
lwp_options_parse(LwpOptions *o, int argc, char **argv)
{
	Seen seen = {0};
	const char *shorts;
	int c;

	set_defaults(o, argc, argv);
	early_exits(o);
	shorts = o->compat >= 18 ? "b:c:Cd:D:f:F:h:iI:j:lL:M:nNp:P:qrR:s:St:T:U:v"
							 : "b:c:CdD:f:F:h:iI:j:lL:M:nNp:P:qrR:s:St:T:U:v";
	set_seed(o, getenv("PGBENCH_RANDOM_SEED"), "PGBENCH_RANDOM_SEED environment variable");
	while ((c = getopt_long(argc, argv, shorts, long_options, NULL)) != -1)
	{
		if (take_common_option(o, c) || take_init_option(o, &seen, c) ||
			take_script_option(o, &seen, c))
			continue;
		if (take_run_option(o, c))
		{
			seen.run_only = true;
			continue;
		}
		/* getopt_long has complained already */
		lwp_hint("Try \"%s --help\" for more information.", lwp_progname);
		exit(1);
	}
	if (o->nscripts == 0 && !o->init)
	{
		add_builtin(o, "tpcb-like", 1);
		seen.run_only = true;
	}
	for (int i = 0; i < o->nscripts; i++)
		if (!lwp_script_finish(o->script[i], o->mode, &o->names, &o->nstatements))
			exit(1);
	if (o->total_weight == 0 && !o->init)
		lwp_fatal("total script weight must not be zero");
	take_dbname(o);
	lwp_options_check(o, seen.init_only, seen.run_only);
}

void
lwp_options_free(LwpOptions *o)
{
	for (int i = 0; i < o->nscripts; i++)
		lwp_script_free(o->script[i]);
	for (int i = 0; i < o->ndefines; i++)
		free(o->define[i].value);
	free(o->define);
	free(o->init_steps);
	free(o->init_sql);
	free(o->sweep);
	free(o->conn.password);
	lwp_schedule_free(&o->schedule);
	lwp_names_free(&o->names);
}
