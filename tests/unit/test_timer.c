/*
 * test_timer.c
 *		The schedule of the sampling passes: one random instant per window.
 */
#include "stubs.h"

#include <poll.h>
#include <unistd.h>

#include "clock.h"
#include "timer.h"

#define MS UINT64CONST(1000000)

static LwpTimer timer;

static int
setup(void **state)
{
	(void) state;
	lwp_timer_init(&timer);
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	close(timer.fd);
	return 0;
}

static bool
fires_within(int ms)
{
	struct pollfd p = {.fd = timer.fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

static void
in_its_window(void)
{
	assert_true(timer.due >= timer.window);
	assert_true(timer.due < timer.window + timer.interval);
}

/* A sampler that is always on time: every window has its pass, and no window has two. */
static void
every_window_has_one_pass(void **state)
{
	static const uint64 intervals[] = {50 * MS / 1000, MS, 10 * MS, 10000 * MS};

	(void) state;
	for (size_t i = 0; i < lengthof(intervals); i++)
	{
		uint64 start = 12345678901;

		lwp_timer_set(&timer, intervals[i], start);
		assert_int_equal(timer.window, start);
		in_its_window();
		for (uint64 n = 1; n <= 10000; n++)
		{
			/* the pass takes a little time, as much as is left of the window at most */
			uint64 left = timer.window + timer.interval - 1 - timer.due;

			assert_int_equal(lwp_timer_next(&timer, timer.due + left * (n % 3) / 2), 0);
			assert_int_equal(timer.window, start + n * timer.interval);
			in_its_window();
		}
	}
}

/* The instants fill the windows evenly, or a periodic load could hide. */
static void
instants_are_uniform(void **state)
{
	const int n = 16000;
	int bucket[16] = {0};
	double chi2 = 0;
	double product = 0;
	double last = 0;

	(void) state;
	lwp_timer_set(&timer, 10 * MS, MS);
	for (int i = 0; i < n; i++)
	{
		double at = (double) (timer.due - timer.window) / (double) timer.interval;

		bucket[(int) (at * 16)]++;
		product += (at - 0.5) * (last - 0.5);
		last = at;
		lwp_timer_next(&timer, timer.due);
	}
	for (int i = 0; i < 16; i++)
		chi2 += (bucket[i] - n / 16.0) * (bucket[i] - n / 16.0) / (n / 16.0);
	assert_true(chi2 < 44.3); /* 15 degrees of freedom, p = 0.0001 */
	/* one instant tells nothing of the next: correlation, standard deviation 1/sqrt(n) */
	assert_true(product / n * 12 < 4 / 126.5 && product / n * 12 > -4 / 126.5);
}

/* Windows that are over when the sampler comes back are skipped, and all of them are counted. */
static void
missed_windows_are_counted(void **state)
{
	uint64 start = 1000 * MS;
	uint64 passes = 0;
	uint64 skipped = 0;

	(void) state;
	lwp_timer_set(&timer, 10 * MS, start);
	for (uint64 i = 0; i < 5000; i++)
	{
		/* late by anything from nothing to 7 intervals */
		uint64 now = timer.due + (i * 7919) % (70 * MS);

		skipped += lwp_timer_next(&timer, now);
		passes++;
		in_its_window();
		assert_int_equal((timer.window - start) % timer.interval, 0);
		assert_int_equal((timer.window - start) / timer.interval, passes + skipped);
		/* the next pass is not in a window that is over */
		assert_true(timer.window + timer.interval > now);
	}
	assert_true(skipped > 1000);
}

static void
exactly_one_window_late(void **state)
{
	(void) state;
	lwp_timer_set(&timer, 10 * MS, 1000 * MS);
	/* the last instant of the next window: it can still have its pass */
	assert_int_equal(lwp_timer_next(&timer, 1020 * MS - 1), 0);
	assert_int_equal(timer.window, 1010 * MS);
	/* the first instant after it: it can't */
	assert_int_equal(lwp_timer_next(&timer, 1030 * MS), 1);
	assert_int_equal(timer.window, 1030 * MS);
}

static void
fires_when_due_and_not_before(void **state)
{
	uint64 now = lwp_clock_ns();

	(void) state;
	lwp_timer_set(&timer, 200 * MS, now);
	assert_true(fires_within(5000));
	assert_true(lwp_clock_ns() >= timer.due);

	/* arming for the next pass takes the expiry off the descriptor */
	timer.window = lwp_clock_ns() + 10000 * MS;
	lwp_timer_next(&timer, lwp_clock_ns());
	assert_false(fires_within(0));

	/* an instant in the past fires at once */
	lwp_timer_set(&timer, MS, lwp_clock_ns() - 100 * MS);
	assert_true(fires_within(5000));

	/* after waking up too early */
	timer.due = lwp_clock_ns() + 10000 * MS;
	lwp_timer_rearm(&timer);
	assert_false(fires_within(0));
}

static void
zero_stops(void **state)
{
	(void) state;
	lwp_timer_set(&timer, MS, lwp_clock_ns());
	lwp_timer_set(&timer, 0, lwp_clock_ns());
	assert_false(fires_within(20));
	assert_int_equal(timer.interval, 0);
	lwp_timer_set(&timer, MS, lwp_clock_ns());
	assert_true(fires_within(5000));
}

static void
kernel_refusal_is_an_error(void **state)
{
	LwpTimer broken = timer;
	const char *message;

	(void) state;
	broken.fd = -1;
	message = CATCH_ERROR(lwp_timer_set(&broken, MS, MS));
	assert_non_null(message);
	assert_non_null(strstr(message, "could not set timer"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_window_has_one_pass, setup, teardown),
		cmocka_unit_test_setup_teardown(instants_are_uniform, setup, teardown),
		cmocka_unit_test_setup_teardown(missed_windows_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(exactly_one_window_late, setup, teardown),
		cmocka_unit_test_setup_teardown(fires_when_due_and_not_before, setup, teardown),
		cmocka_unit_test_setup_teardown(zero_stops, setup, teardown),
		cmocka_unit_test_setup_teardown(kernel_refusal_is_an_error, setup, teardown),
	};

	return cmocka_run_group_tests_name("timer", tests, NULL, NULL);
}
