/*
 * victims.c
 *		See victims.h.  Compiled without sanitizers, like a server, and on
 *		pages of their own: text is not executable while it is rewritten.
 */
#include "victims.h"

#define VICTIM __attribute__((noinline, section("victims")))

volatile int victim_factor = 3;
volatile int victim_calls = 0;

VICTIM __attribute__((aligned(4096))) int
victim_scale(int x)
{
	victim_calls++;
	return x * victim_factor;
}

VICTIM int
victim_sum(const int *values, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

VICTIM int
victim_choose(int x, int a, int b)
{
	int chosen = b;

	if (x < 0)
		chosen = a;
	victim_calls++;
	return chosen;
}

/* Whatever comes behind is on another page. */
VICTIM __attribute__((aligned(4096), used)) static void
end_of_victims(void)
{
	__asm__ volatile(".balign 4096");
}
