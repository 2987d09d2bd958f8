/*
 * logring.c
 *		Finished transactions on their way from one thread to the log writer.
 */
#include "logring.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "logwriter.h"
#include "mem.h"

_Static_assert((LWP_RING_SIZE & (LWP_RING_SIZE - 1)) == 0, "indexes are masked");
_Static_assert(sizeof(LwpLogRecord) <= 64, "a record fits a cache line");

void
lwp_ring_init(LwpLogRing *r)
{
	memset(r, 0, sizeof(*r));
	r->record = lwp_malloc(sizeof(LwpLogRecord) * LWP_RING_SIZE);
	atomic_init(&r->head, 0);
	atomic_init(&r->tail, 0);
	atomic_init(&r->floor, 0);
}

void
lwp_ring_free(LwpLogRing *r)
{
	free(r->record);
	r->record = NULL;
}

void
lwp_ring_wake(LwpLogRing *r)
{
	atomic_store(&r->floor, 0);
	atomic_store_explicit(&r->floor, lwp_now(), memory_order_release);
}

static void
kick(LwpLogWriter *w)
{
	if (atomic_exchange(&w->sleeping, 0))
	{
		pthread_mutex_lock(&w->lock);
		pthread_cond_signal(&w->wake);
		pthread_mutex_unlock(&w->lock);
	}
}

void
lwp_ring_half_full(LwpLogRing *r, LwpLogWriter *w)
{
	r->known_tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	if (atomic_load_explicit(&r->head, memory_order_relaxed) - r->known_tail >= LWP_RING_SIZE / 2)
		kick(w);
}

bool
lwp_ring_make_room(LwpLogRing *r, LwpLogWriter *w)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	int64_t from;
	struct timespec nap = {0, 100000};

	if (w->cfg.drop_when_full)
	{
		r->dropped++;
		return false;
	}
	r->waited_lines++;
	from = lwp_now();

	/* nothing older can come from here while we wait */
	while (head - r->known_tail >= LWP_RING_SIZE)
	{
		atomic_store_explicit(&r->floor, r->record[(head - 1) & (LWP_RING_SIZE - 1)].end,
							  memory_order_release);
		kick(w);
		nanosleep(&nap, NULL);
		r->known_tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	}
	r->waited_ns += lwp_now() - from;
	return true;
}
