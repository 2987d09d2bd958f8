/*
 * execute.c
 *		Runs a benchmark from connecting to merged results.
 *
 * This is the main thread's part: it sets the run up, gives GO, looks at the
 * clock, at signals and at the counters, and merges what the threads counted.
 */
#define _GNU_SOURCE
#include "execute.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "message.h"
#include "progress.h"
#include "worker.h"

/* expressions may nest LWP_MAX_EXPR_DEPTH deep, whatever the user's limit is */
#define STACK_SIZE ((size_t) 16 * 1024 * 1024)

static int signal_fd = -1;

void
lwp_signals_init(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0)
		lwp_fatal("signalfd failed: %s", strerror(errno));
}

/* the signal that came, 0 when none did */
static int
take_signal(void)
{
	struct signalfd_siginfo info;

	if (signal_fd >= 0 && read(signal_fd, &info, sizeof(info)) == (ssize_t) sizeof(info))
		return (int) info.ssi_signo;
	return 0;
}

/* ---- setting up ---- */

static void
seed_from(LwpPrng *g, LwpPrng *base)
{
	lwp_prng_seed(g, lwp_prng_next(base));
}

static void
set_unless_defined(const LwpOptions *o, LwpVars *vars, const char *name, int64_t value)
{
	int slot = lwp_names_find(&o->names, name);

	if (slot >= 0 && !vars->v[slot].defined)
		lwp_var_set(&vars->v[slot], lwp_int(value));
}

static void
set_variables(const LwpOptions *o, LwpClient *c, uint64_t default_seed)
{
	lwp_vars_init(&c->vars, &o->names);
	for (int i = 0; i < o->ndefines; i++)
		lwp_var_set_text(&c->vars.v[o->define[i].slot], o->define[i].value);
	set_unless_defined(o, &c->vars, "scale", o->scale);
	set_unless_defined(o, &c->vars, "client_id", c->id);
	set_unless_defined(o, &c->vars, "default_seed", (int64_t) default_seed);
	set_unless_defined(o, &c->vars, "random_seed", (int64_t) o->seed);
}

/* the order of the draws is part of "same seed, same sequence" */
static void
make_clients(LwpRun *r, LwpPrng *base)
{
	const LwpOptions *o = r->o;
	int slot = lwp_names_find(&o->names, "default_seed");
	bool seed_given = false;
	uint64_t default_seed = 0;

	for (int i = 0; i < r->nclients; i++)
	{
		LwpClient *c = &r->client[i];

		c->id = i;
		c->fd = -1;
		c->connect_ns = -1;
		c->state = LWP_ST_CONNECT_WAIT;
		c->initial = !o->connect_each;
		if (o->nstatements > 0)
			c->prepared = lwp_calloc((size_t) o->nstatements, 1);
		seed_from(&c->rng, base);
	}
	for (int i = 0; i < o->ndefines; i++)
		seed_given |= o->define[i].slot == slot;
	if (!seed_given)
		default_seed = lwp_prng_next(base);
	for (int i = 0; i < r->nclients; i++)
		set_variables(o, &r->client[i], default_seed);
}

static LwpCmdStats **
make_cmd_stats(const LwpOptions *o)
{
	LwpCmdStats **s = lwp_calloc((size_t) o->nscripts, sizeof(*s));

	for (int i = 0; i < o->nscripts; i++)
	{
		s[i] = lwp_calloc_aligned(((size_t) o->script[i]->ncmds + 1) * sizeof(LwpCmdStats));
		for (int k = 0; k < o->script[i]->ncmds; k++)
			lwp_hist_init(&s[i][k].time);
		/* failures after the last command */
		lwp_hist_init(&s[i][o->script[i]->ncmds].time);
	}
	return s;
}

static void
free_cmd_stats(LwpCmdStats **s, const LwpOptions *o)
{
	if (s == NULL)
		return;
	for (int i = 0; i < o->nscripts; i++)
	{
		for (int k = 0; k <= o->script[i]->ncmds; k++)
			lwp_hist_free(&s[i][k].time);
		free(s[i]);
	}
	free(s);
}

static LwpStats *
make_script_stats(const LwpOptions *o)
{
	LwpStats *s;

	if (o->nscripts < 2)
		return NULL;
	s = lwp_calloc_aligned(sizeof(LwpStats) * (size_t) o->nscripts);
	for (int i = 0; i < o->nscripts; i++)
		lwp_stats_init(&s[i], o->schedule.active);
	return s;
}

static void
free_script_stats(LwpStats *s, const LwpOptions *o)
{
	if (s == NULL)
		return;
	for (int i = 0; i < o->nscripts; i++)
		lwp_stats_free(&s[i]);
	free(s);
}

static LwpWorker *
make_worker(LwpRun *r, int id, LwpClient *clients, int n, LwpPrng *base)
{
	const LwpOptions *o = r->o;
	LwpWorker *w = lwp_calloc_aligned(sizeof(LwpWorker));
	struct epoll_event ev = {.events = EPOLLIN};

	w->run = r;
	w->o = o;
	w->id = id;
	w->client = clients;
	w->nclients = w->live = n;
	seed_from(&w->rng_choose, base);
	seed_from(&w->rng_throttle, base);
	seed_from(&w->rng_sample, base);
	lwp_arrivals_init(&w->arrivals, id, r->nthreads);
	lwp_timers_init(&w->timers, n);
	lwp_str_init(&w->sql);
	lwp_stats_init(&w->stats, o->schedule.active);
	w->script_stats = make_script_stats(o);
	if (o->per_command)
		w->cmd_stats = make_cmd_stats(o);
	lwp_hist_init(&w->connect_time);

	/* an even share of the tries that may be under way at a time */
	w->connect_limit = o->connect_concurrency / r->nthreads;
	if (id < o->connect_concurrency % r->nthreads || w->connect_limit == 0)
		w->connect_limit++;
	w->epfd = epoll_create1(EPOLL_CLOEXEC);
	w->wakefd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ev.data.u64 = 0;
	if (w->epfd < 0 || w->wakefd < 0 || epoll_ctl(w->epfd, EPOLL_CTL_ADD, w->wakefd, &ev) != 0)
		lwp_fatal("could not set up thread %d: %s", id, strerror(errno));
	return w;
}

static void
free_worker(LwpWorker *w)
{
	close(w->epfd);
	close(w->wakefd);
	lwp_timers_free(&w->timers);
	lwp_str_free(&w->sql);
	lwp_stats_free(&w->stats);
	free_script_stats(w->script_stats, w->o);
	free_cmd_stats(w->cmd_stats, w->o);
	lwp_hist_free(&w->connect_time);
	free(w->connect_error);
	free(w);
}

static void
free_run(LwpRun *r)
{
	for (int i = 0; i < r->nthreads; i++)
		free_worker(r->worker[i]);
	free(r->worker);
	for (int i = 0; i < r->nclients; i++)
	{
		lwp_vars_free(&r->client[i].vars);
		free(r->client[i].prepared);
	}
	free(r->client);
	close(r->notify);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
	if (r->log != NULL)
	{
		lwp_logwriter_free(r->log);
		free(r->log);
	}
	free(r);
}

static bool
start_log(LwpRun *r)
{
	const LwpOptions *o = r->o;
	LwpLogConfig cfg = {.prefix = o->log_prefix,
						.per_thread = o->log_per_thread,
						.drop_when_full = o->log_drop,
						.agg_interval = o->agg_interval,
						.agg_partial = !o->as_pgbench,
						.with_lag = o->schedule.active,
						.with_limit = o->latency_limit != 0,
						.with_retries = o->max_tries != 1,
						.detailed = o->failures_detailed,
						.with_other = o->continue_on_error || o->compat >= 19};

	if (!o->use_log)
		return true;
	r->log = lwp_calloc(1, sizeof(LwpLogWriter));
	if (!lwp_logwriter_start(r->log, &cfg, r->nthreads, (int) getpid()))
		return false;
	for (int i = 0; i < r->nthreads; i++)
		r->worker[i]->ring = &r->log->ring[i];
	return true;
}

static LwpRun *
make_run(const LwpOptions *o)
{
	LwpRun *r = lwp_calloc_aligned(sizeof(LwpRun));
	LwpPrng base;
	int dealt = 0;

	r->o = o;
	r->nclients = o->nclients;
	r->nthreads = o->nthreads < o->nclients ? o->nthreads : o->nclients;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	atomic_init(&r->abort_thread, -1);
	r->notify = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->notify < 0)
		lwp_fatal("eventfd failed: %s", strerror(errno));
	r->client = lwp_calloc_aligned((size_t) r->nclients * sizeof(LwpClient));
	r->worker = lwp_calloc((size_t) r->nthreads, sizeof(*r->worker));
	lwp_prng_seed(&base, o->seed);
	make_clients(r, &base);
	for (int i = 0; i < r->nthreads; i++)
	{
		int left = r->nthreads - i;
		int n = (r->nclients - dealt + left - 1) / left;

		r->worker[i] = make_worker(r, i, &r->client[dealt], n, &base);
		dealt += n;
	}
	return r;
}

static void
start_threads(LwpRun *r)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	r->begun = lwp_now();
	for (int i = 0; i < r->nthreads; i++)
	{
		errno = pthread_create(&r->worker[i]->thread, &attr, lwp_worker_main, r->worker[i]);
		if (errno != 0)
			lwp_fatal("could not create thread: %s", strerror(errno));
	}
	pthread_attr_destroy(&attr);
}

/* ---- running ---- */

/* waits for news from the workers, a signal or the time (INT64_MAX: none) */
static void
wait_news(LwpRun *r, LwpResult *res, int64_t until)
{
	struct pollfd p[2] = {{.fd = r->notify, .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
	struct timespec ts = {0, 0};
	int64_t left = until == INT64_MAX ? 0 : until - lwp_now();
	uint64_t n;
	int sig;

	if (until != INT64_MAX && left > 0)
	{
		ts.tv_sec = left / LWP_NS_PER_SEC;
		ts.tv_nsec = left % LWP_NS_PER_SEC;
	}
	ppoll(p, 2, until == INT64_MAX ? NULL : &ts, NULL);
	if (read(r->notify, &n, sizeof(n)) < 0)
		n = 0;
	while ((sig = take_signal()) != 0)
	{
		/* the second one is meant */
		lwp_run_stop(r, res->signal ? LWP_STOP_HARD : LWP_STOP_SOFT);
		if (res->signal == 0)
			res->signal = sig;
	}
}

static bool
all_arrived(LwpRun *r)
{
	bool all;

	pthread_mutex_lock(&r->lock);
	all = r->arrived == r->nthreads;
	pthread_mutex_unlock(&r->lock);
	return all;
}

static bool
all_over(LwpRun *r)
{
	bool all;

	pthread_mutex_lock(&r->lock);
	all = r->over == r->nthreads;
	pthread_mutex_unlock(&r->lock);
	return all;
}

static void
announce(LwpRun *r, bool go)
{
	pthread_mutex_lock(&r->lock);
	if (go)
		r->go_announced = true;
	else
		r->cancelled = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static void
join_all(LwpRun *r)
{
	for (int i = 0; i < r->nthreads; i++)
		pthread_join(r->worker[i]->thread, NULL);
}

/* everybody has tried to connect: can the run begin? */
static bool
enough_clients(LwpRun *r, LwpResult *res)
{
	int need = r->o->min_clients > 0 ? r->o->min_clients : r->nclients;

	for (int i = 0; i < r->nthreads; i++)
	{
		LwpWorker *w = r->worker[i];

		res->connect_failed += w->connect_failed;
		if (w->connect_error != NULL && res->connect_error == NULL)
			res->connect_error = lwp_strdup(w->connect_error);
	}
	res->connected = r->nclients - res->connect_failed;
	if (res->signal != 0)
		return false;
	if (res->connected >= need)
		return true;
	if (r->o->min_clients > 0)
		lwp_error("only %d of %d clients could connect, fewer than --min-clients (%d)",
				  res->connected, r->nclients, need);
	else if (!r->o->as_pgbench)
	{
		lwp_error("%d of %d clients could not connect", res->connect_failed, r->nclients);
		lwp_hint("Use --min-clients to run with those that can.");
	}
	return false;
}

static void
set_clock(LwpRun *r)
{
	const LwpOptions *o = r->o;

	r->go = lwp_now();
	r->measure_from = r->go + (int64_t) (o->warmup * (double) LWP_NS_PER_SEC);
	r->deadline = o->duration > 0 ? r->measure_from + o->duration * LWP_NS_PER_SEC : 0;
	if (r->log != NULL)
		lwp_logwriter_go(r->log, r->measure_from);
}

/* where the main thread is between GO and the end */
typedef struct Watch
{
	LwpProgress progress;
	const LwpRunHooks *hooks;
	bool measuring;
	bool measured;
	int64_t cpu;
} Watch;

static void
begin_measuring(Watch *w)
{
	w->measuring = true;
	w->cpu = lwp_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static void
end_measuring(Watch *w)
{
	if (w->measured)
		return;
	w->measured = true;
	if (w->hooks->at_end != NULL)
		w->hooks->at_end(w->hooks->arg);
}

/* what is due at this time besides progress; when the next such thing is */
static int64_t
watch_clock(const LwpRun *r, Watch *w, int64_t now)
{
	if (!w->measuring && now >= r->measure_from)
	{
		if (w->hooks->at_go != NULL)
			w->hooks->at_go(w->hooks->arg);
		begin_measuring(w);
	}
	if (!w->measuring)
		return r->measure_from;

	/* the timed window is over; what began in it may take longer */
	if (r->deadline != 0 && now >= r->deadline)
		end_measuring(w);
	return r->deadline != 0 && !w->measured ? r->deadline : INT64_MAX;
}

static void
watch_run(LwpRun *r, const LwpRunHooks *hooks, LwpResult *res)
{
	Watch w = {.hooks = hooks};

	if (r->o->warmup <= 0)
		begin_measuring(&w);
	lwp_progress_begin(&w.progress, r, res);
	while (!all_over(r))
	{
		int64_t next = watch_clock(r, &w, lwp_now());
		int64_t tick = lwp_progress_next(&w.progress);

		wait_news(r, res, tick < next ? tick : next);
		lwp_progress_tick(&w.progress, lwp_now());
	}
	join_all(r);
	res->process_cpu = (double) (lwp_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - w.cpu) / 1e9;
	end_measuring(&w);
	lwp_progress_end(&w.progress, lwp_now());
}

/* ---- results ---- */

static void
merge_counts(LwpRun *r, LwpResult *res)
{
	const LwpOptions *o = r->o;

	for (int i = 0; i < r->nthreads; i++)
	{
		LwpWorker *w = r->worker[i];

		lwp_stats_merge(&res->total, &w->stats);
		for (int s = 0; res->script != NULL && s < o->nscripts; s++)
			lwp_stats_merge(&res->script[s], &w->script_stats[s]);
		for (int s = 0; res->cmd != NULL && s < o->nscripts; s++)
			for (int k = 0; k <= o->script[s]->ncmds; k++)
			{
				lwp_hist_merge(&res->cmd[s][k].time, &w->cmd_stats[s][k].time);
				res->cmd[s][k].failures += w->cmd_stats[s][k].failures;
				res->cmd[s][k].retries += w->cmd_stats[s][k].retries;
			}
		lwp_hist_merge(&res->connect_time, &w->connect_time);
		res->connect_sum += (double) w->connect_sum / 1e9;
		res->reconnects += w->reconnects;
		res->abandoned += w->abandoned;
		res->aborted += w->aborted;
		if (w->ring != NULL)
		{
			res->log_waited += w->ring->waited_lines;
			res->log_waited_s += (double) w->ring->waited_ns / 1e9;
			res->log_dropped += w->ring->dropped;
		}
	}
}

static void
find_rates(LwpRun *r, LwpResult *res)
{
	int64_t last_start = r->measure_from;
	int64_t last_end = last_start;
	int64_t first_end = atomic_load(&r->first_end);

	res->thread = lwp_calloc((size_t) r->nthreads, sizeof(LwpThreadResult));
	for (int i = 0; i < r->nthreads; i++)
	{
		LwpWorker *w = r->worker[i];
		LwpThreadResult *t = &res->thread[i];
		double span = (double) (w->ended - w->started) / 1e9;

		if (w->started > last_start)
			last_start = w->started;
		if (w->ended > last_end)
			last_end = w->ended;
		if (!w->window_taken)
			w->window_done = LWP_PEEK(w->stats.done);
		res->window_done += w->window_done;
		t->clients = w->nclients;
		t->done = LWP_PEEK(w->stats.done);
		t->started = (double) (w->started - r->measure_from) / 1e9;
		t->ended = (double) (w->ended - r->measure_from) / 1e9;
		t->cpu = (double) w->cpu_ns / 1e9;
		res->cpu += t->cpu;
		if (span > 0 && t->cpu / span > res->busiest)
			res->busiest = t->cpu / span;
	}
	res->elapsed = (double) (last_end - r->measure_from) / 1e9;
	res->whole_tps = res->elapsed > 0 ? (double) LWP_PEEK(res->total.done) / res->elapsed : 0;
	res->window = first_end > last_start ? (double) (first_end - last_start) / 1e9 : 0;
	if (res->window > 0 && res->window_done > 0)
		res->tps = (double) res->window_done / res->window;
	else
	{
		res->window = res->elapsed;
		res->window_done = LWP_PEEK(res->total.done);
		res->tps = res->whole_tps;
	}
}

static void
find_fairness(LwpRun *r, LwpResult *res)
{
	int64_t *x = lwp_malloc(sizeof(int64_t) * (size_t) r->nclients);
	int n = 0;

	for (int i = 0; i < r->nclients; i++)
		if (r->client[i].state == LWP_ST_FINISHED)
			x[n++] = r->client[i].count;
	res->fairness = lwp_jain(x, n);
	free(x);
}

static void
find_exit_code(LwpRun *r, LwpResult *res)
{
	res->abort_thread = atomic_load(&r->abort_thread);
	if (res->signal != 0)
		res->exit_code = 128 + res->signal;
	else if (res->aborted > 0 || res->log_lost > 0 || (r->log != NULL && r->log->broken))
		res->exit_code = 2;
}

static void
finish_log(LwpRun *r, LwpResult *res)
{
	if (r->log == NULL)
		return;
	lwp_logwriter_stop(r->log);
	for (int i = 0; i < r->log->nfiles; i++)
		res->log_lines += r->log->file[i].lines;
	res->log_lost = r->log->lost;
	res->log_path = lwp_strdup(r->log->file[0].path);
}

bool
lwp_execute(const LwpOptions *o, const LwpRunHooks *hooks, LwpResult *res)
{
	LwpRun *r = make_run(o);

	memset(res, 0, sizeof(*res));
	res->nclients = r->nclients;
	res->nthreads = r->nthreads;
	res->abort_thread = -1;
	lwp_stats_init(&res->total, o->schedule.active);
	res->script = make_script_stats(o);
	res->cmd = o->per_command ? make_cmd_stats(o) : NULL;
	lwp_hist_init(&res->connect_time);
	if (!start_log(r))
		exit(1);
	start_threads(r);
	while (!all_arrived(r))
		wait_news(r, res, INT64_MAX);
	if (!enough_clients(r, res))
	{
		if (res->signal != 0)
			lwp_error("interrupted before the run began");
		res->exit_code = res->signal ? 128 + res->signal : 1;
		announce(r, false);
		join_all(r);
		finish_log(r, res);
		free_run(r);
		return false;
	}
	res->began = true;
	if (hooks->at_go != NULL && o->warmup <= 0)
		hooks->at_go(hooks->arg);
	set_clock(r);
	announce(r, true);
	watch_run(r, hooks, res);
	finish_log(r, res);
	res->connect_wall = (double) (r->go - r->begun) / 1e9;
	merge_counts(r, res);
	find_rates(r, res);
	find_fairness(r, res);
	find_exit_code(r, res);
	free_run(r);
	return true;
}

void
lwp_result_free(LwpResult *res, const LwpOptions *o)
{
	lwp_stats_free(&res->total);
	free_script_stats(res->script, o);
	free_cmd_stats(res->cmd, o);
	lwp_hist_free(&res->connect_time);
	free(res->connect_error);
	free(res->thread);
	free(res->log_path);
	free(res->second);
}
