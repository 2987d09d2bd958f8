/*
 * client.c
 *		The state machine of one client: scripts, transactions, their ends.
 *
 * Connecting, SQL, meta commands and child processes have files of their own
 * (client.h lists them).
 */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

/* time slots that are skipped in one go before others get their turn */
#define SKIP_BATCH 1000

static const LwpScript *
script_of(const LwpWorker *w, const LwpClient *c)
{
	return w->o->script[c->script];
}

void
lwp_client_complain(const LwpClient *c, const char *what, const char *message)
{
	lwp_error("client %d aborted in command %d (%s) of script %d; %s", c->id, c->cmd, what,
			  c->script, message);
}

void
lwp_client_close(LwpWorker *w, LwpClient *c)
{
	lwp_timers_remove(&w->timers, &c->timer);
	PQclear(c->held);
	c->held = NULL;
	c->nresults = 0;
	c->syncs = 0;
	c->io_ready = c->maybe_unread = c->want_write = false;
	if (c->shell != NULL)
		lwp_shell_kill(c);
	if (c->con != NULL)
	{
		/* closing a descriptor takes it out of the epoll set */
		PQfinish(c->con);
		c->con = NULL;
	}
	c->fd = -1;
	c->events = 0;
	if (c->prepared != NULL)
		memset(c->prepared, 0, (size_t) w->o->nstatements);
}

static bool
end_client(LwpWorker *w, LwpClient *c, LwpState state)
{
	lwp_client_close(w, c);
	c->state = state;
	w->live--;
	return false;
}

bool
lwp_client_finish(LwpWorker *w, LwpClient *c)
{
	return end_client(w, c, LWP_ST_FINISHED);
}

bool
lwp_client_abort(LwpWorker *w, LwpClient *c)
{
	w->aborted++;
	end_client(w, c, LWP_ST_ABORTED);
	if (w->o->exit_on_abort)
	{
		int none = -1;

		atomic_compare_exchange_strong(&w->run->abort_thread, &none, w->id);
		lwp_run_stop(w->run, LWP_STOP_HARD);
	}
	return false;
}

/* what ends the transaction without ending the client; then the next one */
static bool
next_transaction(LwpWorker *w, LwpClient *c, int64_t *now)
{
	const LwpOptions *o = w->o;

	if ((o->duration <= 0 && c->count >= o->transactions) || lwp_run_over(w->run, now))
		return lwp_client_finish(w, c);
	c->state = LWP_ST_CHOOSE;

	/*
	 * A script that never waits for the network must let the others run.  One
	 * that does has given them their turn already.
	 */
	if (!c->waited)
	{
		lwp_worker_ready(w, c);
		return false;
	}
	c->waited = false;
	return true;
}

bool
lwp_client_lost(LwpWorker *w, LwpClient *c, int64_t *now, const char *what)
{
	if (!w->o->reconnect)
	{
		if (what != NULL)
			lwp_client_complain(c, "SQL", what);
		return lwp_client_abort(w, c);
	}
	if (w->o->verbose_errors)
		lwp_info("client %d lost its connection in command %d of script %d; %s", c->id, c->cmd,
				 c->script, c->con ? PQerrorMessage(c->con) : "no connection");
	lwp_client_close(w, c);
	c->err = LWP_ERR_CONNECTION;
	if (w->cmd_stats != NULL)
		w->cmd_stats[c->script][c->cmd].failures++;
	lwp_xact_record(w, c, now, false);
	return next_transaction(w, c, now);
}

/* weighted draw; no number is drawn when there is one script only */
static int
choose_script(LwpWorker *w)
{
	const LwpOptions *o = w->o;
	int64_t at;
	int i = 0;

	if (o->nscripts == 1)
		return 0;
	at = lwp_random_uniform(&w->rng_choose, 0, o->total_weight - 1);
	while ((at -= o->script[i]->weight) >= 0)
		i++;
	return i;
}

/* finds the next time slot that is not hopelessly late */
static bool
schedule(LwpWorker *w, LwpClient *c, int64_t *now)
{
	const LwpOptions *o = w->o;

	for (int i = 0;; i++)
	{
		int64_t at = lwp_arrivals_next(&w->arrivals, &o->schedule, &w->rng_throttle);

		/* no further arrival, or none in time: this client has done its part */
		if (at == INT64_MAX)
			return lwp_client_finish(w, c);
		c->scheduled = w->run->go + at;
		if (w->run->deadline != 0 && c->scheduled > w->run->deadline)
			return lwp_client_finish(w, c);
		if (o->latency_limit == 0 || c->scheduled >= lwp_now_lazy(now) - o->latency_limit)
			break;
		lwp_xact_record(w, c, now, true);
		if (lwp_run_over(w->run, now) || (o->transactions > 0 && c->count >= o->transactions))
			return lwp_client_finish(w, c);
		if (i == SKIP_BATCH)
		{
			lwp_worker_ready(w, c);
			return false;
		}
	}
	c->state = LWP_ST_THROTTLE;
	return true;
}

static bool
choose(LwpWorker *w, LwpClient *c, int64_t *now)
{
	c->script = choose_script(w);
	c->cmd = 0;
	c->err = LWP_ERR_NONE;
	c->tries = 1;
	c->resumed = false;
	lwp_debug("client %d executing script \"%s\"", c->id, script_of(w, c)->desc);
	if (lwp_run_over(w->run, now))
		return lwp_client_finish(w, c);
	if (w->o->schedule.active)
		return schedule(w, c, now);
	c->state = LWP_ST_START;
	return true;
}

static bool
throttle(LwpWorker *w, LwpClient *c, int64_t *now)
{
	if (atomic_load_explicit(&w->run->stop, memory_order_relaxed) != LWP_STOP_NONE)
		return lwp_client_finish(w, c);
	if (lwp_now_lazy(now) < c->scheduled)
	{
		lwp_worker_wake_at(w, c, c->scheduled);
		return false;
	}
	if (lwp_run_over(w->run, now))
		return lwp_client_finish(w, c);
	c->state = LWP_ST_START;
	return true;
}

static bool
start(LwpWorker *w, LwpClient *c, int64_t *now)
{
	lwp_now_lazy(now);
	if (c->con == NULL)
		return lwp_connect_start(w, c, *now);
	c->rng_saved = c->rng;
	c->begin = *now;
	if (!w->o->schedule.active)
		c->scheduled = *now;
	c->cmd = 0;
	c->state = LWP_ST_COMMAND;
	return true;
}

static bool
command(LwpWorker *w, LwpClient *c, int64_t *now)
{
	const LwpScript *s = script_of(w, c);
	const LwpCommand *cmd;

	if (c->cmd >= s->ncmds)
	{
		if (s->has_pipeline && PQpipelineStatus(c->con) != PQ_PIPELINE_OFF)
		{
			lwp_error("client %d aborted: end of script reached with pipeline open", c->id);
			return lwp_client_abort(w, c);
		}
		c->state = LWP_ST_END;
		return true;
	}
	cmd = s->cmd[c->cmd];
	if (w->cmd_stats != NULL && !c->resumed)
		c->cmd_begin = lwp_now_lazy(now);
	c->resumed = false;
	if (cmd->kind == LWP_CMD_SQL)
		return lwp_sql_start(w, c, cmd, now);
	return lwp_meta_start(w, c, cmd, now);
}

static bool
command_end(LwpWorker *w, LwpClient *c, int64_t *now)
{
	if (w->cmd_stats != NULL && lwp_now_lazy(now) >= w->run->measure_from)
		lwp_hist_record(&w->cmd_stats[c->script][c->cmd].time, *now - c->cmd_begin);
	c->cmd++;
	c->state = LWP_ST_COMMAND;
	return true;
}

static bool
sleep_step(LwpWorker *w, LwpClient *c, int64_t *now)
{
	if (lwp_now_lazy(now) < c->timer.at)
	{
		lwp_worker_wake_at(w, c, c->timer.at);
		return false;
	}
	c->state = LWP_ST_COMMAND_END;
	return true;
}

static bool
shell_step(LwpWorker *w, LwpClient *c, int64_t *now)
{
	const LwpCommand *cmd = script_of(w, c)->cmd[c->cmd];
	bool ok;

	if (!lwp_shell_step(w, c, cmd, &ok))
		return false;
	if (!ok)
	{
		lwp_client_complain(c, cmd->kind == LWP_CMD_SHELL ? "shell" : "setshell",
							"execution of meta-command failed");
		c->err = LWP_ERR_META;
		return lwp_client_abort(w, c);
	}
	*now = 0;
	c->state = LWP_ST_COMMAND_END;
	return true;
}

/* the transaction is rolled back: again from the start, or give it up */
static bool
rolled_back(LwpWorker *w, LwpClient *c, int64_t *now)
{
	LwpCmdStats *cs = w->cmd_stats ? &w->cmd_stats[c->script][c->cmd] : NULL;

	if (lwp_run_over(w->run, now))
		return lwp_client_finish(w, c);
	if (lwp_xact_can_retry(w, c, now))
	{
		if (w->o->verbose_errors)
			lwp_xact_verbose(w, c, now, true);
		c->tries++;
		if (cs != NULL)
			cs->retries++;
		c->rng = c->rng_saved;
		c->cmd = 0;
		c->err = LWP_ERR_NONE;
		c->state = LWP_ST_COMMAND;
		*now = 0;
		return true;
	}
	if (cs != NULL)
		cs->failures++;
	if (w->o->verbose_errors)
		lwp_xact_verbose(w, c, now, false);
	c->state = LWP_ST_END;
	return true;
}

static bool
error_step(LwpWorker *w, LwpClient *c, int64_t *now)
{
	PGTransactionStatusType status;

	if (PQpipelineStatus(c->con) != PQ_PIPELINE_OFF)
	{
		/* one more sync, so that there is one to read up to */
		if (!PQpipelineSync(c->con))
		{
			lwp_error("client %d aborted: failed to send a pipeline sync", c->id);
			return lwp_client_abort(w, c);
		}
		if (!lwp_sql_flush(w, c))
			return lwp_client_lost(w, c, now, "perhaps the backend died while processing");
		c->sync_seen = false;
		c->state = LWP_ST_DISCARD;
		return true;
	}
	status = PQtransactionStatus(c->con);
	if (status == PQTRANS_IDLE)
		return rolled_back(w, c, now);
	if (status != PQTRANS_INTRANS && status != PQTRANS_INERROR)
	{
		if (PQstatus(c->con) == CONNECTION_BAD)
			lwp_error("perhaps the backend died while processing");
		lwp_error("client %d aborted while receiving the transaction status", c->id);
		return lwp_client_abort(w, c);
	}
	if (!PQsendQuery(c->con, "ROLLBACK") || !lwp_sql_flush(w, c))
	{
		lwp_error("client %d aborted: failed to send sql command for rolling back the failed "
				  "transaction",
				  c->id);
		return lwp_client_abort(w, c);
	}
	c->state = LWP_ST_ROLLBACK;
	return c->io_ready;
}

static bool
end_transaction(LwpWorker *w, LwpClient *c, int64_t *now)
{
	PGTransactionStatusType status;

	lwp_xact_record(w, c, now, false);
	status = PQtransactionStatus(c->con);
	if (__builtin_expect(status != PQTRANS_IDLE, 0))
	{
		if (status == PQTRANS_INTRANS || status == PQTRANS_INERROR)
			lwp_error("client %d aborted: end of script reached without completing the last "
					  "transaction",
					  c->id);
		else
		{
			if (PQstatus(c->con) == CONNECTION_BAD)
				lwp_error("perhaps the backend died while processing");
			lwp_error("client %d aborted while receiving the transaction status", c->id);
		}
		return lwp_client_abort(w, c);
	}
	if (w->o->connect_each)
	{
		int64_t from = *now;

		lwp_client_close(w, c);
		*now = lwp_now();
		w->connect_sum += *now - from;
	}
	return next_transaction(w, c, now);
}

static bool
step(LwpWorker *w, LwpClient *c, int64_t *now)
{
	switch (c->state)
	{
		case LWP_ST_CONNECT_WAIT:
			return lwp_connect_start(w, c, lwp_now_lazy(now));
		case LWP_ST_CONNECTING:
			return lwp_connect_step(w, c);
		case LWP_ST_SESSION_SQL:
			return lwp_session_sql_step(w, c);
		case LWP_ST_CHOOSE:
			return choose(w, c, now);
		case LWP_ST_THROTTLE:
			return throttle(w, c, now);
		case LWP_ST_START:
			return start(w, c, now);
		case LWP_ST_COMMAND:
			return command(w, c, now);
		case LWP_ST_PREPARE:
			return lwp_sql_prepared(w, c, now);
		case LWP_ST_RESULT:
			return lwp_sql_result(w, c, now);
		case LWP_ST_SLEEP:
			return sleep_step(w, c, now);
		case LWP_ST_SHELL:
			return shell_step(w, c, now);
		case LWP_ST_COMMAND_END:
			return command_end(w, c, now);
		case LWP_ST_DRAIN:
			return lwp_sql_drain(w, c, now);
		case LWP_ST_ERROR:
			return error_step(w, c, now);
		case LWP_ST_DISCARD:
			return lwp_sql_discard(w, c, now);
		case LWP_ST_ROLLBACK:
			if (!lwp_sql_rollback(w, c, now))
				return false;
			return c->state == LWP_ST_ROLLBACK ? rolled_back(w, c, now) : true;
		case LWP_ST_END:
			return end_transaction(w, c, now);
		case LWP_ST_CONNECTED:
		case LWP_ST_ABORTED:
		case LWP_ST_FINISHED:
			break;
	}
	return false;
}

void
lwp_client_advance(LwpWorker *w, LwpClient *c)
{
	int64_t now = 0;

	while (step(w, c, &now))
		;
}
