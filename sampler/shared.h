/*
 * shared.h
 *		Everything the sampler writes for others to read.
 */
#ifndef LWP_SAMPLER_SHARED_H
#define LWP_SAMPLER_SHARED_H

#include "postgres.h"

#include "keys.h"
#include "ring.h"
#include "table.h"

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

extern LWP_HIDDEN LwpSamplerShared *lwp_sampler_shared;
extern LWP_HIDDEN LwpTable *lwp_tables[LWP_TABLES];
extern LWP_HIDDEN LwpTable *lwp_stacks_table; /* keys: number of a stack (stacks.h), tranche */
extern LWP_HIDDEN struct LwpStacks *lwp_stacks;
extern LWP_HIDDEN LwpRing *lwp_samples; /* of LwpSample (samples.h) */
extern LWP_HIDDEN LwpRing *lwp_history; /* of LwpHistoryRecord (history.h) */

/* Size and place of all that in shared memory. */
extern LWP_HIDDEN Size lwp_sampler_shmem_size(void);
extern LWP_HIDDEN void lwp_sampler_shmem_attach(void *base, bool found);

#endif /* LWP_SAMPLER_SHARED_H */
