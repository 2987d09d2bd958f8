/*
 * optcheck.c
 *		Checks that need all options, and defaults that depend on others.
 */
#include "optcheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdlimit.h"
#include "mem.h"
#include "message.h"

static void
check_init(LwpOptions *o, bool run_option_seen)
{
	char *p;

	if (run_option_seen)
		lwp_fatal("some of the specified options cannot be used in initialization (-i) mode");
	if (o->partitions == 0 && o->partition_method != LWP_PART_NONE)
		lwp_fatal("--partition-method requires greater than zero --partitions");
	if (o->partitions > 0 && o->partition_method == LWP_PART_NONE)
		o->partition_method = LWP_PART_RANGE;
	if (o->init_steps == NULL)
		o->init_steps = lwp_strdup("dtgvp");
	if (o->no_vacuum)
		while ((p = strchr(o->init_steps, 'v')) != NULL)
			*p = ' ';
	if (o->foreign_keys && strchr(o->init_steps, 'f') == NULL)
	{
		o->init_steps = lwp_realloc(o->init_steps, strlen(o->init_steps) + 2);
		strcat(o->init_steps, "f");
	}
}

static void
check_log(LwpOptions *o)
{
	if (o->sampling_rate > 0.0 && !o->use_log)
		lwp_fatal("log sampling (--sampling-rate) is allowed only when logging transactions (-l)");
	if (o->sampling_rate > 0.0 && o->agg_interval > 0)
		lwp_fatal("log sampling (--sampling-rate) and aggregation (--aggregate-interval) cannot be "
				  "used at the same time");
	if (o->agg_interval > 0 && !o->use_log)
		lwp_fatal("log aggregation is allowed only when actually logging transactions");
	if (o->log_prefix != NULL && !o->use_log)
		lwp_fatal("log file prefix (--log-prefix) is allowed only when logging transactions (-l)");
	if (o->log_drop && !o->use_log)
		lwp_fatal("--log-drop is allowed only when logging transactions (-l)");
	if (o->duration > 0 && o->agg_interval > o->duration)
		lwp_fatal("number of seconds for aggregation (%d) must not be higher than test duration "
				  "(%d)",
				  o->agg_interval, o->duration);
	if (o->duration > 0 && o->agg_interval > 0 && o->duration % o->agg_interval != 0)
		lwp_fatal("duration (%d) must be a multiple of aggregation interval (%d)", o->duration,
				  o->agg_interval);
	if (o->use_log && o->nsweep > 0)
		lwp_fatal("-l/--log cannot be used with --sweep-clients");
	if (o->log_prefix == NULL)
		o->log_prefix = o->as_pgbench ? "pgbench_log" : "lwbench_log";
}

static void
check_run(LwpOptions *o)
{
	if (o->transactions > 0 && o->duration > 0)
		lwp_fatal("specify either a number of transactions (-t) or a duration (-T), not both");
	if (o->transactions <= 0 && o->duration <= 0)
		o->transactions = LWP_DEFAULT_TRANSACTIONS;
	check_log(o);
	if (o->progress_timestamp && o->progress == 0)
		lwp_fatal("--progress-timestamp is allowed only under --progress");
	if (o->max_tries == 0 && o->latency_limit == 0 && o->duration <= 0)
		lwp_fatal("an unlimited number of transaction tries can only be used with --latency-limit "
				  "or a duration (-T)");
	if (o->exit_on_abort && o->continue_on_error)
		lwp_debug("--continue-on-error leaves fewer errors for --exit-on-abort");

	/* lwbench's own */
	if (o->schedule.text != NULL && !o->schedule.active)
		lwp_fatal("--rate-schedule without rates requires -R/--rate");
	if (o->warmup > 0 && o->duration <= 0)
		lwp_fatal("--warmup is allowed only with a duration (-T)");
	if (o->min_clients > o->nclients && o->nsweep == 0)
		lwp_fatal("--min-clients (%d) must not be higher than the number of clients (%d)",
				  o->min_clients, o->nclients);
	if (o->nsweep > 0 && o->duration <= 0)
		lwp_fatal("--sweep-clients requires a duration (-T)");
	if (o->nsweep > 0 && o->min_clients > 0)
		lwp_fatal("--min-clients cannot be used with --sweep-clients");
	if (o->init_workload && o->nworkloads == 0)
		lwp_fatal("--init-workload requires a workload that stresses one lock (-b)");
	if (o->warmup < 0)
		o->warmup = o->nsweep > 0 ? 1 : 0;
	for (int i = -1; i < o->nsweep; i++)
	{
		int clients = i < 0 ? o->nclients : o->sweep[i];
		int threads = o->nthreads < clients ? o->nthreads : clients;

		/* each thread waits on two descriptors of its own */
		if (!lwp_limits_allow((int64_t) clients + 2 * (int64_t) threads))
			exit(1);
	}
}

void
lwp_options_check(LwpOptions *o, bool init_option_seen, bool run_option_seen)
{
	if (o->init)
		check_init(o, run_option_seen);
	else
	{
		if (init_option_seen)
			lwp_fatal("some of the specified options cannot be used in benchmarking mode");
		check_run(o);
	}
}
