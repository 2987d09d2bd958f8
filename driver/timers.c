/*
 * timers.c
 *		The nearest of many wake-up times: a binary heap.
 */
#include "timers.h"

#include <stdlib.h>

#include "mem.h"

void
lwp_timers_init(LwpTimers *t, int cap)
{
	t->heap = lwp_malloc(sizeof(LwpTimer *) * (size_t) cap);
	t->n = 0;
	t->cap = cap;
}

void
lwp_timers_free(LwpTimers *t)
{
	free(t->heap);
	t->heap = NULL;
	t->n = 0;
}

static void
put(LwpTimers *t, int i, LwpTimer *item)
{
	t->heap[i] = item;
	item->pos = i + 1;
}

static void
settle(LwpTimers *t, int i, LwpTimer *item)
{
	while (i > 0 && t->heap[(i - 1) / 2]->at > item->at)
	{
		put(t, i, t->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (;;)
	{
		int child = 2 * i + 1;

		if (child >= t->n)
			break;
		if (child + 1 < t->n && t->heap[child + 1]->at < t->heap[child]->at)
			child++;
		if (t->heap[child]->at >= item->at)
			break;
		put(t, i, t->heap[child]);
		i = child;
	}
	put(t, i, item);
}

void
lwp_timers_set(LwpTimers *t, LwpTimer *item, int64_t at)
{
	int i = item->pos - 1;

	item->at = at;
	if (i < 0)
		i = t->n++;
	settle(t, i, item);
}

void
lwp_timers_remove(LwpTimers *t, LwpTimer *item)
{
	int i = item->pos - 1;
	LwpTimer *last;

	if (i < 0)
		return;
	item->pos = 0;
	last = t->heap[--t->n];
	if (last != item)
		settle(t, i, last);
}
