/* Generators, distributions, hash functions and permute(). */
#include "unit.h"

#include "prng.h"

/* splitmix64 and xoroshiro128** from the reference implementations, seed 5432 */
static void
same_seed_same_sequence(void **state)
{
	LwpPrng a;
	LwpPrng b;

	(void) state;
	lwp_prng_seed(&a, 5432);
	lwp_prng_seed(&b, 5432);
	for (int i = 0; i < 1000; i++)
		assert_true(lwp_prng_next(&a) == lwp_prng_next(&b));
	lwp_prng_seed(&b, 5433);
	assert_false(lwp_prng_next(&a) == lwp_prng_next(&b));
}

/* the client's generator of pgbench with --random-seed=5432 gives 17, 104, 1498, 3 */
static void
pgbench_values(void **state)
{
	LwpPrng base;
	LwpPrng g;

	(void) state;
	lwp_prng_seed(&base, 5432);
	lwp_prng_seed(&g, lwp_prng_next(&base));
	assert_int_equal(lwp_random_uniform(&g, 10, 19), 17);
	assert_int_equal(lwp_random_exponential(&g, 100, 199, 10.0), 104);
	assert_int_equal(lwp_random_gaussian(&g, 1000, 1999, 10.0), 1498);
	assert_int_equal(lwp_random_zipfian(&g, 1, 9, 1.3), 3);
}

static void
known_hashes(void **state)
{
	(void) state;
	assert_int_equal(lwp_hash_murmur2(10, 5432), -5817877081768721676);
	assert_int_equal(lwp_hash_fnv1a(10, 5432), -7793829335365542153);
}

static void
known_permutations(void **state)
{
	int64_t size = INT64_MAX - 10;

	(void) state;
	assert_int_equal(lwp_permute(0, 2, 5431), 0);
	assert_int_equal(lwp_permute(1, 2, 5433), 0);
	assert_int_equal(lwp_permute(size - 1, size, 5432), 520382784483822430);
	assert_int_equal(lwp_permute(size - 7, size, 5432), 4542876852200565125);
	assert_int_equal(lwp_permute(-1, 1, 5432), 0);
}

static void
permute_is_a_bijection(void **state)
{
	(void) state;
	for (int size = 1; size < 300; size += 7)
		for (int seed = 0; seed < 5; seed++)
		{
			char seen[300] = {0};

			for (int v = 0; v < size; v++)
			{
				int64_t p = lwp_permute(v, size, seed);

				assert_in_range(p, 0, size - 1);
				assert_int_equal(seen[p]++, 0);
			}
		}
}

/* every value appears, none outside, means where theory has them */
static void
distributions(void **state)
{
	LwpPrng g;
	double sum[4] = {0};
	int n = 200000;
	int seen[10] = {0};

	(void) state;
	lwp_prng_seed(&g, 1);
	for (int i = 0; i < n; i++)
	{
		int64_t v[4] = {lwp_random_uniform(&g, 0, 9), lwp_random_exponential(&g, 0, 999, 5.0),
						lwp_random_gaussian(&g, 0, 999, 4.0), lwp_random_zipfian(&g, 1, 1000, 1.5)};

		seen[v[0]]++;
		assert_in_range(v[1], 0, 999);
		assert_in_range(v[2], 0, 999);
		assert_in_range(v[3], 1, 1000);
		for (int k = 0; k < 4; k++)
			sum[k] += (double) v[k];
	}
	for (int i = 0; i < 10; i++)
		assert_close(seen[i], n / 10.0, 0.05);
	assert_close(sum[0] / n, 4.5, 0.01);
	assert_close(sum[1] / n, 1000 * (1 / 5.0 - 1 / (exp(5.0) - 1)) - 0.5, 0.01);
	assert_close(sum[2] / n, 499.5, 0.01);
	/* sum of k^-0.5 over sum of k^-1.5, k = 1 .. 1000 */
	assert_close(sum[3] / n, 61.801 / 2.5491, 0.05);
}

static void
extreme_ranges(void **state)
{
	LwpPrng g;

	(void) state;
	lwp_prng_seed(&g, 2);
	for (int i = 0; i < 10000; i++)
	{
		assert_true(lwp_random_uniform(&g, INT64_MIN, INT64_MIN + 1) <= INT64_MIN + 1);
		assert_true(lwp_random_gaussian(&g, 0, INT64_MAX - 1, 2.0) >= 0);
		assert_true(lwp_random_exponential(&g, 0, INT64_MAX - 1, 1e-300) >= 0);
	}
	assert_int_equal(lwp_random_zipfian(&g, 5, 5, 1.1), 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_seed_same_sequence),
		cmocka_unit_test(pgbench_values),
		cmocka_unit_test(known_hashes),
		cmocka_unit_test(known_permutations),
		cmocka_unit_test(permute_is_a_bijection),
		cmocka_unit_test(distributions),
		cmocka_unit_test(extreme_ranges),
	};

	return RUN(tests);
}
