/*
 * connect.c
 *		Connections of benchmark clients, made without blocking.
 *
 * Before GO a worker has at most connect_limit tries under way; a try that
 * fails is repeated after a pause that doubles, and a client whose tries are
 * used up is reported and left out.  During the run the same code serves
 * -C (a connection per transaction) and --reconnect-on-failure.
 */
#include "client.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "message.h"

#define FIRST_PAUSE_NS (20 * LWP_NS_PER_MS)
#define LAST_PAUSE_NS  LWP_NS_PER_SEC

static int64_t
pause_after(int tries)
{
	int64_t ns = FIRST_PAUSE_NS;

	while (tries-- > 1 && ns < LAST_PAUSE_NS)
		ns *= 2;
	return ns < LAST_PAUSE_NS ? ns : LAST_PAUSE_NS;
}

/* the initial connection of c has an outcome: let the next one begin */
static void
initial_done(LwpWorker *w)
{
	w->initial_left--;
}

static void
release_turn(LwpWorker *w, LwpClient *c)
{
	if (c->initial)
		w->connecting--;
}

/* for good, before GO: the run goes on without this client, or not at all */
static bool
give_up_initial(LwpWorker *w, LwpClient *c, const char *reason)
{
	free(w->connect_error);
	w->connect_error = lwp_strdup(reason);
	lwp_error("%s", reason);
	lwp_error("could not create connection for client %d", c->id);
	w->connect_failed++;
	initial_done(w);
	lwp_client_close(w, c);
	c->state = LWP_ST_ABORTED;
	w->live--;
	return false;
}

static bool
connect_failed(LwpWorker *w, LwpClient *c)
{
	char *reason = lwp_strdup(PQerrorMessage(c->con));
	int64_t now = 0;
	bool again;

	release_turn(w, c);
	c->connect_tries++;
	lwp_client_close(w, c);
	if (c->initial)
		again = c->connect_tries <= w->o->connect_retries;
	else if (lwp_run_over(w->run, &now))
	{
		free(reason);
		return lwp_client_finish(w, c);
	}
	else
		again = w->o->reconnect || c->connect_tries <= w->o->connect_retries;
	if (again)
	{
		lwp_debug("client %d could not connect (try %d): %s", c->id, c->connect_tries, reason);
		c->state = LWP_ST_CONNECT_WAIT;
		lwp_worker_wake_at(w, c, lwp_now() + pause_after(c->connect_tries));
	}
	else if (c->initial)
		give_up_initial(w, c, reason);
	else
	{
		lwp_error("%s", reason);
		lwp_error("client %d aborted while establishing connection", c->id);
		lwp_client_abort(w, c);
	}
	free(reason);
	return false;
}

/* seconds from the connection string or the environment; 0 is none */
static int
timeout_of(PGconn *con)
{
	PQconninfoOption *all = PQconninfo(con);
	int seconds = 0;

	for (PQconninfoOption *p = all; p != NULL && p->keyword != NULL; p++)
		if (strcmp(p->keyword, "connect_timeout") == 0 && p->val != NULL)
			seconds = atoi(p->val);
	PQconninfoFree(all);
	return seconds;
}

bool
lwp_connect_start(LwpWorker *w, LwpClient *c, int64_t now)
{
	int timeout;

	if (!c->initial && lwp_run_over(w->run, &now))
		return lwp_client_finish(w, c);
	if (c->initial)
		w->connecting++;
	c->connect_begin = lwp_now();
	c->con = lwp_connect_begin(&w->o->conn);
	if (c->con == NULL)
		lwp_fatal("out of memory");
	c->state = LWP_ST_CONNECTING;
	if (PQstatus(c->con) == CONNECTION_BAD)
		return connect_failed(w, c);
	timeout = timeout_of(c->con);
	if (timeout > 0)
		lwp_worker_wake_at(w, c, c->connect_begin + timeout * LWP_NS_PER_SEC);

	/* a local socket can be written to at once */
	return lwp_connect_step(w, c);
}

bool
lwp_connect_timeout(LwpWorker *w, LwpClient *c)
{
	lwp_error("client %d: connection attempt timed out", c->id);
	return connect_failed(w, c);
}

/* connected and set up */
static bool
established(LwpWorker *w, LwpClient *c)
{
	int64_t ns = lwp_now() - c->connect_begin;

	lwp_hist_record(&w->connect_time, ns);
	if (c->connect_tries > 0 && !c->initial)
		w->reconnects++;
	c->connect_tries = 0;
	c->io_ready = false;
	if (c->initial)
	{
		release_turn(w, c);
		initial_done(w);
		c->connect_ns = ns;
		c->state = LWP_ST_CONNECTED;
		return false;
	}
	w->connect_sum += ns;
	c->waited = true;
	c->state = LWP_ST_START;
	return true;
}

static bool
start_session(LwpWorker *w, LwpClient *c)
{
	LwpPiece *piece;
	int n;
	bool sent;

	/* every name in it was interned when the run was set up */
	piece = lwp_split_pieces(w->o->init_sql, (LwpNames *) &w->o->names, &n);
	lwp_sql_fill(w, c, piece, n);
	free(piece);
	sent = PQsendQuery(c->con, w->sql.data) && lwp_sql_flush(w, c);
	if (!sent)
		return connect_failed(w, c);
	c->state = LWP_ST_SESSION_SQL;
	return c->io_ready;
}

bool
lwp_connect_step(LwpWorker *w, LwpClient *c)
{
	switch (PQconnectPoll(c->con))
	{
		case PGRES_POLLING_READING:
			lwp_worker_watch(w, c, EPOLLIN);
			return false;
		case PGRES_POLLING_WRITING:
			lwp_worker_watch(w, c, EPOLLOUT);
			return false;
		case PGRES_POLLING_OK:
			break;
		default:
			return connect_failed(w, c);
	}
	lwp_timers_remove(&w->timers, &c->timer);
	PQsetnonblocking(c->con, 1);
	c->ssl = PQsslInUse(c->con) != 0;
	c->io_ready = false;
	lwp_worker_watch(w, c, EPOLLIN | EPOLLET);
	if (w->o->init_sql != NULL)
		return start_session(w, c);
	return established(w, c);
}

bool
lwp_session_sql_step(LwpWorker *w, LwpClient *c)
{
	for (;;)
	{
		int r = lwp_sql_pump(w, c);
		PGresult *res;
		ExecStatusType status;

		if (r < 0)
			return connect_failed(w, c);
		if (r == 0)
			return false;
		res = PQgetResult(c->con);
		if (res == NULL)
			return established(w, c);
		status = PQresultStatus(res);
		PQclear(res);
		if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY)
			continue;

		/* trying again would fail the same way */
		c->connect_tries = w->o->connect_retries;
		lwp_error("client %d: error in --init-sql", c->id);
		if (!c->initial)
		{
			lwp_error("%s", PQerrorMessage(c->con));
			return lwp_client_abort(w, c);
		}
		return connect_failed(w, c);
	}
}
