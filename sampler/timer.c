/*
 * timer.c
 *		When the sampling passes happen; see timer.h.
 */
#include "postgres.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "timer.h"

static void
arm(LwpTimer *timer)
{
	struct itimerspec spec = {0};

	/*
	 * An instant in the past fires at once; zero would disarm.  Setting also
	 * takes an expiry off the descriptor, so nobody has to read it.
	 */
	spec.it_value.tv_sec = (time_t) (timer->due / UINT64CONST(1000000000));
	spec.it_value.tv_nsec = (long) (timer->due % UINT64CONST(1000000000));
	if (timerfd_settime(timer->fd, TFD_TIMER_ABSTIME, &spec, NULL) != 0)
		ereport(ERROR, (errmsg("could not set timer: %m")));
}

void
lwp_timer_init(LwpTimer *timer)
{
	timer->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer->fd < 0)
		ereport(ERROR, (errmsg("could not create timer: %m")));
	timer->interval = 0;
	if (!pg_prng_strong_seed(&timer->rng))
		pg_prng_seed(&timer->rng, (uint64) getpid());
}

void
lwp_timer_set(LwpTimer *timer, uint64 interval, uint64 now)
{
	timer->interval = interval;
	if (interval == 0)
	{
		struct itimerspec none = {0};

		timerfd_settime(timer->fd, 0, &none, NULL);
		return;
	}
	timer->window = now;
	timer->due = now + pg_prng_uint64_range(&timer->rng, 0, interval - 1);
	arm(timer);
}

uint64
lwp_timer_next(LwpTimer *timer, uint64 now)
{
	uint64 skipped = 0;

	timer->window += timer->interval;
	if (now >= timer->window + timer->interval)
	{
		skipped = (now - timer->window) / timer->interval;
		timer->window += skipped * timer->interval;
	}
	timer->due = timer->window + pg_prng_uint64_range(&timer->rng, 0, timer->interval - 1);
	arm(timer);
	return skipped;
}

void
lwp_timer_rearm(LwpTimer *timer)
{
	arm(timer);
}
