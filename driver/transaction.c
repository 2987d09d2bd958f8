/*
 * transaction.c
 *		The bookkeeping at the end of a transaction.
 */
#include <stdio.h>

#include "client.h"
#include "message.h"

/* how many were done when the first thread ended: the end of the common window */
static inline void
note_window(LwpWorker *w, int64_t now)
{
	int64_t first_end = atomic_load_explicit(&w->run->first_end, memory_order_relaxed);

	if (first_end != 0 && !w->window_taken && now > first_end)
	{
		w->window_done = LWP_PEEK(w->stats.done);
		w->window_taken = true;
	}
}

static inline void
count(LwpStats *s, const LwpClient *c, bool skipped, int64_t now, int64_t limit)
{
	if (skipped)
	{
		LWP_BUMP(s->skipped, 1);
		return;
	}
	if (c->tries > 1)
	{
		LWP_BUMP(s->retried, 1);
		LWP_BUMP(s->retries, c->tries - 1);
	}
	if (c->err != LWP_ERR_NONE)
	{
		LWP_BUMP(s->failed[c->err], 1);
		return;
	}
	LWP_BUMP(s->done, 1);
	lwp_hist_record(&s->latency, now - c->scheduled);
	if (s->scheduled)
	{
		lwp_hist_record(&s->service, now - c->begin);
		lwp_hist_record(&s->lag, c->begin - c->scheduled);
	}
	if (limit != 0 && now - c->scheduled > limit)
		LWP_BUMP(s->late, 1);
}

static void
log_it(LwpWorker *w, const LwpClient *c, int64_t now, bool skipped)
{
	const LwpOptions *o = w->o;
	LwpLogRecord rec = {.end = now,
						.number = c->count,
						.client = c->id,
						.tries = c->tries,
						.script = (int16_t) c->script};

	if (o->sampling_rate != 0.0 && lwp_prng_unit(&w->rng_sample) > o->sampling_rate)
		return;
	if (skipped)
		rec.result = LWP_LOG_SKIPPED;
	else if (c->err != LWP_ERR_NONE)
		rec.result = (uint8_t) (LWP_LOG_FAILED + (int) c->err);
	else
	{
		rec.latency = now - c->scheduled;
		rec.lag = c->begin - c->scheduled;
	}
	lwp_ring_push(w->ring, w->run->log, &rec);
}

void
lwp_xact_record(LwpWorker *w, LwpClient *c, int64_t *now, bool skipped)
{
	int64_t t = lwp_now_lazy(now);

	c->count++;
	if (t < w->run->measure_from)
		return;
	note_window(w, t);
	count(&w->stats, c, skipped, t, w->o->latency_limit);
	if (w->script_stats != NULL)
		count(&w->script_stats[c->script], c, skipped, t, w->o->latency_limit);
	if (w->ring != NULL)
		log_it(w, c, t, skipped);
}

bool
lwp_xact_can_retry(const LwpWorker *w, const LwpClient *c, int64_t *now)
{
	const LwpOptions *o = w->o;

	if (c->err != LWP_ERR_SERIALIZATION && c->err != LWP_ERR_DEADLOCK)
		return false;
	if (o->max_tries != 0 && c->tries >= o->max_tries)
		return false;
	if (o->latency_limit != 0 && lwp_now_lazy(now) - c->scheduled > o->latency_limit)
		return false;
	return !lwp_run_over(w->run, now);
}

void
lwp_xact_verbose(const LwpWorker *w, const LwpClient *c, int64_t *now, bool retry)
{
	const LwpOptions *o = w->o;
	LwpStr s;

	lwp_str_init(&s);
	lwp_str_addf(&s, "client %d %s (try %u", c->id,
				 retry ? "repeats the transaction after the error" : "ends the failed transaction",
				 c->tries);
	if (o->max_tries != 0)
		lwp_str_addf(&s, "/%u", o->max_tries);
	if (o->latency_limit != 0)
		lwp_str_addf(&s, ", %.3f%% of the maximum time of tries was used",
					 100.0 * (double) (lwp_now_lazy(now) - c->scheduled) /
						 (double) o->latency_limit);
	lwp_info("%s)", s.data);
	lwp_str_free(&s);
}
