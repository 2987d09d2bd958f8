/*
 * sampler.h
 *		The background worker that turns state flags into wall-clock shares.
 */
#ifndef LWP_SAMPLER_H
#define LWP_SAMPLER_H

#include "postgres.h"

#include "../extension/slot.h"

/*
 * What the sampler says about itself.  Written by the sampler only, read by
 * anybody without a lock; times in nanoseconds, all since epoch began unless
 * said otherwise.
 */
typedef struct LwpSamplerShared
{
	volatile int32 pid;       /* 0 when it isn't running */
	volatile uint64 epoch;    /* reset epoch of the numbers below */
	volatile uint64 interval; /* asked for */
	volatile uint64 passes;
	volatile uint64 late_passes;    /* began more than one interval late */
	volatile uint64 skipped_passes; /* whole intervals without one */
	volatile uint64 observed;       /* wall-clock time the passes stand for */
	volatile uint64 unobserved;     /* wall-clock time nobody looked at */
	volatile uint64 cpu;            /* CPU time used, brought up to date ten times a second */
	volatile uint64 last_pass;      /* CLOCK_MONOTONIC of the last pass; 0 = none yet */
} LwpSamplerShared;

/* Register the worker; called from _PG_init. */
extern LWP_HIDDEN void lwp_sampler_register(void);

#endif /* LWP_SAMPLER_H */
