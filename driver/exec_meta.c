/*
 * exec_meta.c
 *		Executes meta commands.
 *
 * Conditionals were linked when the script was parsed: a branch that is not
 * taken is jumped over, and whoever reaches \elif, \else from above has
 * finished its branch and jumps to \endif.
 */
#include "client.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "message.h"
#include "num.h"

static void
print_debug(const LwpClient *c, const LwpCommand *cmd)
{
	LwpStr s;

	lwp_str_init(&s);
	lwp_str_addf(&s, "client %d executing \\%s", c->id, cmd->argv[0]);
	for (int i = 1; i < cmd->argc; i++)
		lwp_str_addf(&s, " %s", cmd->argv[i]);
	lwp_debug("%s", s.data);
	lwp_str_free(&s);
}

static bool
failed(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, const char *message)
{
	lwp_client_complain(c, cmd->argv[0], message);
	c->err = LWP_ERR_META;
	return lwp_client_abort(w, c);
}

static bool
evaluate(LwpClient *c, const LwpCommand *cmd, LwpValue *out)
{
	LwpEvalCtx ctx = {
		.vars = &c->vars, .prng = &c->rng, .script = c->script, .command = c->cmd + 1};

	return lwp_expr_eval(&ctx, cmd->expr, out);
}

static bool
do_set(LwpWorker *w, LwpClient *c, const LwpCommand *cmd)
{
	LwpValue v;

	if (!evaluate(c, cmd, &v))
		return failed(w, c, cmd, "evaluation of meta-command failed");
	if (cmd->set_slot < 0)
	{
		lwp_error("%s: invalid variable name: \"%s\"", cmd->argv[0], cmd->argv[1]);
		return failed(w, c, cmd, "assignment of meta-command failed");
	}
	lwp_var_set(&c->vars.v[cmd->set_slot], v);
	c->state = LWP_ST_COMMAND_END;
	return true;
}

/* \if and the \elif behind branches that were not taken */
static bool
do_condition(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, int64_t *now)
{
	const LwpScript *s = w->o->script[c->script];

	for (;;)
	{
		LwpValue v;
		bool measured = w->cmd_stats != NULL;

		if (!evaluate(c, cmd, &v))
			return failed(w, c, cmd, "evaluation of meta-command failed");
		if (measured)
		{
			*now = lwp_now();
			if (*now >= w->run->measure_from)
				lwp_hist_record(&w->cmd_stats[c->script][c->cmd].time, *now - c->cmd_begin);
			c->cmd_begin = *now;
		}
		if (lwp_value_truth(&v))
			break;
		c->cmd = cmd->next_branch;
		cmd = s->cmd[c->cmd];
		if (cmd->kind != LWP_CMD_ELIF)
			break;
		if (__builtin_expect(lwp_debug_on, 0))
			print_debug(c, cmd);
	}
	/* behind the condition, the \else or the \endif */
	c->cmd++;
	c->state = LWP_ST_COMMAND;
	return true;
}

static bool
do_sleep(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, int64_t *now)
{
	int64_t n = cmd->sleep_number;
	int64_t ns;

	if (cmd->arg_slot[1] >= 0)
	{
		const char *text = lwp_var_text(&c->vars.v[cmd->arg_slot[1]]);

		if (text == NULL)
		{
			lwp_error("%s: undefined variable \"%s\"", cmd->argv[0], cmd->argv[1] + 1);
			return failed(w, c, cmd, "execution of meta-command failed");
		}
		if ((*text < '0' || *text > '9') && *text != '-' && *text != '+' && *text != ' ')
		{
			lwp_error("%s: invalid sleep time \"%s\" for variable \"%s\"", cmd->argv[0], text,
					  cmd->argv[1] + 1);
			return failed(w, c, cmd, "execution of meta-command failed");
		}
		n = strtoll(text, NULL, 10);
	}
	if (__builtin_mul_overflow(n, cmd->sleep_unit_ns, &ns) || ns > INT64_MAX / 4)
	{
		lwp_error("%s: sleep time is out of range", cmd->argv[0]);
		return failed(w, c, cmd, "execution of meta-command failed");
	}
	lwp_now_lazy(now);
	if (ns <= 0)
	{
		c->state = LWP_ST_COMMAND_END;
		return true;
	}
	c->state = LWP_ST_SLEEP;
	lwp_worker_wake_at(w, c, *now + ns);
	return false;
}

static bool
do_start_pipeline(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, int64_t *now)
{
	if (w->o->mode == LWP_MODE_SIMPLE)
		return failed(w, c, cmd, "cannot use pipeline mode with the simple query protocol");
	if (PQpipelineStatus(c->con) != PQ_PIPELINE_OFF)
		return failed(w, c, cmd, "already in pipeline mode");

	/*
	 * All statements of the pipeline are prepared before it begins: a Parse
	 * inside would take the snapshot that BEGIN ISOLATION LEVEL must come
	 * before.
	 */
	if (w->o->mode == LWP_MODE_PREPARED)
	{
		bool ready;

		if (!lwp_sql_prepare_pipeline(w, c, &ready))
			return lwp_client_lost(w, c, now, "SQL command send failed");
		if (!ready)
			return c->io_ready;
	}
	if (!PQenterPipelineMode(c->con))
		return failed(w, c, cmd, "failed to enter pipeline mode");
	c->syncs = 0;
	c->state = LWP_ST_COMMAND_END;
	return true;
}

static bool
do_sync(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, int64_t *now)
{
	if (PQpipelineStatus(c->con) != PQ_PIPELINE_ON)
		return failed(w, c, cmd, "not in pipeline mode");
	if (!PQpipelineSync(c->con) || !lwp_sql_flush(w, c))
	{
		if (w->o->reconnect)
			return lwp_client_lost(w, c, now, NULL);
		return failed(w, c, cmd, "failed to send a pipeline sync");
	}
	c->syncs++;
	if (cmd->kind == LWP_CMD_SYNCPIPELINE)
		c->state = LWP_ST_COMMAND_END;
	else
	{
		c->nresults = 0;
		c->state = LWP_ST_RESULT;
	}
	return true;
}

bool
lwp_meta_start(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, int64_t *now)
{
	if (__builtin_expect(lwp_debug_on, 0))
		print_debug(c, cmd);
	switch (cmd->kind)
	{
		case LWP_CMD_SET:
			/* evaluating may have taken its time, where anybody measures it */
			if (w->cmd_stats != NULL)
				*now = 0;
			return do_set(w, c, cmd);
		case LWP_CMD_IF:
			return do_condition(w, c, cmd, now);
		case LWP_CMD_ELIF:
		case LWP_CMD_ELSE:
			/* reached from above: that branch was the one */
			c->cmd = cmd->endif;
			c->state = LWP_ST_COMMAND_END;
			return true;
		case LWP_CMD_ENDIF:
			c->state = LWP_ST_COMMAND_END;
			return true;
		case LWP_CMD_SLEEP:
			return do_sleep(w, c, cmd, now);
		case LWP_CMD_SHELL:
		case LWP_CMD_SETSHELL:
			if (!lwp_shell_start(w, c, cmd))
				return failed(w, c, cmd, "execution of meta-command failed");
			c->state = LWP_ST_SHELL;
			return false;
		case LWP_CMD_STARTPIPELINE:
			return do_start_pipeline(w, c, cmd, now);
		case LWP_CMD_SYNCPIPELINE:
		case LWP_CMD_ENDPIPELINE:
			return do_sync(w, c, cmd, now);
		default:
			return failed(w, c, cmd, "this command cannot be executed");
	}
}
