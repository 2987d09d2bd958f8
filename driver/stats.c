/*
 * stats.c
 *		What is counted while scripts run.
 */
#include "stats.h"

#include <string.h>

void
lwp_stats_init(LwpStats *s, bool scheduled)
{
	memset(s, 0, sizeof(*s));
	s->scheduled = scheduled;
	lwp_hist_init(&s->latency);
	if (scheduled)
	{
		lwp_hist_init(&s->service);
		lwp_hist_init(&s->lag);
	}
}

void
lwp_stats_free(LwpStats *s)
{
	lwp_hist_free(&s->latency);
	if (s->scheduled)
	{
		lwp_hist_free(&s->service);
		lwp_hist_free(&s->lag);
	}
}

void
lwp_stats_clear(LwpStats *s)
{
	atomic_store(&s->done, 0);
	atomic_store(&s->skipped, 0);
	atomic_store(&s->retried, 0);
	atomic_store(&s->retries, 0);
	atomic_store(&s->late, 0);
	for (int i = 0; i < LWP_NFAILURES; i++)
		atomic_store(&s->failed[i], 0);
	lwp_hist_clear(&s->latency);
	if (s->scheduled)
	{
		lwp_hist_clear(&s->service);
		lwp_hist_clear(&s->lag);
	}
}

static void
add_counters(LwpStats *into, const LwpStats *from)
{
	LWP_BUMP(into->done, LWP_PEEK(from->done));
	LWP_BUMP(into->skipped, LWP_PEEK(from->skipped));
	LWP_BUMP(into->retried, LWP_PEEK(from->retried));
	LWP_BUMP(into->retries, LWP_PEEK(from->retries));
	LWP_BUMP(into->late, LWP_PEEK(from->late));
	for (int i = 0; i < LWP_NFAILURES; i++)
		LWP_BUMP(into->failed[i], LWP_PEEK(from->failed[i]));
}

void
lwp_stats_merge(LwpStats *into, const LwpStats *from)
{
	add_counters(into, from);
	lwp_hist_merge(&into->latency, &from->latency);
	if (into->scheduled)
	{
		lwp_hist_merge(&into->service, &from->service);
		lwp_hist_merge(&into->lag, &from->lag);
	}
}

void
lwp_stats_snapshot(LwpStats *into, const LwpStats *from)
{
	add_counters(into, from);
	lwp_hist_snapshot(&into->latency, &from->latency);
	if (into->scheduled)
	{
		lwp_hist_snapshot(&into->service, &from->service);
		lwp_hist_snapshot(&into->lag, &from->lag);
	}
}

int64_t
lwp_stats_failures(const LwpStats *s)
{
	int64_t n = 0;

	for (int i = 0; i < LWP_NFAILURES; i++)
		n += LWP_PEEK(s->failed[i]);
	return n;
}

int64_t
lwp_stats_all(const LwpStats *s)
{
	return LWP_PEEK(s->done) + LWP_PEEK(s->skipped) + lwp_stats_failures(s);
}

double
lwp_jain(const int64_t *x, int n)
{
	double sum = 0;
	double sum2 = 0;

	for (int i = 0; i < n; i++)
	{
		sum += (double) x[i];
		sum2 += (double) x[i] * (double) x[i];
	}
	return n == 0 || sum2 == 0 ? 1.0 : sum * sum / (n * sum2);
}
