/*
 * progress.c
 *		What is shown and kept while a run goes on.
 */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define BAR_STEP_NS (LWP_NS_PER_SEC / 2)
#define BAR_WIDTH   30

static double
ms(double ns)
{
	return ns / 1e6;
}

void
lwp_progress_begin(LwpProgress *p, const LwpRun *run, LwpResult *res)
{
	const LwpOptions *o = run->o;

	memset(p, 0, sizeof(*p));
	p->o = o;
	p->run = run;
	p->res = res;
	p->lines = o->progress > 0;
	p->series = o->json_path != NULL;
	p->bar = !o->as_pgbench && !p->lines && !lwp_debug_on &&
			 (o->bar == LWP_BAR_ALWAYS ||
			  (o->bar == LWP_BAR_AUTO && isatty(STDERR_FILENO) && isatty(STDOUT_FILENO)));
	lwp_stats_init(&p->line_last, o->schedule.active);
	lwp_stats_init(&p->second_last, o->schedule.active);
	lwp_stats_init(&p->now, o->schedule.active);
	lwp_hist_init(&p->diff);
	p->line_at = p->second_at = run->measure_from;
	p->next_line = run->measure_from + o->progress * LWP_NS_PER_SEC;
	p->next_second = run->measure_from + LWP_NS_PER_SEC;
	p->next_bar = run->go;
}

int64_t
lwp_progress_next(const LwpProgress *p)
{
	int64_t next = INT64_MAX;

	if (p->lines && p->next_line < next)
		next = p->next_line;
	if (p->series && p->next_second < next)
		next = p->next_second;
	if (p->bar && p->next_bar < next)
		next = p->next_bar;
	return next;
}

static void
look(LwpProgress *p)
{
	lwp_stats_clear(&p->now);
	for (int i = 0; i < p->run->nthreads; i++)
		lwp_stats_snapshot(&p->now, &p->run->worker[i]->stats);
}

/* the new state becomes the last one */
static void
keep(LwpStats *last, const LwpStats *now)
{
	lwp_stats_clear(last);
	lwp_stats_snapshot(last, now);
}

static void
print_line(LwpProgress *p, int64_t now)
{
	const LwpOptions *o = p->o;
	LwpStats *cur = &p->now;
	LwpStats *last = &p->line_last;
	double span = (double) (now - p->line_at) / 1e9;
	int64_t done = LWP_PEEK(cur->done) - LWP_PEEK(last->done);
	LwpStr s;

	lwp_hist_subtract(&p->diff, &cur->latency, &last->latency);
	lwp_str_init(&s);
	if (o->progress_timestamp)
		lwp_str_addf(&s, "progress: %.3f s", (double) (now + lwp_epoch_shift) / 1e9);
	else
		lwp_str_addf(&s, "progress: %.1f s", (double) (now - p->run->measure_from) / 1e9);
	lwp_str_addf(&s, ", %.1f tps, lat %.3f ms stddev %.3f, %lld failed",
				 span > 0 ? (double) done / span : 0.0, ms(lwp_hist_mean(&p->diff)),
				 ms(lwp_hist_stddev(&p->diff)),
				 (long long) (lwp_stats_failures(cur) - lwp_stats_failures(last)));
	if (o->schedule.active)
	{
		double lag = (double) (LWP_PEEK(cur->lag.sum) - LWP_PEEK(last->lag.sum));

		lwp_str_addf(&s, ", lag %.3f ms", done > 0 ? ms(lag / (double) done) : 0.0);
		if (o->latency_limit != 0)
			lwp_str_addf(&s, ", %lld skipped",
						 (long long) (LWP_PEEK(cur->skipped) - LWP_PEEK(last->skipped)));
	}
	if (o->max_tries != 1)
		lwp_str_addf(&s, ", %lld retried, %lld retries",
					 (long long) (LWP_PEEK(cur->retried) - LWP_PEEK(last->retried)),
					 (long long) (LWP_PEEK(cur->retries) - LWP_PEEK(last->retries)));
	if (!o->as_pgbench)
		lwp_str_addf(&s, ", p50 %.3f p95 %.3f p99 %.3f max %.3f ms",
					 ms((double) lwp_hist_percentile(&p->diff, 50)),
					 ms((double) lwp_hist_percentile(&p->diff, 95)),
					 ms((double) lwp_hist_percentile(&p->diff, 99)),
					 ms((double) lwp_hist_percentile(&p->diff, 100)));
	lwp_str_addc(&s, '\n');
	fputs(s.data, stderr);
	lwp_str_free(&s);
	keep(last, cur);
	p->line_at = now;
}

static void
add_second(LwpProgress *p, int64_t now)
{
	LwpStats *cur = &p->now;
	LwpStats *last = &p->second_last;
	LwpResult *res = p->res;
	LwpSecond *s;

	lwp_hist_subtract(&p->diff, &cur->latency, &last->latency);
	res->second = lwp_realloc(res->second, sizeof(LwpSecond) * (size_t) (res->nseconds + 1));
	s = &res->second[res->nseconds++];
	s->from = (double) (p->second_at - p->run->measure_from) / 1e9;
	s->to = (double) (now - p->run->measure_from) / 1e9;
	s->done = LWP_PEEK(cur->done) - LWP_PEEK(last->done);
	s->failed = lwp_stats_failures(cur) - lwp_stats_failures(last);
	s->skipped = LWP_PEEK(cur->skipped) - LWP_PEEK(last->skipped);
	s->mean = lwp_hist_mean(&p->diff);
	s->p50 = lwp_hist_percentile(&p->diff, 50);
	s->p99 = lwp_hist_percentile(&p->diff, 99);
	s->max = lwp_hist_percentile(&p->diff, 100);
	keep(last, cur);
	p->second_at = now;
}

static void
draw_bar(LwpProgress *p, int64_t now)
{
	const LwpOptions *o = p->o;
	int64_t done = LWP_PEEK(p->now.done);
	double span = (double) (now - p->run->measure_from) / 1e9;
	double share;
	char bar[BAR_WIDTH + 1];

	if (now < p->run->measure_from)
	{
		fprintf(stderr, "\rwarm-up, %.1f s left   ", -span);
		p->bar_shown = true;
		return;
	}
	if (o->duration > 0)
		share = span / o->duration;
	else
		share = (double) lwp_stats_all(&p->now) /
				((double) o->transactions * (double) p->run->nclients);
	share = share > 1 ? 1 : share;
	for (int i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < (int) (share * BAR_WIDTH) ? '#' : '.';
	bar[BAR_WIDTH] = '\0';
	fprintf(stderr, "\r[%s] %3.0f%% %.1f s, %.0f tps, p99 %.3f ms   ", bar, share * 100, span,
			span > 0 ? (double) done / span : 0.0,
			ms((double) lwp_hist_percentile(&p->now.latency, 99)));
	p->bar_shown = true;
}

void
lwp_progress_tick(LwpProgress *p, int64_t now)
{
	if (now < lwp_progress_next(p))
		return;
	look(p);
	if (p->lines && now >= p->next_line)
	{
		print_line(p, now);
		while (p->next_line <= now)
			p->next_line += p->o->progress * LWP_NS_PER_SEC;
	}
	if (p->series && now >= p->next_second)
	{
		add_second(p, now);
		while (p->next_second <= now)
			p->next_second += LWP_NS_PER_SEC;
	}
	if (p->bar && now >= p->next_bar)
	{
		draw_bar(p, now);
		p->next_bar = now + BAR_STEP_NS;
	}
}

void
lwp_progress_end(LwpProgress *p, int64_t now)
{
	if (p->series && now > p->second_at)
	{
		look(p);
		if (p->res->nseconds > 0 && lwp_stats_all(&p->now) == lwp_stats_all(&p->second_last))
			p->res->second[p->res->nseconds - 1].to = (double) (now - p->run->measure_from) / 1e9;
		else
			add_second(p, now);
	}
	if (p->bar_shown)
		fprintf(stderr, "\r%*s\r", 78, "");
	lwp_stats_free(&p->line_last);
	lwp_stats_free(&p->second_last);
	lwp_stats_free(&p->now);
	lwp_hist_free(&p->diff);
}
