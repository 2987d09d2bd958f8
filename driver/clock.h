/*
 * clock.h
 *		The one clock of lwbench: CLOCK_MONOTONIC in nanoseconds.
 *
 * Wall-clock time is needed in log files and with --progress-timestamp only;
 * it is the monotonic time plus a shift taken once at the start, so a step of
 * the system clock during a run changes no measurement.
 */
#ifndef LWP_CLOCK_H
#define LWP_CLOCK_H

#include <stdint.h>
#include <time.h>

#define LWP_NS_PER_SEC INT64_C(1000000000)
#define LWP_NS_PER_MS  INT64_C(1000000)
#define LWP_NS_PER_US  INT64_C(1000)

static inline int64_t
lwp_clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t) ts.tv_sec * LWP_NS_PER_SEC + ts.tv_nsec;
}

static inline int64_t
lwp_now(void)
{
	return lwp_clock_ns(CLOCK_MONOTONIC);
}

/* Reads the clock the first time only; 0 means "not read yet". */
static inline int64_t
lwp_now_lazy(int64_t *now)
{
	if (*now == 0)
		*now = lwp_now();
	return *now;
}

/* Unix time in ns = monotonic time + this.  Set by lwp_clock_init. */
extern int64_t lwp_epoch_shift;

extern void lwp_clock_init(void);

#endif
