/* Histograms, counters, fairness. */
#include "unit.h"

#include "prng.h"
#include "stats.h"

static void
buckets_cover_everything(void **state)
{
	(void) state;
	for (int i = 0; i < LWP_HIST_BUCKETS; i++)
	{
		int64_t low = lwp_hist_lowest(i);
		int64_t high = low + (lwp_hist_width(i) - 1);

		assert_int_equal(lwp_hist_index(low), i);
		assert_int_equal(lwp_hist_index(high), i);
		if (i > 0)
			assert_int_equal(low, lwp_hist_lowest(i - 1) + lwp_hist_width(i - 1));
	}
	assert_int_equal(lwp_hist_index(INT64_MAX), LWP_HIST_BUCKETS - 1);
	assert_int_equal(lwp_hist_index(-5), 0);
}

static int
compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a;
	int64_t y = *(const int64_t *) b;

	return x < y ? -1 : x > y;
}

/* percentiles against sorted values, moments against the formulas */
static void
percentiles_are_close(void **state)
{
	enum
	{
		N = 50000
	};
	static int64_t v[N];
	static const double points[] = {0, 1, 50, 90, 95, 99, 99.9, 99.99, 100};
	LwpHist h;
	LwpPrng g;
	long double sum = 0;
	long double var = 0;

	(void) state;
	lwp_hist_init(&h);
	lwp_prng_seed(&g, 3);
	for (int i = 0; i < N; i++)
	{
		/* from 100 ns to hours */
		v[i] = (int64_t) (100 * pow(10, 11.0 * lwp_prng_unit(&g)));
		lwp_hist_record(&h, v[i]);
		sum += v[i];
	}
	qsort(v, N, sizeof(v[0]), compare);
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
	{
		int rank = (int) ceil(points[i] / 100 * N);
		int64_t got = lwp_hist_percentile(&h, points[i]);

		assert_close(got, v[rank > 0 ? rank - 1 : 0], 1.0 / LWP_HIST_SUB);
		assert_true(got >= v[0] && got <= v[N - 1]);
	}
	assert_int_equal(LWP_PEEK(h.min), v[0]);
	assert_int_equal(LWP_PEEK(h.max), v[N - 1]);
	assert_int_equal(lwp_hist_percentile(&h, 100), v[N - 1]);
	for (int i = 0; i < N; i++)
		var += (v[i] - sum / N) * (v[i] - sum / N);
	assert_close(lwp_hist_mean(&h), (double) (sum / N), 1e-12);
	assert_close(lwp_hist_stddev(&h), (double) sqrtl(var / N), 1e-9);
	lwp_hist_free(&h);
}

/* large values that differ little: sums of squares must not cancel out */
static void
stddev_does_not_cancel(void **state)
{
	LwpHist h;

	(void) state;
	lwp_hist_init(&h);
	for (int i = 0; i < 1000; i++)
		lwp_hist_record(&h, INT64_C(100000000000) + (i % 2) * 2000);
	assert_close(lwp_hist_stddev(&h), 1000, 1e-3);
	lwp_hist_free(&h);
}

static void
merge_and_subtract(void **state)
{
	LwpHist a;
	LwpHist b;
	LwpHist d;

	(void) state;
	lwp_hist_init(&a);
	lwp_hist_init(&b);
	lwp_hist_init(&d);
	for (int i = 1; i <= 100; i++)
		lwp_hist_record(&a, i * 1000);
	lwp_hist_merge(&b, &a);
	for (int i = 1; i <= 50; i++)
		lwp_hist_record(&a, 5000000);
	lwp_hist_subtract(&d, &a, &b);
	assert_int_equal(LWP_PEEK(d.count), 50);
	assert_close(lwp_hist_mean(&d), 5000000, 1e-12);
	assert_close(lwp_hist_percentile(&d, 1), 5000000, 1e-3);
	assert_int_equal(LWP_PEEK(b.count), 100);
	assert_int_equal(LWP_PEEK(b.max), 100000);
	lwp_hist_clear(&a);
	assert_int_equal(LWP_PEEK(a.count), 0);
	assert_int_equal(lwp_hist_percentile(&a, 99), 0);
	lwp_hist_merge(&b, &a);
	assert_int_equal(LWP_PEEK(b.count), 100);
	lwp_hist_free(&a);
	lwp_hist_free(&b);
	lwp_hist_free(&d);
}

static void
identities(void **state)
{
	LwpStats s;

	(void) state;
	lwp_stats_init(&s, true);
	LWP_BUMP(s.done, 5);
	LWP_BUMP(s.skipped, 2);
	LWP_BUMP(s.failed[LWP_FAIL_DEADLOCK], 3);
	LWP_BUMP(s.failed[LWP_FAIL_CONNECTION], 4);
	assert_int_equal(lwp_stats_failures(&s), 7);
	assert_int_equal(lwp_stats_all(&s), 14);
	lwp_stats_free(&s);
}

static void
jain(void **state)
{
	int64_t equal[4] = {7, 7, 7, 7};
	int64_t one[4] = {9, 0, 0, 0};
	int64_t half[2] = {1, 3};

	(void) state;
	assert_close(lwp_jain(equal, 4), 1, 1e-15);
	assert_close(lwp_jain(one, 4), 0.25, 1e-15);
	assert_close(lwp_jain(half, 2), 16.0 / 20, 1e-15);
	assert_close(lwp_jain(NULL, 0), 1, 1e-15);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_cover_everything),
		cmocka_unit_test(percentiles_are_close),
		cmocka_unit_test(stddev_does_not_cancel),
		cmocka_unit_test(merge_and_subtract),
		cmocka_unit_test(identities),
		cmocka_unit_test(jain),
	};

	return RUN(tests);
}
