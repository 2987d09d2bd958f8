/*
 * clock.h
 *		The one clock of this module: CLOCK_MONOTONIC, in nanoseconds.
 */
#ifndef LWP_CLOCK_H
#define LWP_CLOCK_H

#include "postgres.h"

#include <time.h>

static inline uint64
lwp_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64) ts.tv_sec * UINT64CONST(1000000000) + (uint64) ts.tv_nsec;
}

/* CPU time of this process, user and system, in nanoseconds. */
static inline uint64
lwp_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64) ts.tv_sec * UINT64CONST(1000000000) + (uint64) ts.tv_nsec;
}

#endif /* LWP_CLOCK_H */
