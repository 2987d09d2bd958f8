/*
 * json_report.c
 *		The JSON document (--json); docs/lwbench-json.md is its description.
 */
#define _GNU_SOURCE
#include "json_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "profile.h"

/* raised when a reader of the old form could misread the new one */
#define FORMAT_VERSION 1

/* json has neither NaN nor infinity */
static json_t *
number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* ns to ms */
static json_t *
ms(double ns)
{
	return number(ns / 1e6);
}

static json_t *
text(const char *s)
{
	json_t *j = s != NULL ? json_string(s) : json_null();

	/* bytes that are no UTF-8: say so rather than lose the document */
	return j != NULL ? j : json_string("(not valid UTF-8)");
}

static void
put(json_t *o, const char *key, json_t *v)
{
	json_object_set_new(o, key, v);
}

static json_t *
buckets(const LwpHist *h)
{
	json_t *a = json_array();

	if (LWP_PEEK(h->count) == 0)
		return a;
	for (int i = lwp_hist_index(LWP_PEEK(h->min)); i <= lwp_hist_index(LWP_PEEK(h->max)); i++)
	{
		uint64_t n = LWP_PEEK(h->bucket[i]);
		json_t *pair;

		if (n == 0)
			continue;
		pair = json_array();
		json_array_append_new(pair, json_integer(lwp_hist_lowest(i)));
		json_array_append_new(pair, json_integer((json_int_t) n));
		json_array_append_new(a, pair);
	}
	return a;
}

static json_t *
histogram(const LwpHist *h, bool with_buckets)
{
	static const struct
	{
		const char *name;
		double percent;
	} points[] = {{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99_9", 99.9}};
	json_t *o = json_object();
	bool any = LWP_PEEK(h->count) > 0;

	put(o, "count", json_integer((json_int_t) LWP_PEEK(h->count)));
	put(o, "mean_ms", any ? ms(lwp_hist_mean(h)) : json_null());
	put(o, "stddev_ms", any ? ms(lwp_hist_stddev(h)) : json_null());
	put(o, "min_ms", any ? ms((double) LWP_PEEK(h->min)) : json_null());
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
	{
		char key[16];

		snprintf(key, sizeof(key), "%s_ms", points[i].name);
		put(o, key, any ? ms((double) lwp_hist_percentile(h, points[i].percent)) : json_null());
	}
	put(o, "max_ms", any ? ms((double) LWP_PEEK(h->max)) : json_null());
	if (with_buckets)
		put(o, "buckets_ns", buckets(h));
	return o;
}

static json_t *
statistics(const LwpStats *s)
{
	static const char *const kinds[LWP_NFAILURES] = {"serialization", "deadlock", "other",
													 "connection"};
	json_t *o = json_object();
	json_t *failed = json_object();

	put(o, "transactions", json_integer(LWP_PEEK(s->done)));
	put(o, "skipped", json_integer(LWP_PEEK(s->skipped)));
	put(o, "late", json_integer(LWP_PEEK(s->late)));
	put(o, "retried", json_integer(LWP_PEEK(s->retried)));
	put(o, "retries", json_integer(LWP_PEEK(s->retries)));
	for (int i = 0; i < LWP_NFAILURES; i++)
		put(failed, kinds[i], json_integer(LWP_PEEK(s->failed[i])));
	put(failed, "total", json_integer(lwp_stats_failures(s)));
	put(o, "failed", failed);
	put(o, "latency", histogram(&s->latency, true));
	put(o, "service_time", s->scheduled ? histogram(&s->service, true) : json_null());
	put(o, "schedule_lag", s->scheduled ? histogram(&s->lag, true) : json_null());
	return o;
}

static json_t *
scripts(const LwpOptions *o, const LwpResult *r)
{
	json_t *a = json_array();

	for (int i = 0; i < o->nscripts; i++)
	{
		const LwpScript *s = o->script[i];
		json_t *e = json_object();
		json_t *cmds = json_array();

		put(e, "name", text(s->desc));
		put(e, "weight", json_integer(s->weight));
		put(e, "statistics", r->script != NULL ? statistics(&r->script[i]) : json_null());
		for (int k = 0; k < s->ncmds; k++)
		{
			json_t *c = json_object();

			put(c, "command", text(s->cmd[k]->first_line));
			if (r->cmd != NULL)
			{
				put(c, "failures", json_integer(r->cmd[i][k].failures));
				put(c, "retries", json_integer(r->cmd[i][k].retries));
				put(c, "time", histogram(&r->cmd[i][k].time, false));
			}
			json_array_append_new(cmds, c);
		}
		put(e, "commands", cmds);
		json_array_append_new(a, e);
	}
	return a;
}

static json_t *
seconds(const LwpResult *r)
{
	json_t *a = json_array();

	for (int i = 0; i < r->nseconds; i++)
	{
		const LwpSecond *s = &r->second[i];
		double span = s->to - s->from;
		json_t *e = json_object();

		put(e, "from_s", number(s->from));
		put(e, "to_s", number(s->to));
		put(e, "transactions", json_integer(s->done));
		put(e, "failed", json_integer(s->failed));
		put(e, "skipped", json_integer(s->skipped));
		put(e, "tps", span > 0 ? number((double) s->done / span) : json_null());
		put(e, "mean_ms", s->done > 0 ? ms(s->mean) : json_null());
		put(e, "p50_ms", s->done > 0 ? ms((double) s->p50) : json_null());
		put(e, "p99_ms", s->done > 0 ? ms((double) s->p99) : json_null());
		put(e, "max_ms", s->done > 0 ? ms((double) s->max) : json_null());
		json_array_append_new(a, e);
	}
	return a;
}

static json_t *
threads(const LwpResult *r)
{
	json_t *a = json_array();

	for (int i = 0; i < r->nthreads; i++)
	{
		const LwpThreadResult *t = &r->thread[i];
		json_t *e = json_object();

		put(e, "clients", json_integer(t->clients));
		put(e, "transactions", json_integer(t->done));
		put(e, "started_s", number(t->started));
		put(e, "ended_s", number(t->ended));
		put(e, "cpu_s", number(t->cpu));
		json_array_append_new(a, e);
	}
	return a;
}

static json_t *
connections(const LwpOptions *o, const LwpResult *r)
{
	json_t *e = json_object();

	put(e, "initial_wall_s", number(r->connect_wall));
	put(e, "time", histogram(&r->connect_time, false));
	put(e, "could_not_connect", json_integer(r->connect_failed));
	put(e, "reason", text(r->connect_error));
	put(e, "reconnections", json_integer(r->reconnects));
	put(e, "in_run_s", o->connect_each ? number(r->connect_sum) : json_null());
	return e;
}

static json_t *
log_summary(const LwpResult *r)
{
	json_t *e;

	if (r->log_path == NULL)
		return json_null();
	e = json_object();
	put(e, "file", text(r->log_path));
	put(e, "lines", json_integer(r->log_lines));
	put(e, "waited_lines", json_integer(r->log_waited));
	put(e, "waited_s", number(r->log_waited_s));
	put(e, "dropped_lines", json_integer(r->log_dropped));
	put(e, "lost_lines", json_integer(r->log_lost));
	return e;
}

json_t *
lwp_json_run(const LwpOptions *o, const LwpResult *r)
{
	json_t *e = json_object();
	json_t *rate = json_object();
	json_t *driver = json_object();
	int64_t all = lwp_stats_all(&r->total);
	json_t *profile = r->profile != NULL ? lwp_profile_json(r->profile) : NULL;

	put(e, "clients", json_integer(r->connected));
	put(e, "clients_asked_for", json_integer(r->nclients));
	put(e, "threads", json_integer(r->nthreads));
	put(rate, "tps", number(r->tps));
	put(rate, "window_s", number(r->window));
	put(rate, "window_transactions", json_integer(r->window_done));
	put(rate, "elapsed_s", number(r->elapsed));
	put(rate, "whole_tps", number(r->whole_tps));
	put(e, "rate", rate);
	put(e, "statistics", statistics(&r->total));
	put(e, "connections", connections(o, r));
	put(driver, "cpu_s", number(r->process_cpu));
	put(driver, "cpu_us_per_transaction",
		all > 0 ? number(1e6 * r->process_cpu / (double) all) : json_null());
	put(driver, "busiest_thread", number(r->busiest));
	put(driver, "fairness", number(r->fairness));
	put(e, "driver", driver);
	put(e, "scripts", scripts(o, r));
	put(e, "per_second", seconds(r));
	put(e, "per_thread", threads(r));
	put(e, "log", log_summary(r));
	put(e, "lock_profile", profile != NULL ? profile : json_null());
	put(e, "interrupted_by_signal", r->signal ? json_integer(r->signal) : json_null());
	put(e, "transactions_cut_off", json_integer(r->abandoned));
	put(e, "clients_aborted", json_integer(r->aborted));
	put(e, "exit_code", json_integer(r->exit_code));
	return e;
}

static json_t *
options(const LwpOptions *o)
{
	json_t *e = json_object();
	json_t *argv = json_array();
	json_t *defines = json_object();

	for (int i = 0; i < o->argc; i++)
		json_array_append_new(argv, text(o->argv[i]));
	put(e, "command_line", argv);
	put(e, "query_mode", text(lwp_mode_names[o->mode]));
	put(e, "scale", json_integer(o->scale));
	put(e, "partition_method", text(lwp_partition_names[o->partition_method]));
	put(e, "partitions", json_integer(o->partitions));
	put(e, "clients", json_integer(o->nclients));
	put(e, "threads", json_integer(o->nthreads));
	put(e, "transactions_per_client",
		o->duration > 0 ? json_null() : json_integer(o->transactions));
	put(e, "duration_s", o->duration > 0 ? json_integer(o->duration) : json_null());
	put(e, "warmup_s", number(o->warmup));
	put(e, "connect_each", json_boolean(o->connect_each));
	put(e, "max_tries", json_integer(o->max_tries));
	put(e, "latency_limit_ms", o->latency_limit ? ms((double) o->latency_limit) : json_null());
	put(e, "rate", o->schedule.active ? number(o->schedule.point[0].rate) : json_null());
	put(e, "rate_schedule", text(o->schedule.text));
	put(e, "random_seed", json_integer((json_int_t) o->seed));
	for (int i = 0; i < o->ndefines; i++)
		put(defines, o->names.name[o->define[i].slot], text(o->define[i].value));
	put(e, "defines", defines);
	put(e, "continue_on_error", json_boolean(o->continue_on_error));
	put(e, "reconnect_on_failure", json_boolean(o->reconnect));
	put(e, "compat", json_integer(o->compat));
	return e;
}

static json_t *
environment(void)
{
	json_t *e = json_object();
	struct utsname u;
	char stamp[64];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	put(e, "written_at", text(stamp));
	if (uname(&u) == 0)
	{
		put(e, "host", text(u.nodename));
		put(e, "system", text(u.sysname));
		put(e, "kernel", text(u.release));
		put(e, "machine", text(u.machine));
	}
	put(e, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	put(e, "libpq", json_integer(PQlibVersion()));
	return e;
}

/* settings that are not the built-in defaults, and the version */
static json_t *
server(const LwpOptions *o)
{
	PGconn *con = lwp_connect_begin(&o->conn);
	json_t *e = json_object();
	json_t *set = json_object();
	PGresult *res;
	PostgresPollingStatusType st = PGRES_POLLING_WRITING;

	/* the server may be gone by now: the document is written all the same */
	while (con != NULL && PQstatus(con) != CONNECTION_BAD && st != PGRES_POLLING_OK &&
		   st != PGRES_POLLING_FAILED)
	{
		usleep(1000);
		st = PQconnectPoll(con);
	}
	if (con == NULL || PQstatus(con) != CONNECTION_OK)
	{
		PQfinish(con);
		json_decref(set);
		put(e, "error", text("could not connect"));
		return e;
	}
	put(e, "version", text(PQparameterStatus(con, "server_version")));
	put(e, "version_num", json_integer(PQserverVersion(con)));
	put(e, "database", text(PQdb(con)));
	res = PQexec(con, "select name, current_setting(name, true) from pg_catalog.pg_settings "
					  "where source not in ('default', 'client', 'session') order by name");
	for (int i = 0; PQresultStatus(res) == PGRES_TUPLES_OK && i < PQntuples(res); i++)
		put(set, PQgetvalue(res, i, 0), text(PQgetvalue(res, i, 1)));
	PQclear(res);
	put(e, "settings", set);
	PQfinish(con);
	return e;
}

json_t *
lwp_json_head(const LwpOptions *o)
{
	json_t *doc = json_object();

	put(doc, "format", text("lwbench"));
	put(doc, "format_version", json_integer(FORMAT_VERSION));
	put(doc, "program", text(lwp_progname));
	put(doc, "program_version", text(lwp_version()));
	put(doc, "options", options(o));
	put(doc, "environment", environment());
	put(doc, "server", server(o));
	return doc;
}

bool
lwp_json_store(json_t *doc, const char *path)
{
	FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
	bool ok;

	if (f == NULL)
	{
		lwp_error("could not open file \"%s\": %s", path, strerror(errno));
		json_decref(doc);
		return false;
	}
	ok = json_dumpf(doc, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0;
	ok = fputc('\n', f) != EOF && ok;
	ok = fflush(f) == 0 && ok;
	if (!ok)
		lwp_error("could not write to file \"%s\": %s", path, strerror(errno));
	if (f != stdout && fclose(f) != 0 && ok)
	{
		lwp_error("could not write to file \"%s\": %s", path, strerror(errno));
		ok = false;
	}
	json_decref(doc);
	return ok;
}

bool
lwp_json_write(const LwpOptions *o, const LwpResult *r)
{
	json_t *doc = lwp_json_head(o);

	put(doc, "run", lwp_json_run(o, r));
	return lwp_json_store(doc, o->json_path);
}
