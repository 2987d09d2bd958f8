/*
 * usl.c
 *		Universal Scalability Law: throughput as a function of concurrency.
 *
 * For given sigma and kappa the best lambda follows directly, so the search is
 * in two dimensions: a coarse grid on logarithmic axes (and the axes
 * themselves, where a parameter is 0), then repeated refinement around the
 * best point.  That needs no derivative, cannot diverge and honours the
 * bounds.
 */
#include "usl.h"

#include <math.h>
#include <stddef.h>

typedef struct Data
{
	const double *n;
	const double *x;
	int count;
} Data;

double
lwp_usl_rate(const LwpUsl *u, double n)
{
	return u->lambda * n / (1 + u->sigma * (n - 1) + u->kappa * n * (n - 1));
}

/* sum of squared residuals with the best lambda for sigma and kappa */
static double
residual(const Data *d, double sigma, double kappa, double *lambda)
{
	double fx = 0;
	double ff = 0;
	double sum = 0;

	for (int i = 0; i < d->count; i++)
	{
		double f = d->n[i] / (1 + sigma * (d->n[i] - 1) + kappa * d->n[i] * (d->n[i] - 1));

		fx += f * d->x[i];
		ff += f * f;
	}
	*lambda = ff > 0 ? fx / ff : 0;
	for (int i = 0; i < d->count; i++)
	{
		double f = d->n[i] / (1 + sigma * (d->n[i] - 1) + kappa * d->n[i] * (d->n[i] - 1));
		double e = d->x[i] - *lambda * f;

		sum += e * e;
	}
	return sum;
}

typedef struct Best
{
	double sigma;
	double kappa;
	double lambda;
	double sum;
} Best;

static void
consider(const Data *d, double sigma, double kappa, Best *b)
{
	double lambda;
	double sum = residual(d, sigma, kappa, &lambda);

	if (sum < b->sum)
		*b = (Best){sigma, kappa, lambda, sum};
}

bool
lwp_usl_fit(const double *n, const double *x, int count, LwpUsl *out)
{
	Data d = {n, x, count};
	Best b = {0, 0, 0, INFINITY};
	double mean = 0;
	double total = 0;
	double step = 2;
	int distinct = 0;

	for (int i = 0; i < count; i++)
	{
		bool seen = false;

		if (!(n[i] > 0) || !(x[i] > 0))
			return false;
		for (int k = 0; k < i; k++)
			seen |= n[k] == n[i];
		distinct += !seen;
		mean += x[i] / count;
	}
	if (distinct < 3)
		return false;
	for (int i = 0; i < count; i++)
		total += (x[i] - mean) * (x[i] - mean);

	consider(&d, 0, 0, &b);
	for (int i = 0; i < 37; i++)
	{
		double s = 1e-9 * pow(step, i);

		consider(&d, s, 0, &b);
		for (int j = 0; j < 44; j++)
		{
			double k = 1e-12 * pow(step, j);

			consider(&d, 0, k, &b);
			consider(&d, s, k, &b);
		}
	}
	for (int round = 0; round < 1000; round++)
	{
		Best from = b;

		for (int i = -2; i <= 2; i++)
		{
			consider(&d, from.sigma * pow(step, i), 0, &b);
			consider(&d, 0, from.kappa * pow(step, i), &b);
			for (int k = -2; k <= 2; k++)
				consider(&d, from.sigma * pow(step, i), from.kappa * pow(step, k), &b);
		}
		/* nothing better around: look closer */
		if (b.sum >= from.sum)
			step = sqrt(step);
		if (step < 1 + 1e-9)
			break;
	}
	out->lambda = b.lambda;
	out->sigma = b.sigma;
	out->kappa = b.kappa;
	out->r2 = total > 0 ? 1 - b.sum / total : 1;

	/* dX/dn = 0 at n^2 = (1 - sigma) / kappa */
	if (b.kappa > 0)
	{
		out->peak_n = b.sigma < 1 ? sqrt((1 - b.sigma) / b.kappa) : 1;
		if (out->peak_n < 1)
			out->peak_n = 1;
		out->peak_x = lwp_usl_rate(out, out->peak_n);
	}
	else
	{
		out->peak_n = INFINITY;
		out->peak_x = b.sigma > 0 ? b.lambda / b.sigma : INFINITY;
	}
	return true;
}

double
lwp_usl_knee(const LwpUsl *u, double share)
{
	double want = u->peak_x * share;
	double low = 1;
	double high = u->peak_n;

	if (!isfinite(want))
		return INFINITY;
	if (lwp_usl_rate(u, 1) >= want)
		return 1;
	if (!isfinite(high))
		for (high = 2; lwp_usl_rate(u, high) < want && high < 1e12;)
			high *= 2;

	/* the rate grows up to the peak, so halving finds the place */
	for (int i = 0; i < 200; i++)
	{
		double mid = (low + high) / 2;

		if (lwp_usl_rate(u, mid) < want)
			low = mid;
		else
			high = mid;
	}
	return high;
}
