/*
 * options.h
 *		Everything that was asked for on the command line.
 *
 * Written by lwp_options_parse, read-only afterwards (a sweep changes nclients
 * in a copy).  docs/lwbench.md describes the options.
 */
#ifndef LWP_OPTIONS_H
#define LWP_OPTIONS_H

#include <stdint.h>

#include "builtin.h"
#include "dbconn.h"
#include "schedule.h"
#include "script.h"

#define LWP_DEFAULT_TRANSACTIONS 10

typedef enum LwpPartition
{
	LWP_PART_NONE,
	LWP_PART_RANGE,
	LWP_PART_HASH
} LwpPartition;

extern const char *const lwp_partition_names[3];

typedef enum LwpBar
{
	LWP_BAR_AUTO,
	LWP_BAR_ALWAYS,
	LWP_BAR_NEVER
} LwpBar;

typedef struct LwpOptions
{
	/* who we are */
	bool as_pgbench; /* invoked by that name: prints and names files as it does */
	int compat;      /* pgbench release whose options are meant where they differ */

	LwpConnParams conn;

	/* -i */
	bool init;
	char *init_steps;
	int fillfactor;
	bool foreign_keys;
	bool init_quiet;
	bool unlogged;
	const char *tablespace;
	const char *index_tablespace;
	int partitions;
	LwpPartition partition_method;

	/* scripts */
	LwpNames names;
	LwpScript *script[LWP_MAX_SCRIPTS];
	int nscripts;
	const LwpBuiltin *workload[LWP_MAX_SCRIPTS]; /* those given by -b */
	int nworkloads;
	int64_t total_weight;
	int nstatements; /* prepared statements of all scripts */
	LwpQueryMode mode;
	struct LwpDefine
	{
		int slot;
		char *value;
	} * define; /* -D */
	int ndefines;
	bool standard_script; /* one needs the pgbench_* tables */

	/* the run */
	int nclients;
	int nthreads;
	int64_t transactions; /* per client; 0 with -T */
	int duration;         /* s; 0 with -t */
	double warmup;        /* s */
	bool connect_each;    /* -C */
	bool no_vacuum;
	bool vacuum_all;
	int scale;
	bool scale_given;
	LwpSchedule schedule;
	int64_t latency_limit; /* ns; 0 is none */
	uint32_t max_tries;    /* 0 is no limit */
	bool failures_detailed;
	bool exit_on_abort;
	bool continue_on_error;
	bool verbose_errors;
	bool reconnect;
	uint64_t seed;
	bool seed_given;
	char *init_sql; /* text to run in each new session */
	bool init_workload;

	/* connecting */
	int connect_concurrency;
	int connect_retries;
	int min_clients;   /* 0: all */
	double stop_grace; /* s */

	/* output */
	int progress; /* s; 0 is none */
	bool progress_timestamp;
	LwpBar bar;
	bool per_command; /* -r */
	bool use_log;
	const char *log_prefix;
	bool log_per_thread;
	bool log_drop;
	int agg_interval;     /* s */
	double sampling_rate; /* 0: all */
	const char *json_path;
	bool profile;
	const char *profile_path;

	/* sweep */
	int *sweep;
	int nsweep;

	/* the command line, for the JSON document */
	char **argv;
	int argc;
} LwpOptions;

/*
 * Reads the command line.  Prints help, versions and lists and ends the
 * program where that was asked for; ends it with code 1 after a message on any
 * mistake.
 */
extern void lwp_options_parse(LwpOptions *o, int argc, char **argv);
extern void lwp_options_free(LwpOptions *o);

extern void lwp_print_help(const LwpOptions *o);

/* "15.20 (Debian ...)", of the PostgreSQL this was built against. */
extern const char *lwp_pg_version(void);
extern const char *lwp_version(void);

#endif
