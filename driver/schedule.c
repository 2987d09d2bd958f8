/*
 * schedule.c
 *		When transactions are meant to start.
 */
#include "schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "mem.h"

static void
add_point(LwpSchedule *s, double t, double rate)
{
	LwpRatePoint *p;

	s->point = lwp_realloc(s->point, sizeof(LwpRatePoint) * (size_t) (s->npoints + 1));
	p = &s->point[s->npoints++];
	p->t = t;
	p->rate = rate;
	p->area = 0;
}

static void
sum_areas(LwpSchedule *s)
{
	for (int i = 1; i < s->npoints; i++)
	{
		LwpRatePoint *a = &s->point[i - 1];
		LwpRatePoint *b = &s->point[i];
		double mean = s->ramp ? (a->rate + b->rate) / 2 : a->rate;

		b->area = a->area + mean * (b->t - a->t);
	}
}

void
lwp_schedule_set_rate(LwpSchedule *s, double rate)
{
	free(s->point);
	s->point = NULL;
	s->npoints = 0;
	s->active = true;
	add_point(s, 0, rate);
}

static bool
parse_point(LwpSchedule *s, const char *text, const char **why)
{
	char *end;
	double t = strtod(text, &end);
	double rate;

	if (end == text || *end != ':' || !isfinite(t) || t < 0)
	{
		*why = "expected SECONDS:RATE";
		return false;
	}
	text = end + 1;
	rate = strtod(text, &end);
	if (end == text || *end != '\0' || !isfinite(rate) || rate < 0)
	{
		*why = "a rate must be a number, zero or more";
		return false;
	}
	if (s->npoints > 0 && t <= s->point[s->npoints - 1].t)
	{
		*why = "times must grow";
		return false;
	}
	if (s->npoints == 0 && t > 0)
		add_point(s, 0, rate);
	add_point(s, t, rate);
	return true;
}

bool
lwp_schedule_parse(LwpSchedule *s, const char *text, const char **why)
{
	char *copy = lwp_strdup(text);
	char *rest = copy;
	char *word = strsep(&rest, ",");
	bool ok = true;
	bool any = false;

	*why = NULL;
	s->constant = strcmp(word, "constant") == 0;
	if (!s->constant && strcmp(word, "poisson") != 0)
	{
		*why = "expected poisson or constant";
		ok = false;
	}
	if (ok && (word = strsep(&rest, ",")) != NULL)
	{
		s->ramp = strcmp(word, "ramp") == 0;
		if (!s->ramp && strcmp(word, "step") != 0)
		{
			*why = "expected step or ramp";
			ok = false;
		}
		else
		{
			free(s->point);
			s->point = NULL;
			s->npoints = 0;
		}
		while (ok && (word = strsep(&rest, ",")) != NULL)
		{
			ok = parse_point(s, word, why);
			any |= ok && s->point[s->npoints - 1].rate > 0;
		}
		if (ok && !any)
		{
			*why = "no point has a rate above zero";
			ok = false;
		}
		s->active = ok;
	}
	if (ok)
	{
		free(s->text);
		s->text = lwp_strdup(text);
		sum_areas(s);
	}
	free(copy);
	return ok;
}

void
lwp_schedule_free(LwpSchedule *s)
{
	free(s->point);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

double
lwp_schedule_rate(const LwpSchedule *s, double t)
{
	int i = 0;
	const LwpRatePoint *a;

	while (i + 1 < s->npoints && s->point[i + 1].t <= t)
		i++;
	a = &s->point[i];
	if (!s->ramp || i + 1 == s->npoints)
		return a->rate;
	return a->rate + (a[1].rate - a->rate) * (t - a->t) / (a[1].t - a->t);
}

void
lwp_arrivals_init(LwpArrivals *a, int thread, int nthreads)
{
	/*
	 * Evenly spaced arrivals: the first of all is one step after GO and thread
	 * i has numbers i + 1, i + 1 + n, ...
	 */
	a->area = (double) thread + 1 - nthreads;
	a->started = false;
	a->segment = 0;
	a->nthreads = nthreads;
}

/* t with L(t) = area; INFINITY when the rate stays 0 before that is reached */
static double
invert(const LwpSchedule *s, double area, int *segment)
{
	const LwpRatePoint *a;
	double need;
	double slope;

	while (*segment + 1 < s->npoints && s->point[*segment + 1].area <= area)
		(*segment)++;
	a = &s->point[*segment];
	need = area - a->area;
	if (s->ramp && *segment + 1 < s->npoints && a[1].rate != a->rate)
	{
		double root;

		/* rate * x + slope / 2 * x^2 = need, in the form that does not cancel */
		slope = (a[1].rate - a->rate) / (a[1].t - a->t);
		root = sqrt(fmax(0, a->rate * a->rate + 2 * slope * need));
		return a->rate + root > 0 ? a->t + 2 * need / (a->rate + root) : a->t;
	}
	if (a->rate <= 0)
		return INFINITY;
	return a->t + need / a->rate;
}

int64_t
lwp_arrivals_next(LwpArrivals *a, const LwpSchedule *s, LwpPrng *g)
{
	double t;

	if (s->constant)
		a->area += a->nthreads;
	else
	{
		if (!a->started)
			a->area = 0;
		a->started = true;
		a->area += lwp_random_gap(g) * a->nthreads;
	}
	t = invert(s, a->area, &a->segment);
	if (!(t < 9.0e9))
		return INT64_MAX;
	return (int64_t) (t * (double) LWP_NS_PER_SEC);
}
