/*
 * text.c
 *		The report on standard output.
 *
 * Under the name pgbench it is pgbench's, line by line.  As lwbench the same
 * lines come first, so that what reads them keeps working; percentiles,
 * connection times and the driver's own CPU use follow or stand between.
 */
#include <stdio.h>

#include "clock.h"
#include "message.h"
#include "profile.h"
#include "result.h"

static double
ms(double ns)
{
	return ns / 1e6;
}

/* never NaN: nothing of nothing is 0 % */
static double
percent(double part, double whole)
{
	return whole > 0 ? 100.0 * part / whole : 0.0;
}

static void
print_parameters(const LwpOptions *o, const LwpResult *r)
{
	int64_t done = LWP_PEEK(r->total.done);

	printf("transaction type: %s\n", o->nscripts == 1 ? o->script[0]->desc : "multiple scripts");
	printf("scaling factor: %d\n", o->scale);
	if (o->partition_method != LWP_PART_NONE)
		printf("partition method: %s\npartitions: %d\n", lwp_partition_names[o->partition_method],
			   o->partitions);
	printf("query mode: %s\n", lwp_mode_names[o->mode]);
	printf("number of clients: %d\n", r->connected);
	if (r->connect_failed > 0)
		printf("number of clients that could not connect: %d of %d\n", r->connect_failed,
			   r->nclients);
	printf("number of threads: %d\n", r->nthreads);
	if (o->max_tries != 0)
		printf("maximum number of tries: %u\n", o->max_tries);
	if (o->schedule.active && !o->as_pgbench && o->schedule.text != NULL)
		printf("rate schedule: %s\n", o->schedule.text);
	if (o->duration <= 0)
	{
		printf("number of transactions per client: %lld\n", (long long) o->transactions);
		printf("number of transactions actually processed: %lld/%lld\n", (long long) done,
			   (long long) o->transactions * r->connected);
	}
	else
	{
		if (o->warmup > 0)
			printf("warm-up: %g s\n", o->warmup);
		printf("duration: %d s\n", o->duration);
		printf("number of transactions actually processed: %lld\n", (long long) done);
	}
}

static void
print_failures(const LwpOptions *o, const LwpStats *s, const char *prefix)
{
	static const char *const kinds[LWP_NFAILURES] = {"serialization", "deadlock", "other",
													 "connection"};
	double all = (double) lwp_stats_all(s);
	int64_t failures = lwp_stats_failures(s);

	printf("%snumber of failed transactions: %lld (%.3f%%)\n", prefix, (long long) failures,
		   percent((double) failures, all));
	for (int i = 0; i < LWP_NFAILURES; i++)
	{
		int64_t n = LWP_PEEK(s->failed[i]);
		bool show = o->failures_detailed;

		/* columns that came later are shown where they can be other than 0 */
		if (i == LWP_FAIL_OTHER)
			show = show && (o->continue_on_error || o->compat >= 19);
		if (i == LWP_FAIL_CONNECTION)
			show = o->reconnect;
		if (show)
			printf("%snumber of %s failures: %lld (%.3f%%)\n", prefix, kinds[i], (long long) n,
				   percent((double) n, all));
	}
	if (o->max_tries != 1)
	{
		printf("%snumber of transactions retried: %lld (%.3f%%)\n", prefix,
			   (long long) LWP_PEEK(s->retried), percent((double) LWP_PEEK(s->retried), all));
		printf("%stotal number of retries: %lld\n", prefix, (long long) LWP_PEEK(s->retries));
	}
}

static void
print_skipped(const LwpOptions *o, const LwpStats *s, const char *prefix)
{
	if (o->schedule.active && o->latency_limit != 0)
		printf("%snumber of transactions skipped: %lld (%.3f%%)\n", prefix,
			   (long long) LWP_PEEK(s->skipped),
			   percent((double) LWP_PEEK(s->skipped), (double) lwp_stats_all(s)));
}

static void
print_late(const LwpOptions *o, const LwpStats *s)
{
	int64_t done = LWP_PEEK(s->done);

	if (o->latency_limit != 0)
		printf("number of transactions above the %.1f ms latency limit: %lld/%lld (%.3f%%)\n",
			   ms((double) o->latency_limit), (long long) LWP_PEEK(s->late), (long long) done,
			   percent((double) LWP_PEEK(s->late), (double) done));
}

static void
print_moments(const char *prefix, const LwpHist *h)
{
	if (LWP_PEEK(h->count) == 0)
		return;
	printf("%s average = %.3f ms\n", prefix, ms(lwp_hist_mean(h)));
	printf("%s stddev = %.3f ms\n", prefix, ms(lwp_hist_stddev(h)));
}

static void
print_percentiles(const char *prefix, const LwpHist *h)
{
	if (LWP_PEEK(h->count) == 0)
		return;
	printf("%s min %.3f p50 %.3f p90 %.3f p95 %.3f p99 %.3f p99.9 %.3f max %.3f ms\n", prefix,
		   ms((double) LWP_PEEK(h->min)), ms((double) lwp_hist_percentile(h, 50)),
		   ms((double) lwp_hist_percentile(h, 90)), ms((double) lwp_hist_percentile(h, 95)),
		   ms((double) lwp_hist_percentile(h, 99)), ms((double) lwp_hist_percentile(h, 99.9)),
		   ms((double) LWP_PEEK(h->max)));
}

static void
print_latency(const LwpOptions *o, const LwpResult *r)
{
	const LwpStats *t = &r->total;
	int64_t failures = lwp_stats_failures(t);

	if (!o->as_pgbench || o->schedule.active || o->progress > 0 || o->latency_limit != 0)
		print_moments("latency", &t->latency);
	else
	{
		/* what pgbench computes where it has measured nothing */
		printf("latency average = %.3f ms%s\n",
			   1000.0 * r->elapsed * r->connected / (double) lwp_stats_all(t),
			   failures > 0 ? " (including failures)" : "");
	}
	if (!o->as_pgbench)
		print_percentiles("latency", &t->latency);
	if (!o->schedule.active)
		return;
	if (!o->as_pgbench)
	{
		print_moments("service time", &t->service);
		print_percentiles("service time", &t->service);
	}
	if (LWP_PEEK(t->lag.count) > 0)
		printf("rate limit schedule lag: avg %.3f (max %.3f) ms\n", ms(lwp_hist_mean(&t->lag)),
			   ms((double) LWP_PEEK(t->lag.max)));
}

static void
print_connections(const LwpOptions *o, const LwpResult *r)
{
	const LwpStats *t = &r->total;
	double with_connection = (double) (LWP_PEEK(t->done) + lwp_stats_failures(t));
	const LwpHist *h = &r->connect_time;

	if (o->connect_each)
		printf("average connection time = %.3f ms\n",
			   with_connection > 0 ? 1000.0 * r->connect_sum / with_connection : 0.0);
	else
		printf("initial connection time = %.3f ms\n", 1000.0 * r->connect_wall);
	if (!o->as_pgbench && LWP_PEEK(h->count) > 0)
		printf("connection time of a client: mean %.3f p99 %.3f max %.3f ms\n",
			   ms(lwp_hist_mean(h)), ms((double) lwp_hist_percentile(h, 99)),
			   ms((double) LWP_PEEK(h->max)));
	if (o->reconnect)
		printf("number of reconnections: %lld\n", (long long) r->reconnects);
}

static void
print_rates(const LwpOptions *o, const LwpResult *r)
{
	const char *what =
		o->connect_each ? "including reconnection times" : "without initial connection time";

	if (o->as_pgbench)
	{
		printf("tps = %f (%s)\n", r->whole_tps, what);
		return;
	}
	printf("tps = %f (%s)\n", r->tps, what);
	if (r->nthreads > 1 && r->window < r->elapsed)
		printf("common window of all threads: %.3f s of %.3f s, %lld of %lld transactions\n",
			   r->window, r->elapsed, (long long) r->window_done,
			   (long long) LWP_PEEK(r->total.done));
}

static void
print_driver(const LwpOptions *o, const LwpResult *r)
{
	int64_t all = lwp_stats_all(&r->total);

	if (o->as_pgbench)
		return;
	printf("driver CPU: %.3f us per transaction, busiest thread %.0f%%\n",
		   all > 0 ? 1e6 * r->process_cpu / (double) all : 0.0, 100.0 * r->busiest);
	if (r->busiest > 0.95 && r->elapsed > 0.5)
		lwp_warning("a thread of the driver was at the limit of its CPU: the rate may be the "
					"driver's, use more threads (-j)");
	if (r->connected > 1 && !o->schedule.active && o->duration > 0)
		printf("fairness between clients (Jain): %.4f\n", r->fairness);
}

static void
print_log(const LwpOptions *o, const LwpResult *r)
{
	if (r->log_lost > 0)
		lwp_error("%lld log lines were lost because the log could not be written",
				  (long long) r->log_lost);
	if (o->as_pgbench || r->log_path == NULL)
		return;
	printf("log: %s, %lld lines\n", r->log_path, (long long) r->log_lines);
	if (r->log_waited > 0)
		printf("log lines that waited for the disk: %lld, for %.3f s in all threads\n",
			   (long long) r->log_waited, r->log_waited_s);
	if (r->log_dropped > 0)
		printf("log lines dropped because the disk was too slow: %lld\n",
			   (long long) r->log_dropped);
}

static void
print_script(const LwpOptions *o, const LwpResult *r, int i)
{
	const LwpScript *s = o->script[i];
	const LwpStats *t = &r->script[i];
	int64_t done = LWP_PEEK(t->done);
	int64_t all = lwp_stats_all(t);

	printf("SQL script %d: %s\n", i + 1, s->desc);
	printf(" - weight: %d (targets %.1f%% of total)\n", s->weight,
		   percent((double) s->weight, (double) o->total_weight));
	if (o->compat >= 19)
	{
		printf(" - %lld transactions (%.1f%% of total)\n", (long long) all,
			   percent((double) all, (double) lwp_stats_all(&r->total)));
		if (all > 0)
			printf(" - number of transactions actually processed: %lld (tps = %f)\n",
				   (long long) done, r->elapsed > 0 ? (double) done / r->elapsed : 0.0);
	}
	else
		printf(" - %lld transactions (%.1f%% of total, tps = %f)\n", (long long) done,
			   percent((double) done, (double) LWP_PEEK(r->total.done)),
			   r->elapsed > 0 ? (double) done / r->elapsed : 0.0);
	print_failures(o, t, " - ");
	if (all > 0)
		print_skipped(o, t, " - ");
	print_moments(" - latency", &t->latency);
	if (!o->as_pgbench)
		print_percentiles(" - latency", &t->latency);
}

static void
print_commands(const LwpOptions *o, const LwpResult *r, int i)
{
	bool retries = o->max_tries != 1;

	printf("%sstatement latencies in milliseconds%s:\n", o->nscripts > 1 ? " - " : "",
		   retries ? ", failures and retries" : " and failures");
	for (int k = 0; k < o->script[i]->ncmds; k++)
	{
		const LwpCmdStats *c = &r->cmd[i][k];

		printf("   %11.3f  %10lld  ", ms(lwp_hist_mean(&c->time)), (long long) c->failures);
		if (retries)
			printf("%10lld  ", (long long) c->retries);
		printf("%s\n", o->script[i]->cmd[k]->first_line);
		if (!o->as_pgbench && LWP_PEEK(c->time.count) > 0)
			printf("   %11s  p50 %.3f p95 %.3f p99 %.3f p99.9 %.3f max %.3f\n", "",
				   ms((double) lwp_hist_percentile(&c->time, 50)),
				   ms((double) lwp_hist_percentile(&c->time, 95)),
				   ms((double) lwp_hist_percentile(&c->time, 99)),
				   ms((double) lwp_hist_percentile(&c->time, 99.9)),
				   ms((double) LWP_PEEK(c->time.max)));
	}
}

void
lwp_report_text(const LwpOptions *o, const LwpResult *r)
{
	const LwpStats *t = &r->total;

	if (r->signal != 0 && !o->as_pgbench)
		printf("interrupted by signal %d after %.3f s, %lld transactions cut off\n", r->signal,
			   r->elapsed, (long long) r->abandoned);
	print_parameters(o, r);
	if (lwp_stats_all(t) > 0 || !o->as_pgbench || o->compat < 18)
		print_failures(o, t, "");

	/* the rest makes no sense when nothing was executed */
	if (LWP_PEEK(t->done) + LWP_PEEK(t->skipped) > 0)
	{
		print_skipped(o, t, "");
		print_late(o, t);
		print_latency(o, r);
		print_connections(o, r);
		print_rates(o, r);
		print_driver(o, r);
		for (int i = 0; i < o->nscripts && (r->script != NULL || r->cmd != NULL); i++)
		{
			if (r->script != NULL)
				print_script(o, r, i);
			if (r->cmd != NULL)
				print_commands(o, r, i);
		}
	}
	print_log(o, r);
	if (r->profile != NULL)
		lwp_profile_print(r->profile);
	fflush(stdout);
}
