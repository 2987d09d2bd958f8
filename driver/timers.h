/*
 * timers.h
 *		The nearest of many wake-up times: a binary heap.
 *
 * An item remembers its place, so it can be taken out in O(log n).
 */
#ifndef LWP_TIMERS_H
#define LWP_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct LwpTimer
{
	int64_t at; /* monotonic ns */
	int pos;    /* place in the heap + 1; 0 when not in it */
} LwpTimer;

typedef struct LwpTimers
{
	LwpTimer **heap;
	int n;
	int cap;
} LwpTimers;

/* cap items at most will be in it at a time. */
extern void lwp_timers_init(LwpTimers *t, int cap);
extern void lwp_timers_free(LwpTimers *t);

/* Sets or moves the item's time. */
extern void lwp_timers_set(LwpTimers *t, LwpTimer *item, int64_t at);
extern void lwp_timers_remove(LwpTimers *t, LwpTimer *item);

/* The earliest item, NULL when there is none. */
static inline LwpTimer *
lwp_timers_first(const LwpTimers *t)
{
	return t->n > 0 ? t->heap[0] : 0;
}

#endif
