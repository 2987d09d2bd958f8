/*
 * schedule.h
 *		When transactions are meant to start (-R, --rate-schedule).
 *
 * A schedule gives intended start times that do not depend on how fast the
 * server answers.  Arrivals are a Poisson process or evenly spaced; the rate
 * is constant, or changes by steps or along ramps.  All times count from GO.
 *
 * Varying rates use time rescaling: with L(t) the integral of the rate, the
 * arrivals are the t where L(t) reaches the next arrival of a process of rate
 * 1 (D. Daley, D. Vere-Jones, An Introduction to the Theory of Point
 * Processes, 2003, theorem 7.4.I).  Rates are piecewise linear, so L can be
 * inverted in closed form.
 *
 * Every thread takes its share: a Poisson process of rate/n each, or every
 * n-th of the evenly spaced arrivals.
 */
#ifndef LWP_SCHEDULE_H
#define LWP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "prng.h"

typedef struct LwpRatePoint
{
	double t;    /* s since GO */
	double rate; /* transactions per second from here */
	double area; /* L(t) */
} LwpRatePoint;

typedef struct LwpSchedule
{
	bool active;
	bool constant;       /* evenly spaced instead of Poisson */
	bool ramp;           /* linear between points instead of steps */
	LwpRatePoint *point; /* first at t = 0; the last rate holds for ever */
	int npoints;
	char *text; /* as given, for reports */
} LwpSchedule;

/* One rate for ever. */
extern void lwp_schedule_set_rate(LwpSchedule *s, double rate);

/*
 * "poisson" | "constant" [,step|,ramp , T:RATE[,T:RATE...]]; T in seconds,
 * growing, a missing 0 takes the first rate.  Without points the rate is that
 * of -R.  False with *why (static) on bad text.
 */
extern bool lwp_schedule_parse(LwpSchedule *s, const char *text, const char **why);
extern void lwp_schedule_free(LwpSchedule *s);

/* The rate at t seconds after GO. */
extern double lwp_schedule_rate(const LwpSchedule *s, double t);

/* Where one thread is in the schedule. */
typedef struct LwpArrivals
{
	double area; /* L of the latest arrival, all threads' scale */
	int segment; /* the latest arrival's */
	int nthreads;
	bool started;
} LwpArrivals;

extern void lwp_arrivals_init(LwpArrivals *a, int thread, int nthreads);

/*
 * Next intended start in ns since GO; INT64_MAX when the rate has fallen to 0
 * for good.
 */
extern int64_t lwp_arrivals_next(LwpArrivals *a, const LwpSchedule *s, LwpPrng *g);

#endif
