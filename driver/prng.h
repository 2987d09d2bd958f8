/*
 * prng.h
 *		The generator behind every random number of a run.
 *
 * xoroshiro128** 1.0 by D. Blackman and S. Vigna (public domain), its state
 * filled from a 64-bit seed by splitmix64 (S. Vigna, public domain).  pgbench
 * 15 and later use the same pair, so a seed gives the same sequence there and
 * here; tests/unit/driver/test_random.c holds the expected values.
 */
#ifndef LWP_PRNG_H
#define LWP_PRNG_H

#include <stdint.h>

typedef struct LwpPrng
{
	uint64_t s[2];
} LwpPrng;

extern void lwp_prng_seed(LwpPrng *g, uint64_t seed);

/* Uniform over all 64-bit values. */
extern uint64_t lwp_prng_next(LwpPrng *g);

/* Uniform over 0 .. top, both included, without modulo bias. */
extern uint64_t lwp_prng_upto(LwpPrng *g, uint64_t top);

/* Uniform in [0, 1), 52 random bits. */
extern double lwp_prng_unit(LwpPrng *g);

/*
 * Integers in low .. high, both included; the caller has checked that
 * low <= high and that high - low + 1 fits an int64.
 *
 * exponential: density falls by exp(-param) from one end to the other.
 * gaussian:    Box-Muller, cut at +-param standard deviations, param >= 2.
 * zipfian:     rejection method, L. Devroye, Non-Uniform Random Variate
 *              Generation, Springer 1986, p. 550; 1 < param.
 */
extern int64_t lwp_random_uniform(LwpPrng *g, int64_t low, int64_t high);
extern int64_t lwp_random_exponential(LwpPrng *g, int64_t low, int64_t high, double param);
extern int64_t lwp_random_gaussian(LwpPrng *g, int64_t low, int64_t high, double param);
extern int64_t lwp_random_zipfian(LwpPrng *g, int64_t low, int64_t high, double param);

/* Exponentially distributed with mean 1: the gaps of a Poisson process. */
extern double lwp_random_gap(LwpPrng *g);

/*
 * Hash functions of scripts: MurmurHash2 64A of the 8 bytes of v (A. Appleby,
 * public domain) and 64-bit FNV-1a of its bytes, lowest first.
 */
extern int64_t lwp_hash_murmur2(int64_t v, uint64_t seed);
extern int64_t lwp_hash_fnv1a(int64_t v, uint64_t seed);

/* permute() of scripts: a bijection of 0 .. size-1 chosen by seed; size > 0. */
extern int64_t lwp_permute(int64_t v, int64_t size, int64_t seed);

#endif
