/*
 * clock.c
 *		Distance between the monotonic and the wall clock.
 */
#include "clock.h"

int64_t lwp_epoch_shift = 0;

void
lwp_clock_init(void)
{
	/* the middle of two monotonic readings is when the wall clock was read */
	int64_t before = lwp_now();
	int64_t wall = lwp_clock_ns(CLOCK_REALTIME);
	int64_t after = lwp_now();

	lwp_epoch_shift = wall - (before + (after - before) / 2);
}
