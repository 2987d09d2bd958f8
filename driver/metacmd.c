/*
 * metacmd.c
 *		Parses one backslash command.
 */
#include "metacmd.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "expr_lex.h"
#include "mem.h"
#include "message.h"
#include "num.h"

static const struct
{
	const char *name;
	LwpCmdKind kind;
} commands[] = {
	{"set", LWP_CMD_SET},
	{"setshell", LWP_CMD_SETSHELL},
	{"shell", LWP_CMD_SHELL},
	{"sleep", LWP_CMD_SLEEP},
	{"if", LWP_CMD_IF},
	{"elif", LWP_CMD_ELIF},
	{"else", LWP_CMD_ELSE},
	{"endif", LWP_CMD_ENDIF},
	{"gset", LWP_CMD_GSET},
	{"aset", LWP_CMD_ASET},
	{"startpipeline", LWP_CMD_STARTPIPELINE},
	{"syncpipeline", LWP_CMD_SYNCPIPELINE},
	{"endpipeline", LWP_CMD_ENDPIPELINE},
};

/* Where we are, for messages. */
typedef struct Meta
{
	const char *text;
	size_t start; /* of the backslash */
	size_t pos;
	const char *source;
	int lineno;
	LwpCommand *cmd;
	size_t offset[LWP_MAX_ARGS]; /* of the words */
} Meta;

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* from the backslash to p, without newlines at the end */
static char *
line_up_to(const Meta *m, size_t end)
{
	while (end > m->start && (m->text[end - 1] == '\n' || m->text[end - 1] == '\r'))
		end--;
	return lwp_strndup(m->text + m->start, end - m->start);
}

/*
 * "file:line: what (more) in command "name"", then the line and a mark below
 * the column (0 is the backslash; a negative column leaves the line out).
 */
static void
complain(const Meta *m, const char *msg, const char *more, long column)
{
	LwpStr s;
	char *line;

	lwp_str_init(&s);
	lwp_str_addf(&s, "%s:%d: %s", m->source, m->lineno, msg);
	if (more != NULL)
		lwp_str_addf(&s, " (%s)", more);
	if (m->cmd != NULL && m->cmd->argc > 0)
		lwp_str_addf(&s, " in command \"%s\"", m->cmd->argv[0]);
	lwp_error("%s", s.data);
	lwp_str_reset(&s);

	/* the whole line, however far we had read it */
	line = line_up_to(m, m->start + strcspn(m->text + m->start, "\n"));
	lwp_str_addf(&s, "%s\n", line);
	if (column >= 0)
		lwp_str_addf(&s, "%*c error found here\n", (int) column + 1, '^');
	lwp_message_raw(s.data);
	free(line);
	lwp_str_free(&s);
}

/* next word into a fresh string; NULL at the end of the command */
static char *
next_word(Meta *m, size_t *where)
{
	size_t skip;
	size_t begin;

	for (;;)
	{
		const char *s = m->text + m->pos;

		if (is_blank(*s))
			m->pos++;
		else if ((skip = lwp_continuation(s)) > 0)
			m->pos += skip;
		else
			break;
	}
	begin = m->pos;
	while (m->text[m->pos] && m->text[m->pos] != '\n' && !is_blank(m->text[m->pos]) &&
		   lwp_continuation(m->text + m->pos) == 0)
		m->pos++;
	if (m->pos == begin)
		return NULL;
	*where = begin;
	return lwp_strndup(m->text + begin, m->pos - begin);
}

static void
push_arg(LwpCommand *c, char *word)
{
	c->argv = lwp_realloc(c->argv, sizeof(char *) * (size_t) (c->argc + 1));
	c->argv[c->argc++] = word;
}

static bool
parse_expression(Meta *m, LwpNames *names)
{
	LwpParseError err;
	size_t used;
	size_t base = m->pos;

	m->cmd->expr = lwp_expr_parse(m->text + base, names, &used, &err);
	m->pos = base + used;
	if (m->cmd->expr != NULL)
		return true;
	complain(m, err.msg, err.more, (long) (base + err.offset - m->start) - 1);
	free(err.more);
	return false;
}

static bool
parse_words(Meta *m)
{
	LwpCommand *c = m->cmd;
	char *word;
	size_t where;

	while ((word = next_word(m, &where)) != NULL)
	{
		if (c->argc >= LWP_MAX_ARGS)
		{
			free(word);
			complain(m, "too many arguments", NULL, -1);
			return false;
		}
		m->offset[c->argc] = where;
		push_arg(c, word);
	}
	return true;
}

/* "10 ms", "10ms", ":var ms"; a plain number is in seconds */
static bool
parse_sleep(Meta *m, LwpNames *names)
{
	LwpCommand *c = m->cmd;
	const char *unit = NULL;
	size_t unit_offset = 0;

	if (c->argc < 2)
	{
		complain(m, "missing argument", NULL, -1);
		return false;
	}
	if (c->argc > 3)
	{
		complain(m, "too many arguments", NULL, (long) (m->offset[3] - m->start));
		return false;
	}
	c->arg_slot = lwp_malloc(sizeof(int) * 2);
	c->arg_slot[0] = c->arg_slot[1] = -1;
	if (c->argv[1][0] == ':')
		c->arg_slot[1] = lwp_names_intern(names, c->argv[1] + 1);
	else
	{
		const char *s = c->argv[1];
		size_t n = strspn(s, "+-") > 0 ? 1 : 0;
		size_t digits = strspn(s + n, "0123456789");
		char *number = lwp_strndup(s, n + digits);
		LwpNumResult r = lwp_parse_int64(number, &c->sleep_number);

		free(number);
		if (digits == 0 || (s[n + digits] != '\0' && c->argc == 3))
		{
			complain(m, "invalid sleep time, must be an integer", s,
					 (long) (m->offset[1] - m->start));
			return false;
		}
		if (r != LWP_NUM_OK)
		{
			complain(m, "sleep time is out of range", s, (long) (m->offset[1] - m->start));
			return false;
		}
		if (s[n + digits] != '\0')
		{
			unit = s + n + digits;
			unit_offset = m->offset[1] + n + digits;
		}
	}
	if (c->argc == 3)
	{
		unit = c->argv[2];
		unit_offset = m->offset[2];
	}
	c->sleep_unit_ns = LWP_NS_PER_SEC;
	if (unit != NULL)
	{
		if (strcasecmp(unit, "us") == 0)
			c->sleep_unit_ns = LWP_NS_PER_US;
		else if (strcasecmp(unit, "ms") == 0)
			c->sleep_unit_ns = LWP_NS_PER_MS;
		else if (strcasecmp(unit, "s") != 0)
		{
			complain(m, "unrecognized time unit, must be us, ms or s", unit,
					 (long) (unit_offset - m->start));
			return false;
		}
	}
	return true;
}

/* words of a shell command: ":name" is a variable, "::text" is ":text" */
static void
find_shell_variables(LwpCommand *c, LwpNames *names)
{
	c->arg_slot = lwp_malloc(sizeof(int) * (size_t) c->argc);
	for (int i = 0; i < c->argc; i++)
	{
		const char *w = c->argv[i];

		c->arg_slot[i] = -1;
		if (i > 0 && w[0] == ':' && w[1] != ':')
			c->arg_slot[i] = lwp_names_intern(names, w + 1);
	}
}

static int
target_slot(const char *name, LwpNames *names)
{
	return lwp_name_valid(name) ? lwp_names_intern(names, name) : -1;
}

static bool
check_words(Meta *m, LwpNames *names)
{
	LwpCommand *c = m->cmd;

	switch (c->kind)
	{
		case LWP_CMD_SLEEP:
			return parse_sleep(m, names);
		case LWP_CMD_SETSHELL:
			if (c->argc < 3)
			{
				complain(m, "missing argument", NULL, -1);
				return false;
			}
			c->set_slot = target_slot(c->argv[1], names);
			find_shell_variables(c, names);
			return true;
		case LWP_CMD_SHELL:
			if (c->argc < 2)
			{
				complain(m, "missing command", NULL, -1);
				return false;
			}
			find_shell_variables(c, names);
			return true;
		case LWP_CMD_GSET:
		case LWP_CMD_ASET:
			if (c->argc > 2)
			{
				complain(m, "too many arguments", NULL, -1);
				return false;
			}
			return true;
		default:
			if (c->argc != 1)
			{
				complain(m, "unexpected argument", NULL, -1);
				return false;
			}
			return true;
	}
}

static bool
parse_rest(Meta *m, LwpNames *names)
{
	LwpCommand *c = m->cmd;
	size_t which = 0;
	size_t n = sizeof(commands) / sizeof(commands[0]);

	while (which < n && strcasecmp(commands[which].name, c->argv[0]) != 0)
		which++;
	if (which == n)
	{
		complain(m, "invalid command", NULL, -1);
		return false;
	}
	c->kind = commands[which].kind;
	if (c->kind == LWP_CMD_SET)
	{
		size_t where;
		char *word = next_word(m, &where);

		if (word == NULL)
		{
			complain(m, "missing argument", NULL, -1);
			return false;
		}
		push_arg(c, word);
		c->set_slot = target_slot(word, names);
	}
	if (c->kind == LWP_CMD_SET || c->kind == LWP_CMD_IF || c->kind == LWP_CMD_ELIF)
		return parse_expression(m, names);
	return parse_words(m) && check_words(m, names);
}

LwpCommand *
lwp_metacmd_parse(const char *text, size_t *pos, const char *source, int lineno, LwpNames *names,
				  bool *ok)
{
	Meta m = {.text = text, .start = *pos, .pos = *pos + 1, .source = source, .lineno = lineno};
	char *name = next_word(&m, &m.offset[0]);
	bool good = false;

	if (name != NULL)
	{
		m.cmd = lwp_calloc(1, sizeof(LwpCommand));
		m.cmd->set_slot = -1;
		push_arg(m.cmd, name);
		good = parse_rest(&m, names);
		if (good)
			m.cmd->first_line = line_up_to(&m, m.pos);
		else
		{
			lwp_command_free(m.cmd);
			m.cmd = NULL;
			*ok = false;
		}
	}
	*pos = m.pos;
	return m.cmd;
}
