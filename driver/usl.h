/*
 * usl.h
 *		Universal Scalability Law: throughput as a function of concurrency.
 *
 *	X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1))
 *
 * N. J. Gunther, Guerrilla Capacity Planning, Springer 2007, chapter 4.
 * lambda is the rate of one client alone, sigma the share of work that is
 * serialised, kappa the cost of keeping each pair of clients consistent.
 */
#ifndef LWP_USL_H
#define LWP_USL_H

#include <stdbool.h>

typedef struct LwpUsl
{
	double lambda;
	double sigma;
	double kappa;
	double r2;     /* 1 - residual / total sum of squares of X */
	double peak_n; /* clients with the highest rate; INFINITY when it never falls */
	double peak_x; /* that rate; the limit lambda / sigma when it never falls */
} LwpUsl;

extern double lwp_usl_rate(const LwpUsl *u, double n);

/*
 * Least squares in X over points with n and x > 0, sigma and kappa >= 0.
 * False with fewer than three different n: three parameters need them.
 */
extern bool lwp_usl_fit(const double *n, const double *x, int count, LwpUsl *out);

/*
 * The knee: the smallest n with the given share (0..1) of the highest rate.
 * More clients than that buy little.
 */
extern double lwp_usl_knee(const LwpUsl *u, double share);

#endif
