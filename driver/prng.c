/*
 * prng.c
 *		The generator behind every random number of a run.
 */
#include "prng.h"

#include <math.h>
#include <stdbool.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

static inline uint64_t
rotate_left(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static uint64_t
splitmix(uint64_t *counter)
{
	uint64_t z;

	*counter += UINT64_C(0x9e3779b97f4a7c15);
	z = *counter;
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void
lwp_prng_seed(LwpPrng *g, uint64_t seed)
{
	g->s[0] = splitmix(&seed);
	g->s[1] = splitmix(&seed);

	/* all zeroes is the one state the generator cannot leave */
	if (g->s[0] == 0 && g->s[1] == 0)
		g->s[0] = 1;
}

uint64_t
lwp_prng_next(LwpPrng *g)
{
	uint64_t a = g->s[0];
	uint64_t b = g->s[1];
	uint64_t result = rotate_left(a * 5, 7) * 9;

	b ^= a;
	g->s[0] = rotate_left(a, 24) ^ b ^ b << 16;
	g->s[1] = rotate_left(b, 37);
	return result;
}

uint64_t
lwp_prng_upto(LwpPrng *g, uint64_t top)
{
	int shift;
	uint64_t v;

	if (top == 0)
		return 0;

	/* as many of the better upper bits as top has, drawn again when above it */
	shift = __builtin_clzll(top);
	do
		v = lwp_prng_next(g) >> shift;
	while (v > top);
	return v;
}

double
lwp_prng_unit(LwpPrng *g)
{
	return (double) (lwp_prng_next(g) >> 12) * 0x1.0p-52;
}

/* (0, 1]: what logarithms want */
static double
unit_above_zero(LwpPrng *g)
{
	return 1.0 - lwp_prng_unit(g);
}

int64_t
lwp_random_uniform(LwpPrng *g, int64_t low, int64_t high)
{
	uint64_t width = (uint64_t) high - (uint64_t) low;

	return (int64_t) ((uint64_t) low + lwp_prng_upto(g, width));
}

/* position in [0, 1) to an integer of the range, safe against rounding up */
static int64_t
place(int64_t low, int64_t high, double position)
{
	double width = (double) (high - low + 1);
	double offset = width * position;
	int64_t step;

	if (!(offset > 0.0))
		return low;
	if (offset >= width)
		return high;
	step = (int64_t) offset;
	return step > high - low ? high : low + step;
}

int64_t
lwp_random_exponential(LwpPrng *g, int64_t low, int64_t high, double param)
{
	double edge = exp(-param);
	double u = unit_above_zero(g);

	return place(low, high, -log(edge + (1.0 - edge) * u) / param);
}

int64_t
lwp_random_gaussian(LwpPrng *g, int64_t low, int64_t high, double param)
{
	double z;

	do
	{
		double u1 = unit_above_zero(g);
		double u2 = unit_above_zero(g);

		z = sqrt(-2.0 * log(u1)) * sin(2.0 * M_PI * u2);
	} while (z < -param || z >= param);
	return place(low, high, (z + param) / (2.0 * param));
}

int64_t
lwp_random_zipfian(LwpPrng *g, int64_t low, int64_t high, double param)
{
	int64_t n = high - low + 1;
	double b = pow(2.0, param - 1.0);

	if (n <= 1)
		return low;
	for (;;)
	{
		double u = lwp_prng_unit(g);
		double v = lwp_prng_unit(g);
		double x = floor(pow(u, -1.0 / (param - 1.0)));
		double t = pow(1.0 + 1.0 / x, param - 1.0);

		if (v * x * (t - 1.0) / (b - 1.0) <= t / b && x <= (double) n)
			return low - 1 + (int64_t) x;
	}
}

double
lwp_random_gap(LwpPrng *g)
{
	return -log(unit_above_zero(g));
}

int64_t
lwp_hash_murmur2(int64_t v, uint64_t seed)
{
	const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
	uint64_t h = seed ^ 8 * m;
	uint64_t k = (uint64_t) v * m;

	k = (k ^ k >> 47) * m;
	h = (h ^ k) * m;
	h = (h ^ h >> 47) * m;
	return (int64_t) (h ^ h >> 47);
}

int64_t
lwp_hash_fnv1a(int64_t v, uint64_t seed)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ seed;

	for (int shift = 0; shift < 64; shift += 8)
		h = (h ^ ((uint64_t) v >> shift & 0xff)) * UINT64_C(0x100000001b3);
	return (int64_t) h;
}

/*
 * One scramble of the lowest "mask + 1" values: times an odd number, a flip of
 * random bits, a rotation by one; each of the three can be undone, so the whole
 * is a bijection.
 */
static uint64_t
scramble(uint64_t v, uint64_t odd, uint64_t flip, uint64_t mask, int bits)
{
	v = (v * odd ^ flip) & mask;
	return (v << 1 & mask) | v >> (bits - 1);
}

int64_t
lwp_permute(int64_t value, int64_t size, int64_t seed)
{
	LwpPrng g;
	uint64_t n = (uint64_t) size;
	uint64_t v;
	uint64_t mask;
	int bits;

	if (size < 2)
		return 0;
	lwp_prng_seed(&g, (uint64_t) seed);
	v = (uint64_t) value % n;
	bits = 63 - __builtin_clzll(n);
	mask = (UINT64_C(1) << bits) - 1;

	/*
	 * size is seldom a power of two, so the lower and the upper "mask + 1"
	 * values, which overlap, are scrambled in turn, then all are rotated.
	 * The numbers are drawn whether or not v is in the half they are for.
	 */
	for (int round = 0; round < 6; round++)
	{
		uint64_t odd = (lwp_prng_next(&g) & mask) | 1;
		uint64_t flip = lwp_prng_next(&g) & mask;

		if (v <= mask)
			v = scramble(v, odd, flip, mask, bits);
		odd = (lwp_prng_next(&g) & mask) | 1;
		flip = lwp_prng_next(&g) & mask;
		if (n - 1 - v <= mask)
			v = n - 1 - scramble(n - 1 - v, odd, flip, mask, bits);
		v = (v + lwp_prng_upto(&g, n - 1)) % n;
	}
	return (int64_t) v;
}
