/* Timers, schedules and the scalability fit. */
#include "unit.h"

#include "schedule.h"
#include "timers.h"
#include "usl.h"

static void
timers_in_order(void **state)
{
	enum
	{
		N = 2000
	};
	static LwpTimer t[N];
	LwpTimers heap;
	LwpPrng g;
	int64_t last = -1;
	int left = 0;

	(void) state;
	lwp_timers_init(&heap, N);
	lwp_prng_seed(&g, 4);
	for (int i = 0; i < N; i++)
		lwp_timers_set(&heap, &t[i], lwp_random_uniform(&g, 0, 1000));
	for (int i = 0; i < N; i += 3)
		lwp_timers_remove(&heap, &t[i]);
	for (int i = 1; i < N; i += 3)
		lwp_timers_set(&heap, &t[i], lwp_random_uniform(&g, 0, 1000));
	lwp_timers_remove(&heap, &t[0]);
	while (lwp_timers_first(&heap) != NULL)
	{
		LwpTimer *first = lwp_timers_first(&heap);

		assert_true(first->at >= last);
		last = first->at;
		lwp_timers_remove(&heap, first);
		left++;
	}
	assert_int_equal(left, N - (N + 2) / 3);
	lwp_timers_free(&heap);
}

static LwpSchedule
schedule_of(const char *text, double rate)
{
	LwpSchedule s = {0};
	const char *why;

	if (rate > 0)
		lwp_schedule_set_rate(&s, rate);
	if (text != NULL && !lwp_schedule_parse(&s, text, &why))
		fail_msg("%s: %s", text, why);
	return s;
}

/* arrivals before t seconds, of all threads together */
static int
arrivals_before(const LwpSchedule *s, double t, int nthreads)
{
	int n = 0;

	for (int i = 0; i < nthreads; i++)
	{
		LwpArrivals a;
		LwpPrng g;
		int64_t last = 0;

		lwp_arrivals_init(&a, i, nthreads);
		lwp_prng_seed(&g, (uint64_t) i + 10);
		for (;;)
		{
			int64_t at = lwp_arrivals_next(&a, s, &g);

			assert_true(at >= last);
			last = at;
			if (at >= (int64_t) (t * 1e9))
				break;
			n++;
		}
	}
	return n;
}

static void
constant_rate_is_even(void **state)
{
	LwpSchedule s = schedule_of("constant", 1000);
	LwpArrivals a[3];
	LwpPrng g;

	(void) state;
	lwp_prng_seed(&g, 1);
	for (int i = 0; i < 3; i++)
		lwp_arrivals_init(&a[i], i, 3);
	/* three threads in turn make one evenly spaced series */
	for (int k = 1; k <= 300; k++)
		assert_close(lwp_arrivals_next(&a[(k - 1) % 3], &s, &g), k * 1e6, 1e-6);
	lwp_schedule_free(&s);
}

static void
poisson_has_the_rate(void **state)
{
	LwpSchedule s = schedule_of(NULL, 5000);

	(void) state;
	assert_close(arrivals_before(&s, 10, 1), 50000, 0.02);
	assert_close(arrivals_before(&s, 10, 4), 50000, 0.02);
	lwp_schedule_free(&s);
}

static void
steps_and_ramps(void **state)
{
	LwpSchedule s = schedule_of("constant,step,0:100,10:500,20:0,30:200", 0);

	(void) state;
	assert_close(arrivals_before(&s, 10, 1), 1000, 0.002);
	assert_close(arrivals_before(&s, 20, 2), 6000, 0.002);
	assert_close(arrivals_before(&s, 30, 1), 6000, 0.002);
	assert_close(arrivals_before(&s, 40, 3), 8000, 0.002);
	lwp_schedule_free(&s);
	s = schedule_of("poisson,ramp,0:0,10:1000,20:0", 0);
	assert_close(arrivals_before(&s, 5, 1), 1250, 0.1);
	assert_close(arrivals_before(&s, 10, 1), 5000, 0.05);
	assert_close(arrivals_before(&s, 100, 2), 10000, 0.05);
	assert_close(lwp_schedule_rate(&s, 5), 500, 1e-9);
	assert_close(lwp_schedule_rate(&s, 15), 500, 1e-9);
	lwp_schedule_free(&s);
}

static void
bad_schedules(void **state)
{
	static const char *const bad[] = {"",
									  "often",
									  "constant,jump,0:1",
									  "constant,step",
									  "constant,step,0:0",
									  "constant,step,5:1,4:1",
									  "constant,step,0:-1",
									  "constant,step,0:nan",
									  "constant,step,0",
									  "constant,step,x:1",
									  "poisson,ramp,0:1e999"};

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		LwpSchedule s = {0};
		const char *why;

		if (lwp_schedule_parse(&s, bad[i], &why))
			fail_msg("\"%s\" was accepted", bad[i]);
		assert_non_null(why);
		lwp_schedule_free(&s);
	}
}

static void
usl_finds_its_parameters(void **state)
{
	LwpUsl truth = {.lambda = 1000, .sigma = 0.03, .kappa = 0.0005};
	double n[8] = {1, 2, 4, 8, 16, 32, 64, 128};
	double x[8];
	LwpUsl fit;

	(void) state;
	for (int i = 0; i < 8; i++)
		x[i] = lwp_usl_rate(&truth, n[i]);
	assert_true(lwp_usl_fit(n, x, 8, &fit));
	assert_close(fit.lambda, 1000, 1e-4);
	assert_close(fit.sigma, 0.03, 1e-3);
	assert_close(fit.kappa, 0.0005, 1e-3);
	assert_true(fit.r2 > 0.999999);
	assert_close(fit.peak_n, sqrt(0.97 / 0.0005), 1e-3);
	assert_close(lwp_usl_rate(&fit, lwp_usl_knee(&fit, 0.9)), 0.9 * fit.peak_x, 1e-6);
	assert_true(lwp_usl_knee(&fit, 0.9) < fit.peak_n);
}

static void
usl_without_a_peak(void **state)
{
	double n[4] = {1, 2, 4, 8};
	double linear[4] = {10, 20, 40, 80};
	LwpUsl truth = {.lambda = 100, .sigma = 0.1};
	double amdahl[4];
	LwpUsl fit;

	(void) state;
	assert_true(lwp_usl_fit(n, linear, 4, &fit));
	assert_close(fit.lambda, 10, 1e-6);
	assert_true(isinf(fit.peak_n) || fit.peak_n > 1000);
	for (int i = 0; i < 4; i++)
		amdahl[i] = lwp_usl_rate(&truth, n[i]);
	assert_true(lwp_usl_fit(n, amdahl, 4, &fit));
	assert_close(fit.sigma, 0.1, 1e-3);
}

static void
usl_needs_three_points(void **state)
{
	double n[4] = {1, 2, 2, 1};
	double x[4] = {1, 2, 3, 4};
	LwpUsl fit;

	(void) state;
	assert_false(lwp_usl_fit(n, x, 4, &fit));
	n[2] = 0;
	assert_false(lwp_usl_fit(n, x, 4, &fit));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers_in_order),      cmocka_unit_test(constant_rate_is_even),
		cmocka_unit_test(poisson_has_the_rate), cmocka_unit_test(steps_and_ramps),
		cmocka_unit_test(bad_schedules),        cmocka_unit_test(usl_finds_its_parameters),
		cmocka_unit_test(usl_without_a_peak),   cmocka_unit_test(usl_needs_three_points),
	};

	return RUN(tests);
}
