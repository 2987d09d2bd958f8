/*
 * worker.c
 *		One thread's loop over its clients.
 *
 * A client is in one of four places: in the list of those that can go on, in
 * the timer heap, known to epoll only, or in a final state.  A turn of the
 * loop lets everybody in the list advance once, fires the timers that are due
 * and takes what epoll has; its cost depends on how many clients have
 * something to do, not on how many there are.
 */
#define _GNU_SOURCE
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client.h"
#include "message.h"

#define MAX_EVENTS 256

/*
 * While there are clients that need no network, epoll is asked only every so
 * many turns: a no-op script should not pay a system call per transaction.
 */
#define BUSY_TURNS 64

/* how long closing connections may take to cancel what they were executing */
#define CANCEL_BUDGET_NS (2 * LWP_NS_PER_SEC)

_Static_assert(LWP_EV_MASK < _Alignof(LwpClient), "events are told apart by low pointer bits");

void
lwp_run_stop(LwpRun *r, int how)
{
	int was = atomic_load(&r->stop);
	uint64_t one = 1;

	while (was < how && !atomic_compare_exchange_weak(&r->stop, &was, how))
		;
	for (int i = 0; i < r->nthreads; i++)
		if (write(r->worker[i]->wakefd, &one, sizeof(one)) < 0)
			continue; /* the counter is full: it will wake up anyway */
}

void
lwp_worker_ready(LwpWorker *w, LwpClient *c)
{
	if (c->queued)
		return;
	c->queued = true;
	c->next_ready = NULL;
	if (w->ready_tail != NULL)
		w->ready_tail->next_ready = c;
	else
		w->ready_head = c;
	w->ready_tail = c;
}

static void
watch(LwpWorker *w, int fd, uint32_t events, LwpClient *c, int what, bool known)
{
	struct epoll_event ev = {.events = events};

	ev.data.u64 = (uint64_t) (uintptr_t) c | (uint64_t) what;
	if (epoll_ctl(w->epfd, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &ev) == 0)
		return;

	/* libpq may have closed the socket and got the same number again, or not */
	if (errno == (known ? ENOENT : EEXIST) &&
		epoll_ctl(w->epfd, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &ev) == 0)
		return;
	lwp_fatal("epoll_ctl failed: %s", strerror(errno));
}

void
lwp_worker_watch(LwpWorker *w, LwpClient *c, uint32_t events)
{
	int fd = PQsocket(c->con);

	watch(w, fd, events, c, LWP_EV_SOCKET, fd == c->fd);
	c->fd = fd;
	c->events = events;
}

void
lwp_worker_watch_fd(LwpWorker *w, int fd, LwpClient *c, int what)
{
	watch(w, fd, EPOLLIN, c, what, false);
}

/* what a client that waits for the socket does about an event on it */
static void
socket_event(LwpWorker *w, LwpClient *c, uint32_t events)
{
	if (c->con == NULL)
		return;
	if (events & ~(uint32_t) EPOLLOUT)
		c->io_ready = true;
	if (c->want_write)
	{
		/* the server may be waiting for us to read before it reads */
		if (c->io_ready && PQconsumeInput(c->con))
		{
			c->io_ready = false;
			c->maybe_unread = true;
		}
		if (!lwp_sql_flush(w, c))
			c->io_ready = true;
	}
	switch (c->state)
	{
		case LWP_ST_CONNECTING:
		case LWP_ST_SESSION_SQL:
		case LWP_ST_PREPARE:
		case LWP_ST_RESULT:
		case LWP_ST_DRAIN:
		case LWP_ST_DISCARD:
		case LWP_ST_ROLLBACK:
			lwp_client_advance(w, c);
			break;
		default:
			break; /* looked at when the client gets there */
	}
}

static void
timer_fired(LwpWorker *w, LwpClient *c)
{
	if (c->state == LWP_ST_CONNECTING)
		lwp_connect_timeout(w, c);
	else
		lwp_client_advance(w, c);
}

static void
fire_timers(LwpWorker *w)
{
	LwpTimer *t;
	int64_t now = 0;

	while ((t = lwp_timers_first(&w->timers)) != NULL && t->at <= lwp_now_lazy(&now))
	{
		lwp_timers_remove(&w->timers, t);
		timer_fired(w, (LwpClient *) t);
	}
}

static void
run_ready(LwpWorker *w)
{
	LwpClient *c = w->ready_head;

	/* those that become ready meanwhile wait for the next turn */
	w->ready_head = w->ready_tail = NULL;
	while (c != NULL)
	{
		LwpClient *next = c->next_ready;

		c->queued = false;
		if (c->state < LWP_ST_ABORTED)
			lwp_client_advance(w, c);
		c = next;
	}
}

/* time until the next timer in ns; -1: none */
static int64_t
next_timer(const LwpWorker *w)
{
	const LwpTimer *t = lwp_timers_first(&w->timers);
	int64_t left;

	if (t == NULL)
		return -1;
	left = t->at - lwp_now();
	return left > 0 ? left : 0;
}

static int
wait_events(LwpWorker *w, struct epoll_event *ev, int64_t timeout)
{
	int n;

	if (timeout <= 0)
		n = epoll_wait(w->epfd, ev, MAX_EVENTS, (int) timeout);
	else
	{
		struct timespec ts = {.tv_sec = timeout / LWP_NS_PER_SEC,
							  .tv_nsec = timeout % LWP_NS_PER_SEC};

		n = epoll_pwait2(w->epfd, ev, MAX_EVENTS, &ts, NULL);
		if (n < 0 && errno == ENOSYS)
		{
			/* an older kernel: ppoll has the resolution as well */
			struct pollfd p = {.fd = w->epfd, .events = POLLIN};

			n = ppoll(&p, 1, &ts, NULL);
			if (n > 0)
				n = epoll_wait(w->epfd, ev, MAX_EVENTS, 0);
		}
	}
	if (n < 0 && errno != EINTR)
		lwp_fatal("epoll_wait failed: %s", strerror(errno));
	return n < 0 ? 0 : n;
}

static void
handle_events(LwpWorker *w, struct epoll_event *ev, int n)
{
	for (int i = 0; i < n; i++)
	{
		int what = (int) (ev[i].data.u64 & LWP_EV_MASK);
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel keeps 64 bits for us */
		LwpClient *c = (LwpClient *) (uintptr_t) (ev[i].data.u64 & ~(uint64_t) LWP_EV_MASK);

		if (c == NULL)
		{
			uint64_t count;

			if (read(w->wakefd, &count, sizeof(count)) < 0)
				continue;
		}
		else if (what == LWP_EV_SOCKET)
			socket_event(w, c, ev[i].events);
		else
			lwp_shell_event(w, c, what);
	}
}

/* one turn; never longer than limit ns (-1: as long as it takes) */
static void
turn(LwpWorker *w, int64_t limit, int *busy)
{
	struct epoll_event ev[MAX_EVENTS];
	int64_t timeout;
	int n;

	if (w->ready_head != NULL)
	{
		run_ready(w);
		if (w->ready_head != NULL && ++*busy < BUSY_TURNS)
			return;
	}
	*busy = 0;
	if (w->timers.n > 0)
		fire_timers(w);
	timeout = w->ready_head != NULL ? 0 : next_timer(w);
	if (limit >= 0 && (timeout < 0 || timeout > limit))
		timeout = limit;
	if (w->live == 0)
		timeout = 0;
	if (w->ring != NULL)
	{
		/* what is pushed after this has a later time: see logring.h */
		if (timeout != 0)
			lwp_ring_sleep(w->ring);
		n = wait_events(w, ev, timeout);
		lwp_ring_wake(w->ring);
	}
	else
		n = wait_events(w, ev, timeout);
	handle_events(w, ev, n);
}

/* ---- before GO ---- */

static void
begin_connects(LwpWorker *w)
{
	while (w->connecting < w->connect_limit && w->waiting_turn < w->nclients)
	{
		LwpClient *c = &w->client[w->waiting_turn++];

		lwp_client_advance(w, c);
	}
}

static void
connect_all(LwpWorker *w)
{
	int busy = 0;

	if (w->o->connect_each)
		return;
	w->initial_left = w->nclients;
	while (w->initial_left > 0 && atomic_load(&w->run->stop) == LWP_STOP_NONE)
	{
		begin_connects(w);
		if (w->initial_left > 0)
			turn(w, -1, &busy);
	}
}

static void
notify(LwpRun *r)
{
	uint64_t one = 1;

	if (write(r->notify, &one, sizeof(one)) < 0)
		return; /* the counter is full: the main thread has news enough */
}

/* true when the run begins */
static bool
wait_for_go(LwpWorker *w)
{
	LwpRun *r = w->run;
	bool go;

	pthread_mutex_lock(&r->lock);
	r->arrived++;
	notify(r);
	while (!r->go_announced && !r->cancelled)
		pthread_cond_wait(&r->changed, &r->lock);
	go = r->go_announced;
	pthread_mutex_unlock(&r->lock);
	return go;
}

/* ---- stopping ---- */

/* closes what is still at it, asking the server to cancel running queries */
static void
cut_off(LwpWorker *w)
{
	int64_t until = lwp_now() + CANCEL_BUDGET_NS;

	for (int i = 0; i < w->nclients; i++)
	{
		LwpClient *c = &w->client[i];

		if (c->state >= LWP_ST_ABORTED)
			continue;
		if (c->state > LWP_ST_START)
			w->abandoned++;
		if (c->con != NULL && PQtransactionStatus(c->con) == PQTRANS_ACTIVE && lwp_now() < until)
		{
			PGcancel *cancel = PQgetCancel(c->con);
			char why[256];

			if (cancel != NULL)
				PQcancel(cancel, why, sizeof(why));
			PQfreeCancel(cancel);
		}
		lwp_client_finish(w, c);
	}
}

/* clients that are between transactions end, the others get their grace */
static void
begin_stop(LwpWorker *w)
{
	w->stopping = true;
	w->stop_at = lwp_now() + (int64_t) (w->o->stop_grace * (double) LWP_NS_PER_SEC);
	for (int i = 0; i < w->nclients; i++)
	{
		LwpClient *c = &w->client[i];

		if (c->state == LWP_ST_THROTTLE || c->state == LWP_ST_CONNECT_WAIT ||
			c->state == LWP_ST_CONNECTING)
			lwp_client_finish(w, c);
	}
}

static void
check_stop(LwpWorker *w)
{
	int stop = atomic_load_explicit(&w->run->stop, memory_order_relaxed);

	if (stop == LWP_STOP_NONE)
		return;
	if (!w->stopping)
		begin_stop(w);
	if (stop == LWP_STOP_HARD || lwp_now() >= w->stop_at)
		cut_off(w);
}

/* ---- the run ---- */

static void
note_end(LwpWorker *w)
{
	int64_t never = 0;

	w->ended = lwp_now();
	if (!w->window_taken && atomic_load(&w->run->first_end) == 0)
		w->window_done = LWP_PEEK(w->stats.done);

	/* a thread without clients, or with aborted ones only, does not end the window */
	if (w->aborted + w->connect_failed < w->nclients)
		atomic_compare_exchange_strong(&w->run->first_end, &never, w->ended);
}

static void
run_clients(LwpWorker *w)
{
	int busy = 0;
	int64_t cpu = lwp_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	w->started = lwp_now();
	for (int i = 0; i < w->nclients; i++)
	{
		LwpClient *c = &w->client[i];

		c->initial = false;
		if (c->state == LWP_ST_CONNECTED || c->state == LWP_ST_CONNECT_WAIT)
		{
			c->state = LWP_ST_CHOOSE;
			lwp_worker_ready(w, c);
		}
	}
	if (w->ring != NULL)
		lwp_ring_wake(w->ring);
	while (w->live > 0)
	{
		turn(w, w->stopping ? w->stop_at - lwp_now() > 0 ? w->stop_at - lwp_now() : 0 : -1, &busy);
		check_stop(w);
	}
	note_end(w);
	w->cpu_ns = lwp_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	if (w->ring != NULL)
		lwp_ring_sleep(w->ring);
}

void *
lwp_worker_main(void *arg)
{
	LwpWorker *w = arg;
	LwpRun *r = w->run;
	const char *delay = getenv("LWBENCH_TEST_THREAD_DELAY_MS");
	char name[16];
	sigset_t all;

	/* signals are the main thread's business */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	snprintf(name, sizeof(name), "lwbench-%d", w->id);
	pthread_setname_np(pthread_self(), name);

	/* the experiment with late threads: tests only */
	if (delay != NULL)
		usleep((useconds_t) atoi(delay) * 1000u * (useconds_t) (w->id + 1));

	connect_all(w);
	if (wait_for_go(w))
		run_clients(w);
	for (int i = 0; i < w->nclients; i++)
		if (w->client[i].state < LWP_ST_ABORTED)
			lwp_client_finish(w, &w->client[i]);
	pthread_mutex_lock(&r->lock);
	r->over++;
	pthread_mutex_unlock(&r->lock);
	notify(r);
	return NULL;
}
