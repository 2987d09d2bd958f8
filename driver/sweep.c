/*
 * sweep.c
 *		--sweep-clients: one run for each number of clients.
 *
 * Each run has connections, warm-up and clock of its own.  At the end come a
 * table and the Universal Scalability Law through its points.
 */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "execute.h"
#include "json_report.h"
#include "mem.h"
#include "message.h"
#include "profile.h"
#include "usl.h"

/* share of the highest rate that is called the knee */
#define KNEE 0.9

typedef struct Step
{
	double n;
	double tps;
	double mean;
	double p99;
	double busiest;
	int64_t failed;
	bool valid;
} Step;

static void
print_head(void)
{
	printf("%8s %14s %12s %12s %10s %12s\n", "clients", "tps", "latency ms", "p99 ms", "failed",
		   "busiest CPU");
}

static void
print_step(const Step *s)
{
	printf("%8.0f %14.1f %12.3f %12.3f %10lld %11.0f%%\n", s->n, s->tps, s->mean / 1e6,
		   s->p99 / 1e6, (long long) s->failed, 100 * s->busiest);
	fflush(stdout);
}

static void
print_fit(const LwpUsl *u, const Step *best)
{
	printf("Universal Scalability Law: X(n) = %.6g n / (1 + %.6g (n - 1) + %.6g n (n - 1)), "
		   "R^2 = %.4f\n",
		   u->lambda, u->sigma, u->kappa, u->r2);
	printf("highest measured: %.1f tps at %.0f clients\n", best->tps, best->n);
	if (isfinite(u->peak_n))
		printf("peak of the fit: %.1f tps at %.1f clients\n", u->peak_x, u->peak_n);
	else if (isfinite(u->peak_x))
		printf("peak of the fit: none, the rate approaches %.1f tps\n", u->peak_x);
	else
		printf("peak of the fit: none, the rate grows in step with the clients\n");
	if (isfinite(lwp_usl_knee(u, KNEE)))
		printf("knee: %.0f%% of that with %.1f clients\n", KNEE * 100, lwp_usl_knee(u, KNEE));
	else
		printf("knee: none within reach of these measurements\n");
}

static json_t *
fit_json(const LwpUsl *u)
{
	json_t *o = json_object();
	double knee = lwp_usl_knee(u, KNEE);

	json_object_set_new(o, "lambda", json_real(u->lambda));
	json_object_set_new(o, "sigma", json_real(u->sigma));
	json_object_set_new(o, "kappa", json_real(u->kappa));
	json_object_set_new(o, "r2", json_real(u->r2));
	json_object_set_new(o, "peak_clients",
						isfinite(u->peak_n) ? json_real(u->peak_n) : json_null());
	json_object_set_new(o, "peak_tps", isfinite(u->peak_x) ? json_real(u->peak_x) : json_null());
	json_object_set_new(o, "knee_share", json_real(KNEE));
	json_object_set_new(o, "knee_clients", isfinite(knee) ? json_real(knee) : json_null());
	return o;
}

/* one run; false when it never began or nothing more is to follow */
static bool
run_step(LwpOptions *o, int n, LwpProfile *profile, Step *s, json_t *runs, int *code)
{
	LwpRunHooks hooks = {NULL, NULL, profile};
	LwpResult res;
	bool began;

	o->nclients = n;
	if (profile != NULL)
	{
		hooks.at_go = lwp_profile_start;
		hooks.at_end = lwp_profile_stop;
	}
	began = lwp_execute(o, &hooks, &res);
	if (began)
	{
		res.profile = profile;
		s->n = res.connected;
		s->tps = res.tps;
		s->mean = lwp_hist_mean(&res.total.latency);
		s->p99 = (double) lwp_hist_percentile(&res.total.latency, 99);
		s->busiest = res.busiest;
		s->failed = lwp_stats_failures(&res.total);
		s->valid = res.tps > 0;
		print_step(s);
		if (profile != NULL)
			lwp_profile_print(profile);
		json_array_append_new(runs, lwp_json_run(o, &res));
	}
	if (res.exit_code != 0)
		*code = res.exit_code;
	began = began && res.signal == 0 && !(o->exit_on_abort && res.aborted > 0);
	lwp_result_free(&res, o);
	return began;
}

/* table, fit and document of the steps that were run */
static void
finish(LwpOptions *o, const Step *step, int n, json_t *runs, int *code)
{
	double *clients = lwp_malloc(sizeof(double) * (size_t) (n + 1));
	double *rate = lwp_malloc(sizeof(double) * (size_t) (n + 1));
	const Step *best = NULL;
	LwpUsl usl;
	json_t *fit = json_null();
	int points = 0;

	for (int i = 0; i < n; i++)
	{
		if (!step[i].valid)
			continue;
		clients[points] = step[i].n;
		rate[points++] = step[i].tps;
		if (best == NULL || step[i].tps > best->tps)
			best = &step[i];
	}
	if (best != NULL && lwp_usl_fit(clients, rate, points, &usl))
	{
		print_fit(&usl, best);
		fit = fit_json(&usl);
	}
	else
		printf("no scalability fit: it takes at least three different numbers of clients\n");
	free(clients);
	free(rate);
	if (o->json_path != NULL)
	{
		json_t *doc = lwp_json_head(o);

		json_object_set(doc, "sweep", runs);
		json_object_set_new(doc, "scalability", fit);
		if (!lwp_json_store(doc, o->json_path) && *code == 0)
			*code = 1;
	}
	else
		json_decref(fit);
}

int
lwp_sweep(LwpOptions *o)
{
	LwpProfile *profile = o->profile ? lwp_profile_open(o) : NULL;
	Step *step = lwp_calloc((size_t) o->nsweep, sizeof(Step));
	json_t *runs = json_array();
	int code = 0;
	int done = 0;

	print_head();
	while (done < o->nsweep && run_step(o, o->sweep[done], profile, &step[done], runs, &code))
		done++;
	finish(o, step, done < o->nsweep ? done + 1 : done, runs, &code);
	json_decref(runs);
	free(step);
	if (!lwp_profile_close(profile) && code == 0)
		code = 1;
	return code;
}
