/*
 * timer.h
 *		When the sampling passes happen.
 *
 * Stratified sampling: time is cut into windows of one interval, and each
 * window has one pass at a uniformly random instant in it.  So the average
 * rate is exact, no periodic load can hide between the passes, and the
 * instants of different windows are independent.  A window that is over
 * before its pass could begin is skipped and counted; real elapsed time is
 * the weight of a pass (pass.c), so that shifts no share.
 */
#ifndef LWP_TIMER_H
#define LWP_TIMER_H

#include "postgres.h"

#include "common/pg_prng.h"

typedef struct LwpTimer
{
	int fd;          /* timerfd, readable when a pass is due */
	uint64 interval; /* ns; 0 = stopped */
	uint64 window;   /* start of the current window, ns */
	uint64 due;      /* instant of the next pass, ns */
	pg_prng_state rng;
} LwpTimer;

/* ereport(ERROR) when the kernel has no timerfd to give. */
extern void lwp_timer_init(LwpTimer *timer);

/* Start or change the interval (ns); 0 stops. */
extern void lwp_timer_set(LwpTimer *timer, uint64 interval, uint64 now);

/* Arm for the next window's pass; returns how many windows had to be skipped. */
extern uint64 lwp_timer_next(LwpTimer *timer, uint64 now);

/* Arm again for the pass that was due, after waking up too early for it. */
extern void lwp_timer_rearm(LwpTimer *timer);

#endif /* LWP_TIMER_H */
