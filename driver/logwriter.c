/*
 * logwriter.c
 *		The thread that turns log records into files.
 */
#define _GNU_SOURCE
#include "logwriter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "mem.h"
#include "message.h"

#define BUF_SIZE  ((size_t) 256 * 1024)
#define LINE_ROOM 512
#define NAP_NS    (20 * LWP_NS_PER_MS)

static void
flush(LwpLogWriter *w, LwpLogFile *f)
{
	size_t done = 0;

	while (done < f->len)
	{
		ssize_t n = write(f->fd, f->buf + done, f->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
		{
			if (!atomic_exchange(&w->broken, 1))
				lwp_error("could not write to log file \"%s\": %s", f->path, strerror(errno));
			break;
		}
		done += (size_t) n;
	}
	if (done < f->len)
	{
		/* leave no half line behind */
		size_t whole = done;
		off_t end = lseek(f->fd, 0, SEEK_CUR);

		while (whole > 0 && f->buf[whole - 1] != '\n')
			whole--;
		if (end >= (off_t) (done - whole) && ftruncate(f->fd, end - (off_t) (done - whole)) == 0)
			(void) lseek(f->fd, 0, SEEK_END);
		for (size_t i = whole; i < f->len; i++)
			if (f->buf[i] == '\n')
			{
				w->lost++;
				f->lines--;
			}
	}
	f->len = 0;
}

static void
add_to_aggregate(LwpLogWriter *w, LwpAggregate *a, const LwpLogRecord *r)
{
	/* whole microseconds, as in the transaction lines */
	int64_t us = r->latency / LWP_NS_PER_US;
	int64_t lag = r->lag / LWP_NS_PER_US;
	const double in[2] = {(double) us, (double) lag};
	double *const sums[2] = {a->lat, a->lag};

	a->any = true;
	if (r->result == LWP_LOG_SKIPPED)
	{
		a->skipped++;
		return;
	}
	if (r->tries > 1)
	{
		a->retried++;
		a->retries += r->tries - 1;
	}
	if (r->result >= LWP_LOG_FAILED)
	{
		a->failed[r->result - LWP_LOG_FAILED]++;
		return;
	}
	for (int k = 0; k < (w->cfg.with_lag ? 2 : 1); k++)
	{
		double *s = sums[k];

		s[0] += in[k];
		s[1] += in[k] * in[k];
		if (a->done == 0 || in[k] < s[2])
			s[2] = in[k];
		if (a->done == 0 || in[k] > s[3])
			s[3] = in[k];
	}
	a->done++;
}

static void
room_for_line(LwpLogWriter *w, LwpLogFile *f)
{
	if (f->len + LINE_ROOM > BUF_SIZE)
		flush(w, f);
}

static void
end_interval(LwpLogWriter *w, LwpLogFile *f)
{
	int64_t next = f->agg.start + w->cfg.agg_interval;

	room_for_line(w, f);
	f->len += lwp_log_format_aggregate(f->buf + f->len, &w->cfg, &f->agg);
	f->lines++;
	memset(&f->agg, 0, sizeof(f->agg));
	f->agg.start = next;
}

static void
aggregate(LwpLogWriter *w, LwpLogFile *f, const LwpLogRecord *r)
{
	int64_t second = (r->end + lwp_epoch_shift) / LWP_NS_PER_SEC;

	if (f->agg.start == 0)
		f->agg.start = (w->agg_origin + lwp_epoch_shift) / LWP_NS_PER_SEC;
	while (second >= f->agg.start + w->cfg.agg_interval)
		end_interval(w, f);
	add_to_aggregate(w, &f->agg, r);
}

static inline void
emit(LwpLogWriter *w, LwpLogFile *f, const LwpLogRecord *r)
{
	if (atomic_load_explicit(&w->broken, memory_order_relaxed))
	{
		w->lost++;
		return;
	}
	if (w->cfg.agg_interval > 0)
	{
		aggregate(w, f, r);
		return;
	}
	room_for_line(w, f);
	f->len += lwp_log_format(f->buf + f->len, &w->cfg, r, lwp_epoch_shift);
	f->lines++;
}

/* everything in one ring, in its own order; true when there was something */
static bool
drain_own(LwpLogWriter *w, int i)
{
	LwpLogRing *r = &w->ring[i];
	LwpLogFile *f = &w->file[w->nfiles > 1 ? i : 0];
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	bool any = tail != head;

	while (tail != head)
	{
		emit(w, f, &r->record[tail++ & (LWP_RING_SIZE - 1)]);
		if ((tail & 1023) == 0)
			atomic_store_explicit(&r->tail, tail, memory_order_release);
	}
	atomic_store_explicit(&r->tail, tail, memory_order_release);
	return any;
}

/* A ring while several are merged. */
typedef struct Source
{
	LwpLogRing *ring;
	uint64_t tail;
	uint64_t head;
} Source;

static const LwpLogRecord *
front(const Source *s)
{
	return s->tail != s->head ? &s->ring->record[s->tail & (LWP_RING_SIZE - 1)] : NULL;
}

/* everything that ended before each ring's floor, oldest first */
static bool
drain_merged(LwpLogWriter *w, Source *src)
{
	int64_t now = lwp_now();
	int64_t limit = INT64_MAX;
	bool any = false;
	bool finish = atomic_load(&w->finish) != 0;

	for (int i = 0; i < w->nrings; i++)
	{
		/* order matters: the clock, floor, head (logring.h) */
		int64_t floor = atomic_load(&w->ring[i].floor);

		if (floor == LWP_FLOOR_IDLE)
			floor = now;
		if (floor < limit)
			limit = floor;
	}
	if (finish)
		limit = INT64_MAX;
	for (int i = 0; i < w->nrings; i++)
	{
		src[i].ring = &w->ring[i];
		src[i].head = atomic_load_explicit(&w->ring[i].head, memory_order_acquire);
		src[i].tail = atomic_load_explicit(&w->ring[i].tail, memory_order_relaxed);
	}
	for (;;)
	{
		Source *best = NULL;
		int64_t best_end = limit;
		int64_t second = limit;

		for (int i = 0; i < w->nrings; i++)
		{
			const LwpLogRecord *r = front(&src[i]);

			if (r == NULL || r->end >= limit)
				continue;
			if (best == NULL || r->end < best_end)
			{
				if (best != NULL)
					second = best_end;
				best = &src[i];
				best_end = r->end;
			}
			else if (r->end < second)
				second = r->end;
		}
		if (best == NULL)
			break;
		any = true;

		/* as long as nobody else has an older one */
		do
		{
			emit(w, &w->file[0], front(best));
			best->tail++;
		} while (front(best) != NULL && front(best)->end < second);
		atomic_store_explicit(&best->ring->tail, best->tail, memory_order_release);
	}
	return any;
}

static bool
drain(LwpLogWriter *w, Source *src)
{
	bool any = false;

	if (w->nrings > 1 && w->nfiles == 1)
		return drain_merged(w, src);
	for (int i = 0; i < w->nrings; i++)
		any |= drain_own(w, i);
	return any;
}

static void
nap(LwpLogWriter *w)
{
	struct timespec until;
	int64_t at = lwp_now() + NAP_NS;

	until.tv_sec = at / LWP_NS_PER_SEC;
	until.tv_nsec = at % LWP_NS_PER_SEC;
	pthread_mutex_lock(&w->lock);
	atomic_store(&w->sleeping, 1);
	if (!atomic_load(&w->finish))
		pthread_cond_timedwait(&w->wake, &w->lock, &until);
	atomic_store(&w->sleeping, 0);
	pthread_mutex_unlock(&w->lock);
}

static void *
writer_main(void *arg)
{
	LwpLogWriter *w = arg;
	Source *src = lwp_calloc((size_t) w->nrings, sizeof(Source));
	sigset_t all;
	int64_t last_flush = lwp_now();

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_setname_np(pthread_self(), "lwbench-log");
	for (;;)
	{
		/* seen before draining, so nothing pushed before it is missed */
		bool last = atomic_load(&w->finish) != 0;
		bool any = drain(w, src);

		if (last)
			break;
		if (!any || lwp_now() - last_flush > LWP_NS_PER_SEC)
		{
			/* a reader of the file sees it grow once a second at least */
			for (int i = 0; i < w->nfiles; i++)
				if (lwp_now() - last_flush > LWP_NS_PER_SEC)
					flush(w, &w->file[i]);
			if (lwp_now() - last_flush > LWP_NS_PER_SEC)
				last_flush = lwp_now();
		}
		nap(w);
	}
	for (int i = 0; i < w->nfiles; i++)
	{
		if (w->cfg.agg_interval > 0 && w->cfg.agg_partial && w->file[i].agg.any)
			end_interval(w, &w->file[i]);
		flush(w, &w->file[i]);
	}
	free(src);
	return NULL;
}

bool
lwp_logwriter_start(LwpLogWriter *w, const LwpLogConfig *cfg, int nthreads, int pid)
{
	pthread_condattr_t attr;

	memset(w, 0, sizeof(*w));
	w->cfg = *cfg;
	w->nrings = nthreads;
	w->nfiles = cfg->per_thread ? nthreads : 1;
	w->ring = lwp_calloc_aligned(sizeof(LwpLogRing) * (size_t) nthreads);
	for (int i = 0; i < nthreads; i++)
		lwp_ring_init(&w->ring[i]);
	w->file = lwp_calloc((size_t) w->nfiles, sizeof(LwpLogFile));
	for (int i = 0; i < w->nfiles; i++)
		w->file[i].fd = -1;
	for (int i = 0; i < w->nfiles; i++)
	{
		LwpLogFile *f = &w->file[i];

		f->path = i == 0 ? lwp_asprintf("%s.%d", cfg->prefix, pid)
						 : lwp_asprintf("%s.%d.%d", cfg->prefix, pid, i);
		f->buf = lwp_malloc(BUF_SIZE);
		f->fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (f->fd < 0)
		{
			lwp_error("could not open logfile \"%s\": %s", f->path, strerror(errno));
			return false;
		}
	}
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attr);
	pthread_condattr_destroy(&attr);
	errno = pthread_create(&w->thread, NULL, writer_main, w);
	if (errno != 0)
	{
		lwp_error("could not create thread: %s", strerror(errno));
		return false;
	}
	return true;
}

void
lwp_logwriter_go(LwpLogWriter *w, int64_t go)
{
	/* the workers start after this, and the writer sees nothing before they push */
	w->agg_origin = go;
}

void
lwp_logwriter_stop(LwpLogWriter *w)
{
	atomic_store(&w->finish, 1);
	pthread_mutex_lock(&w->lock);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	for (int i = 0; i < w->nfiles; i++)
	{
		if (close(w->file[i].fd) != 0 && !atomic_exchange(&w->broken, 1))
			lwp_error("could not close log file \"%s\": %s", w->file[i].path, strerror(errno));
		w->file[i].fd = -1;
	}
}

void
lwp_logwriter_free(LwpLogWriter *w)
{
	for (int i = 0; i < w->nrings; i++)
		lwp_ring_free(&w->ring[i]);
	free(w->ring);
	for (int i = 0; i < w->nfiles; i++)
	{
		free(w->file[i].path);
		free(w->file[i].buf);
	}
	free(w->file);
	memset(w, 0, sizeof(*w));
}
