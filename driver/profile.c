/*
 * profile.c
 *		The server's lock profile of the timed window, from pg_lwprof.
 */
#include "profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json_report.h"
#include "mem.h"
#include "message.h"

#define FORMAT_VERSION 1

/* locks with the longest waits that are printed */
#define PRINTED 12

/* Figures per lock, in the order of the query; NAN is NULL. */
enum
{
	F_SHARED,
	F_EXCLUSIVE,
	F_BLOCKED_SHARED,
	F_BLOCKED_EXCLUSIVE,
	F_CONDITIONAL,
	F_GROUP,
	F_WAIT,         /* ms, exact */
	F_MAX_WAIT,     /* ms; a maximum, no sum */
	F_SAMPLED_WAIT, /* ms of client backends */
	NFIGURES
};

static const char *const figure_names[NFIGURES] = {
	"shared_acquires",   "exclusive_acquires",   "blocked_shared",
	"blocked_exclusive", "conditional_failures", "group_waits",
	"wait_ms",           "max_wait_ms",          "sampled_wait_ms"};

static const char reading_sql[] =
	"with p as (select wait_event, "
	" sum(sampled_time) filter (where phase = 'waiting' and backend_type = 'client backend') w"
	" from pg_lwprof_profile group by wait_event),"
	" a as (select max(active_time) a from pg_lwprof_profile"
	" where backend_type = 'client backend') "
	"select coalesce(l.wait_event, p.wait_event), l.classic_name, l.shared_acquires,"
	" l.exclusive_acquires, l.blocked_shared, l.blocked_exclusive, l.conditional_failures,"
	" l.group_waits, l.wait_time, l.max_wait_time, p.w, (select a from a) "
	"from pg_lwprof_locks l full join p on p.wait_event = l.wait_event order by 1";

typedef struct Lock
{
	char *name;
	char *classic; /* NULL: none */
	double f[NFIGURES];
} Lock;

typedef struct Reading
{
	int64_t at;    /* monotonic ns, in the middle of the query */
	double active; /* ms of active client backends */
	Lock *lock;
	int n;
} Reading;

struct LwpProfile
{
	const LwpOptions *o;
	PGconn *con;
	char *mode;
	char *reason;
	Reading before;
	Reading window; /* the difference; .at is its length in ns */
	bool valid;
	json_t *all; /* every window of the run or sweep */
};

static void
free_reading(Reading *r)
{
	for (int i = 0; i < r->n; i++)
	{
		free(r->lock[i].name);
		free(r->lock[i].classic);
	}
	free(r->lock);
	memset(r, 0, sizeof(*r));
}

static double
figure(const PGresult *res, int row, int col)
{
	return PQgetisnull(res, row, col) ? NAN : strtod(PQgetvalue(res, row, col), NULL);
}

static bool
take_reading(LwpProfile *p, Reading *r)
{
	int64_t from = lwp_now();
	PGresult *res = PQexec(p->con, reading_sql);
	bool ok = PQresultStatus(res) == PGRES_TUPLES_OK;

	memset(r, 0, sizeof(*r));
	r->at = from + (lwp_now() - from) / 2;
	r->active = NAN;
	if (!ok)
		lwp_warning("could not read the lock profile: %s", PQerrorMessage(p->con));
	else
	{
		r->n = PQntuples(res);
		r->lock = lwp_calloc((size_t) r->n + 1, sizeof(Lock));
		for (int i = 0; i < r->n; i++)
		{
			Lock *l = &r->lock[i];

			l->name = lwp_strdup(PQgetvalue(res, i, 0));
			if (!PQgetisnull(res, i, 1))
				l->classic = lwp_strdup(PQgetvalue(res, i, 1));
			for (int k = 0; k < NFIGURES; k++)
				l->f[k] = figure(res, i, 2 + k);
			r->active = figure(res, i, 2 + NFIGURES);
		}
	}
	PQclear(res);
	return ok;
}

static char *
missing(PGconn *con, const char *why)
{
	char *installed =
		lwp_query_text(con, "select 1 from pg_catalog.pg_extension where extname = 'pg_lwprof'");
	char *text;

	if (installed == NULL)
		text = lwp_asprintf("extension pg_lwprof is not installed in database \"%s\"", PQdb(con));
	else
		text = lwp_asprintf("%.*s", (int) strcspn(why, "\n"), why);
	free(installed);
	return text;
}

LwpProfile *
lwp_profile_open(LwpOptions *o)
{
	LwpProfile *p = lwp_calloc(1, sizeof(LwpProfile));
	PGresult *res;

	p->o = o;
	p->con = lwp_connect(&o->conn);
	if (p->con == NULL)
	{
		free(p);
		return NULL;
	}
	res = PQexec(p->con, "select mode, reason from pg_lwprof_info");
	if (PQresultStatus(res) != PGRES_TUPLES_OK || PQntuples(res) != 1)
	{
		char *why = missing(p->con, PQresultErrorMessage(res));

		lwp_warning("no lock profile: %s", why);
		free(why);
		PQclear(res);
		PQfinish(p->con);
		free(p);
		return NULL;
	}
	p->mode = lwp_strdup(PQgetvalue(res, 0, 0));
	p->reason = PQgetisnull(res, 0, 1) ? NULL : lwp_strdup(PQgetvalue(res, 0, 1));
	PQclear(res);
	p->all = json_array();

	/* plans and catalogs are looked up now, not when time counts */
	if (take_reading(p, &p->before))
		free_reading(&p->before);
	return p;
}

void
lwp_profile_start(void *profile)
{
	LwpProfile *p = profile;

	free_reading(&p->before);
	free_reading(&p->window);
	p->valid = take_reading(p, &p->before);
}

static const Lock *
find(const Reading *r, const char *name)
{
	for (int i = 0; i < r->n; i++)
		if (strcmp(r->lock[i].name, name) == 0)
			return &r->lock[i];
	return NULL;
}

/* longest waits first, exact ones where known */
static int
by_wait(const void *a, const void *b)
{
	const Lock *x = a;
	const Lock *y = b;
	double wx = isnan(x->f[F_WAIT]) ? x->f[F_SAMPLED_WAIT] : x->f[F_WAIT];
	double wy = isnan(y->f[F_WAIT]) ? y->f[F_SAMPLED_WAIT] : y->f[F_WAIT];

	wx = isnan(wx) ? -1 : wx;
	wy = isnan(wy) ? -1 : wy;
	if (wx != wy)
		return wx < wy ? 1 : -1;
	return strcmp(x->name, y->name);
}

void
lwp_profile_stop(void *profile)
{
	LwpProfile *p = profile;
	Reading *after = &p->window;

	if (!p->valid)
		return;
	p->valid = take_reading(p, after);
	if (!p->valid)
		return;
	for (int i = 0; i < after->n; i++)
	{
		Lock *l = &after->lock[i];
		const Lock *was = find(&p->before, l->name);

		for (int k = 0; k < NFIGURES; k++)
		{
			double from = was != NULL && !isnan(was->f[k]) ? was->f[k] : 0;

			/* a maximum that did not grow says nothing of this window */
			if (k == F_MAX_WAIT)
				l->f[k] = l->f[k] > from ? l->f[k] : NAN;
			else
				l->f[k] -= from;
		}
	}
	after->active -= isnan(p->before.active) ? 0 : p->before.active;
	after->at -= p->before.at;
	qsort(after->lock, (size_t) after->n, sizeof(Lock), by_wait);
	json_array_append_new(p->all, lwp_profile_json(p));
}

static double
blocked(const Lock *l)
{
	return l->f[F_BLOCKED_SHARED] + l->f[F_BLOCKED_EXCLUSIVE];
}

static double
known(double v)
{
	return isnan(v) ? 0 : v;
}

/* a column: the number, or a dash where the server does not know it */
static void
cell(int width, int digits, double v)
{
	if (isnan(v))
		printf(" %*s", width, "-");
	else
		printf(" %*.*f", width, digits, v);
}

void
lwp_profile_print(const LwpProfile *p)
{
	const Reading *w = &p->window;
	double all_blocked = 0;
	int printed = 0;

	if (!p->valid)
		return;
	printf("lock profile of these %.3f s (pg_lwprof, mode %s%s%s):\n", (double) w->at / 1e9,
		   p->mode, p->reason != NULL && *p->reason ? ": " : "",
		   p->reason != NULL ? p->reason : "");
	for (int i = 0; i < w->n; i++)
		all_blocked += known(blocked(&w->lock[i]));
	printf("  %-24s %7s %11s %10s %9s %11s %12s %12s\n", "lock", "wait %", "avg waiters", "blocked",
		   "of all %", "group waits", "wait ms", "mean wait us");
	for (int i = 0; i < w->n && printed < PRINTED; i++)
	{
		const Lock *l = &w->lock[i];
		double b = blocked(l);
		double waits = b + known(l->f[F_GROUP]);

		if (known(l->f[F_WAIT]) + known(l->f[F_SAMPLED_WAIT]) + known(b) <= 0)
			continue;
		printed++;
		printf("  %-24s", l->name);
		cell(7, 2, w->active > 0 ? 100 * l->f[F_SAMPLED_WAIT] / w->active : NAN);
		cell(11, 3, l->f[F_SAMPLED_WAIT] * 1e6 / (double) w->at);
		cell(10, 0, b);
		cell(9, 1, all_blocked > 0 ? 100 * b / all_blocked : NAN);
		cell(11, 0, l->f[F_GROUP]);
		cell(12, 1, l->f[F_WAIT]);
		cell(12, 1, waits > 0 ? 1000 * l->f[F_WAIT] / waits : NAN);
		printf("\n");
	}
	if (printed == 0)
		printf("  no lock was waited for\n");
}

static json_t *
number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *
lwp_profile_json(const LwpProfile *p)
{
	json_t *o = json_object();
	json_t *locks = json_array();
	const Reading *w = &p->window;

	if (!p->valid)
	{
		json_decref(o);
		json_decref(locks);
		return json_null();
	}
	json_object_set_new(o, "mode", json_string(p->mode));
	json_object_set_new(o, "reason", p->reason ? json_string(p->reason) : json_null());
	json_object_set_new(o, "window_s", number((double) w->at / 1e9));
	json_object_set_new(o, "active_ms", number(w->active));
	for (int i = 0; i < w->n; i++)
	{
		const Lock *l = &w->lock[i];
		json_t *e = json_object();

		json_object_set_new(e, "wait_event", json_string(l->name));
		json_object_set_new(e, "classic_name", l->classic ? json_string(l->classic) : json_null());
		for (int k = 0; k < NFIGURES; k++)
			json_object_set_new(e, figure_names[k], number(l->f[k]));
		json_object_set_new(e, "wait_pct",
							w->active > 0 ? number(100 * l->f[F_SAMPLED_WAIT] / w->active)
										  : json_null());
		json_array_append_new(locks, e);
	}
	json_object_set_new(o, "locks", locks);
	return o;
}

bool
lwp_profile_close(LwpProfile *p)
{
	bool ok = true;

	if (p == NULL)
		return true;
	if (p->o->profile_path != NULL)
	{
		json_t *doc = json_object();

		json_object_set_new(doc, "format", json_string("lwbench-lock-profile"));
		json_object_set_new(doc, "format_version", json_integer(FORMAT_VERSION));
		json_object_set(doc, "windows", p->all);
		ok = lwp_json_store(doc, p->o->profile_path);
	}
	json_decref(p->all);
	free_reading(&p->before);
	free_reading(&p->window);
	free(p->mode);
	free(p->reason);
	PQfinish(p->con);
	free(p);
	return ok;
}
