/*
 * exec_sql.c
 *		Sends SQL commands and reads what the server answers.
 *
 * Nothing here blocks.  Sockets are watched edge-triggered, so an event is the
 * only word we get of new data: whoever decides to wait must know that the
 * socket is empty.  io_ready says that an event came since the last read;
 * maybe_unread that the last read may have left something behind.
 */
#include "client.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

#include "message.h"

/* how soon a TLS connection with half a result is looked at again */
#define SSL_RECHECK_NS (2 * LWP_NS_PER_MS)

static bool
readable(const LwpClient *c)
{
	struct pollfd p = {.fd = c->fd, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

int
lwp_sql_pump(LwpWorker *w, LwpClient *c)
{
	while (PQisBusy(c->con))
	{
		if (!c->io_ready)
		{
			if (!c->maybe_unread)
				return 0;
			c->maybe_unread = false;
			if (!readable(c))
			{
				/* decrypted bytes inside the TLS library raise no event */
				if (c->ssl)
				{
					c->maybe_unread = true;
					lwp_worker_wake_at(w, c, lwp_now() + SSL_RECHECK_NS);
				}
				return 0;
			}
		}
		c->io_ready = false;
		c->maybe_unread = true;
		if (!PQconsumeInput(c->con))
			return -1;
	}
	return 1;
}

bool
lwp_sql_flush(LwpWorker *w, LwpClient *c)
{
	int r = PQflush(c->con);

	if (r < 0)
		return false;
	if ((r > 0) != c->want_write)
	{
		c->want_write = r > 0;
		lwp_worker_watch(w, c, EPOLLIN | EPOLLET | (c->want_write ? EPOLLOUT : 0));
	}
	return true;
}

const char *
lwp_sql_fill(LwpWorker *w, LwpClient *c, const LwpPiece *piece, int npieces)
{
	LwpStr *sql = &w->sql;

	lwp_str_reset(sql);
	for (int i = 0; i < npieces; i++)
	{
		const LwpPiece *p = &piece[i];
		const char *value = p->slot >= 0 ? lwp_var_text(&c->vars.v[p->slot]) : NULL;

		/* an undefined variable stays as it was written */
		if (p->slot >= 0 && value == NULL)
			lwp_str_add(sql, p->text, p->len + p->name_len);
		else
		{
			lwp_str_add(sql, p->text, p->len);
			if (value != NULL)
				lwp_str_adds(sql, value);
		}
	}
	return sql->data;
}

static void
fill_params(LwpClient *c, const LwpCommand *cmd, const char **params)
{
	for (int i = 0; i < cmd->nparams; i++)
		params[i] = lwp_var_text(&c->vars.v[cmd->param_slot[i]]);
}

/* Parse for one statement; its answer is awaited in LWP_ST_PREPARE */
static bool
send_prepare(LwpWorker *w, LwpClient *c, const LwpCommand *cmd)
{
	lwp_debug("client %d preparing %s", c->id, cmd->stmt_name);
	if (!PQsendPrepare(c->con, cmd->stmt_name, cmd->sql, cmd->nparams, NULL) ||
		!lwp_sql_flush(w, c))
		return false;
	c->prepared[cmd->stmt_no] = 1;
	c->state = LWP_ST_PREPARE;
	return true;
}

static bool
is_prepared(const LwpClient *c, const LwpCommand *cmd)
{
	return c->prepared[cmd->stmt_no] != 0;
}

static int
send_command(LwpWorker *w, LwpClient *c, const LwpCommand *cmd)
{
	const char *params[LWP_MAX_ARGS];

	switch (w->o->mode)
	{
		case LWP_MODE_SIMPLE:
			lwp_sql_fill(w, c, cmd->piece, cmd->npieces);
			lwp_debug("client %d sending %s", c->id, w->sql.data);
			return PQsendQuery(c->con, w->sql.data);
		case LWP_MODE_EXTENDED:
			fill_params(c, cmd, params);
			lwp_debug("client %d sending %s", c->id, cmd->sql);
			return PQsendQueryParams(c->con, cmd->sql, cmd->nparams, NULL, params, NULL, NULL, 0);
		case LWP_MODE_PREPARED:
			fill_params(c, cmd, params);
			lwp_debug("client %d sending %s", c->id, cmd->stmt_name);
			return PQsendQueryPrepared(c->con, cmd->stmt_name, cmd->nparams, params, NULL, NULL, 0);
	}
	return 0;
}

bool
lwp_sql_start(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, int64_t *now)
{
	bool pipeline = false;

	if (w->o->script[c->script]->has_pipeline)
		pipeline = PQpipelineStatus(c->con) != PQ_PIPELINE_OFF;
	if (pipeline && cmd->store != LWP_STORE_NONE)
	{
		bool gset = cmd->store == LWP_STORE_GSET;

		lwp_client_complain(c, gset ? "gset" : "aset",
							gset ? "\\gset is not allowed in pipeline mode"
								 : "\\aset is not allowed in pipeline mode");
		return lwp_client_abort(w, c);
	}
	if (w->o->mode == LWP_MODE_PREPARED && !is_prepared(c, cmd))
	{
		if (!send_prepare(w, c, cmd))
			return lwp_client_lost(w, c, now, "SQL command send failed");
		return c->io_ready;
	}
	if (!send_command(w, c, cmd) || !lwp_sql_flush(w, c))
	{
		lwp_debug("client %d could not send %s", c->id, cmd->text);
		return lwp_client_lost(w, c, now, "SQL command send failed");
	}
	if (pipeline)
	{
		c->state = LWP_ST_COMMAND_END;
		return true;
	}
	c->state = LWP_ST_RESULT;
	return c->io_ready;
}

bool
lwp_sql_prepare_pipeline(LwpWorker *w, LwpClient *c, bool *ready)
{
	const LwpScript *s = w->o->script[c->script];

	*ready = false;
	for (int i = c->cmd + 1; i < s->ncmds && s->cmd[i]->kind != LWP_CMD_ENDPIPELINE; i++)
		if (s->cmd[i]->kind == LWP_CMD_SQL && !is_prepared(c, s->cmd[i]))
			return send_prepare(w, c, s->cmd[i]);
	*ready = true;
	return true;
}

/*
 * The answer to Parse.  A statement that cannot be prepared is only reported:
 * executing it then fails, which is the error that counts.
 */
bool
lwp_sql_prepared(LwpWorker *w, LwpClient *c, int64_t *now)
{
	for (;;)
	{
		int r = lwp_sql_pump(w, c);
		PGresult *res;

		if (r < 0)
			return lwp_client_lost(w, c, now, "perhaps the backend died while processing");
		if (r == 0)
			return false;
		c->waited = true;
		res = PQgetResult(c->con);
		if (res == NULL)
			break;
		if (PQresultStatus(res) != PGRES_COMMAND_OK)
			lwp_error("%s", PQresultErrorMessage(res));
		PQclear(res);
	}
	if (PQstatus(c->con) == CONNECTION_BAD)
		return lwp_client_lost(w, c, now, "perhaps the backend died while processing");
	c->resumed = true;
	c->state = LWP_ST_COMMAND;
	return true;
}

/* puts the last row into variables; false after a message */
static bool
store_row(const LwpClient *c, const LwpCommand *cmd, const PGresult *res, LwpStr *name)
{
	int row = PQntuples(res) - 1;

	for (int f = 0; f < PQnfields(res); f++)
	{
		int slot;

		lwp_str_reset(name);
		lwp_str_adds(name, cmd->prefix);
		lwp_str_adds(name, PQfname(res, f));
		if (!lwp_name_valid(name->data))
		{
			lwp_error("%s: invalid variable name: \"%s\"",
					  cmd->store == LWP_STORE_ASET ? "aset" : "gset", name->data);
			lwp_error("client %d script %d command %d query %d: error storing into variable %s",
					  c->id, c->script, c->cmd, c->nresults, name->data);
			return false;
		}
		/* a name no script mentions can never be read */
		slot = lwp_names_find(c->vars.names, name->data);
		if (slot >= 0)
			lwp_var_set_text(&c->vars.v[slot], PQgetvalue(res, row, f));
	}
	return true;
}

static bool
expected_one_row(LwpClient *c, int got)
{
	lwp_error("client %d script %d command %d query %d: expected one row, got %d", c->id, c->script,
			  c->cmd, c->nresults, got);
	c->err = LWP_ERR_META;
	return false;
}

static LwpErr
classify(const PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const char *severity = PQresultErrorField(res, PG_DIAG_SEVERITY_NONLOCALIZED);

	if (state != NULL && strcmp(state, "40001") == 0)
		return LWP_ERR_SERIALIZATION;
	if (state != NULL && strcmp(state, "40P01") == 0)
		return LWP_ERR_DEADLOCK;

	/* the server closes the connection after these; libpq's own errors have no state */
	if (state == NULL ||
		(severity != NULL && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0)))
		return LWP_ERR_CONNECTION;
	return LWP_ERR_OTHER_SQL;
}

/* is the transaction only failed, the client fit to go on? */
static bool
can_go_on(const LwpWorker *w, LwpErr err)
{
	switch (err)
	{
		case LWP_ERR_SERIALIZATION:
		case LWP_ERR_DEADLOCK:
			return true;
		case LWP_ERR_OTHER_SQL:
			return w->o->continue_on_error;
		case LWP_ERR_CONNECTION:
			return w->o->reconnect;
		default:
			return false;
	}
}

/* one result, of which is_last says whether another one follows; false on errors */
static bool
take_result(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, PGresult *res, bool is_last)
{
	LwpStore store = cmd->kind == LWP_CMD_SQL ? cmd->store : LWP_STORE_NONE;

	switch (PQresultStatus(res))
	{
		case PGRES_COMMAND_OK:
		case PGRES_EMPTY_QUERY:
			if (is_last && store == LWP_STORE_GSET)
				return expected_one_row(c, 0);
			return true;
		case PGRES_TUPLES_OK:
			if (store == LWP_STORE_NONE || (store == LWP_STORE_GSET && !is_last))
				return true;
			if (store == LWP_STORE_GSET && PQntuples(res) != 1)
				return expected_one_row(c, PQntuples(res));
			if (PQntuples(res) == 0)
				return true;
			if (!store_row(c, cmd, res, &w->sql))
			{
				c->err = LWP_ERR_META;
				return false;
			}
			return true;
		case PGRES_PIPELINE_SYNC:
			lwp_debug("client %d pipeline ending, ongoing syncs: %d", c->id, c->syncs);
			c->syncs--;
			if (c->syncs == 0 && PQexitPipelineMode(c->con) != 1)
				lwp_error("client %d failed to exit pipeline mode: %s", c->id,
						  PQerrorMessage(c->con));
			return true;
		case PGRES_COPY_IN:
		case PGRES_COPY_OUT:
		case PGRES_COPY_BOTH:
			lwp_error("COPY is not supported in %s, aborting", lwp_progname);
			c->err = LWP_ERR_META;
			return false;
		case PGRES_NONFATAL_ERROR:
		case PGRES_FATAL_ERROR:
			c->err = classify(res);
			if (can_go_on(w, c->err))
			{
				if (w->o->verbose_errors)
					lwp_info("client %d got an error in command %d (SQL) of script %d; %s", c->id,
							 c->cmd, c->script, PQresultErrorMessage(res));
				return false;
			}
			break;
		default:
			c->err = LWP_ERR_META;
			break;
	}
	lwp_error("client %d script %d aborted in command %d query %d: %s", c->id, c->script, c->cmd,
			  c->nresults, PQresultErrorMessage(res));
	return false;
}

static bool
result_failed(LwpWorker *w, LwpClient *c, int64_t *now)
{
	PQclear(c->held);
	c->held = NULL;
	if (!can_go_on(w, c->err))
		return lwp_client_abort(w, c);
	if (c->err == LWP_ERR_CONNECTION)
		return lwp_client_lost(w, c, now, NULL);
	c->state = LWP_ST_DRAIN;
	return true;
}

bool
lwp_sql_result(LwpWorker *w, LwpClient *c, int64_t *now)
{
	const LwpCommand *cmd = w->o->script[c->script]->cmd[c->cmd];

	lwp_debug("client %d receiving", c->id);
	for (;;)
	{
		int r = lwp_sql_pump(w, c);
		PGresult *next;

		if (r < 0)
		{
			/* the server may have said why before it went */
			if (c->held != NULL && !take_result(w, c, cmd, c->held, true))
				return result_failed(w, c, now);
			return lwp_client_lost(w, c, now, "perhaps the backend died while processing");
		}
		if (r == 0)
			return false;
		c->waited = true;
		next = PQgetResult(c->con);
		if (c->held != NULL)
		{
			/* only now is it known whether that one was the last */
			bool ok = take_result(w, c, cmd, c->held, next == NULL);

			PQclear(c->held);
			c->held = next;
			if (!ok)
				return result_failed(w, c, now);
			c->nresults++;
		}
		else
			c->held = next;
		if (next != NULL)
			continue;
		if (c->nresults == 0)
		{
			if (PQstatus(c->con) == CONNECTION_BAD)
				return lwp_client_lost(w, c, now, "perhaps the backend died while processing");
			lwp_error("client %d command %d: no results", c->id, c->cmd);
			return lwp_client_abort(w, c);
		}
		c->nresults = 0;

		/* in a pipeline the answers of the further queries follow */
		if (cmd->kind == LWP_CMD_ENDPIPELINE && PQpipelineStatus(c->con) == PQ_PIPELINE_ON)
			continue;
		c->state = LWP_ST_COMMAND_END;
		return true;
	}
}

bool
lwp_sql_drain(LwpWorker *w, LwpClient *c, int64_t *now)
{
	for (;;)
	{
		int r = lwp_sql_pump(w, c);
		PGresult *res;

		if (r < 0)
			return lwp_client_lost(w, c, now, "perhaps the backend died while processing");
		if (r == 0)
			return false;
		c->waited = true;
		res = PQgetResult(c->con);
		if (res == NULL)
			break;
		PQclear(res);
	}
	c->nresults = 0;
	c->state = LWP_ST_ERROR;
	return true;
}

/* up to the last sync of the pipeline, that is: one with nothing behind it */
bool
lwp_sql_discard(LwpWorker *w, LwpClient *c, int64_t *now)
{
	for (;;)
	{
		int r = lwp_sql_pump(w, c);
		PGresult *res;
		bool sync;

		if (r < 0 || PQstatus(c->con) == CONNECTION_BAD)
			return lwp_client_lost(w, c, now, "perhaps the backend died while processing");
		if (r == 0)
			return false;
		res = PQgetResult(c->con);
		sync = res != NULL && PQresultStatus(res) == PGRES_PIPELINE_SYNC;
		PQclear(res);
		if (res == NULL && c->sync_seen)
			break;
		c->sync_seen = sync;
	}
	c->syncs = 0;
	if (PQexitPipelineMode(c->con) != 1)
	{
		lwp_error("client %d aborted: failed to exit pipeline mode for rolling back the failed "
				  "transaction",
				  c->id);
		return lwp_client_abort(w, c);
	}
	c->state = LWP_ST_ERROR;
	return true;
}

/* true with the state unchanged once ROLLBACK has succeeded */
bool
lwp_sql_rollback(LwpWorker *w, LwpClient *c, int64_t *now)
{
	lwp_debug("client %d receiving", c->id);
	for (;;)
	{
		int r = lwp_sql_pump(w, c);
		PGresult *res;
		bool ok;

		if (r < 0)
			return lwp_client_lost(w, c, now, "perhaps the backend died while processing");
		if (r == 0)
			return false;
		c->waited = true;
		res = PQgetResult(c->con);
		if (res == NULL)
			return true;
		ok = PQresultStatus(res) == PGRES_COMMAND_OK;
		PQclear(res);
		if (!ok)
		{
			lwp_error("client %d aborted while rolling back the transaction after an error; %s",
					  c->id, PQerrorMessage(c->con));
			return lwp_client_abort(w, c);
		}
	}
}
