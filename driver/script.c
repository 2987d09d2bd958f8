/*
 * script.c
 *		From the text of a script to its commands.
 */
#include "script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "message.h"
#include "metacmd.h"
#include "sqlscan.h"

const char *const lwp_mode_names[3] = {"simple", "extended", "prepared"};

char *
lwp_read_file(const char *path)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	LwpStr s;
	char chunk[8192];
	size_t n;
	bool bad;

	if (f == NULL)
	{
		lwp_error("could not open file \"%s\": %s", path, strerror(errno));
		return NULL;
	}
	lwp_str_init(&s);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		lwp_str_add(&s, chunk, n);
	bad = ferror(f) != 0;
	if (bad)
		lwp_error("could not read file \"%s\": %s", path, strerror(errno));
	if (f != stdin)
		fclose(f);
	if (!bad && memchr(s.data, '\0', s.len) != NULL)
	{
		lwp_error("file \"%s\" contains a null byte", path);
		bad = true;
	}
	if (bad)
	{
		lwp_str_free(&s);
		return NULL;
	}
	return s.data;
}

static void
free_command(LwpCommand *c)
{
	free(c->first_line);
	free(c->text);
	free(c->prefix);
	free(c->piece);
	free(c->sql);
	free(c->param_slot);
	free(c->stmt_name);
	for (int i = 0; i < c->argc; i++)
		free(c->argv[i]);
	free(c->argv);
	free(c->arg_slot);
	lwp_expr_free(c->expr);
	free(c);
}

void
lwp_command_free(LwpCommand *c)
{
	if (c != NULL)
		free_command(c);
}

void
lwp_script_free(LwpScript *s)
{
	if (s == NULL)
		return;
	for (int i = 0; i < s->ncmds; i++)
		free_command(s->cmd[i]);
	free(s->cmd);
	free(s->desc);
	free(s);
}

static void
push_command(LwpScript *s, LwpCommand *c, int *cap)
{
	if (s->ncmds == *cap)
	{
		*cap = *cap ? *cap * 2 : 16;
		s->cmd = lwp_realloc(s->cmd, sizeof(LwpCommand *) * (size_t) *cap);
	}
	s->cmd[s->ncmds++] = c;
}

/* the first line of the command, as reports and messages show it */
static char *
short_form(const char *sql)
{
	size_t n = strcspn(sql, "\n\r");

	return lwp_strndup(sql, n < 127 ? n : 127);
}

/* blanks and comments at the start, which may follow a "\;" only */
static bool
only_blank(const char *p)
{
	for (;;)
	{
		while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
			p++;
		if (p[0] != '-' || p[1] != '-')
			return *p == '\0';
		while (*p && *p != '\n')
			p++;
	}
}

/* \gset and \aset change the SQL command before them */
static bool
attach_store(LwpScript *s, const LwpCommand *store, const char *desc, int lineno)
{
	LwpCommand *sql = s->ncmds > 0 ? s->cmd[s->ncmds - 1] : NULL;

	if (sql == NULL || sql->kind != LWP_CMD_SQL || sql->store != LWP_STORE_NONE)
	{
		lwp_error("%s:%d: \\gset must follow an SQL command", desc, lineno);
		if (sql != NULL)
		{
			lwp_message_raw(sql->first_line);
			lwp_message_raw("\n");
		}
		return false;
	}
	sql->store = store->kind == LWP_CMD_GSET ? LWP_STORE_GSET : LWP_STORE_ASET;
	sql->prefix = lwp_strdup(store->argc > 1 ? store->argv[1] : "");
	return true;
}

static bool
condition_error(const LwpScript *s, int index, const char *msg)
{
	lwp_error("condition error in script \"%s\" command %d: %s", s->desc, index + 1, msg);
	return false;
}

/*
 * Checks that conditionals nest and links each branch to the next one and to
 * its end, so that running a script needs no stack of conditions.
 */
static bool
link_conditionals(LwpScript *s)
{
	/* open blocks: index of \if, of the latest branch, whether \else was seen */
	struct Open
	{
		int head;
		int branch;
		bool has_else;
	} *open = lwp_malloc(sizeof(struct Open) * (size_t) (s->ncmds + 1));
	int depth = 0;
	bool ok = true;

	for (int i = 0; ok && i < s->ncmds; i++)
	{
		LwpCommand *c = s->cmd[i];
		struct Open *top = depth > 0 ? &open[depth - 1] : NULL;

		switch (c->kind)
		{
			case LWP_CMD_IF:
				open[depth++] = (struct Open){.head = i, .branch = i};
				break;
			case LWP_CMD_ELIF:
			case LWP_CMD_ELSE:
				if (top == NULL)
					ok = condition_error(s, i,
										 c->kind == LWP_CMD_ELIF ? "\\elif without matching \\if"
																 : "\\else without matching \\if");
				else if (top->has_else)
					ok = condition_error(s, i,
										 c->kind == LWP_CMD_ELIF ? "\\elif after \\else"
																 : "\\else after \\else");
				else
				{
					s->cmd[top->branch]->next_branch = i;
					top->branch = i;
					top->has_else = c->kind == LWP_CMD_ELSE;
				}
				break;
			case LWP_CMD_ENDIF:
				if (top == NULL)
				{
					ok = condition_error(s, i, "\\endif without matching \\if");
					break;
				}
				s->cmd[top->branch]->next_branch = i;
				for (int b = top->head; b != i; b = s->cmd[b]->next_branch)
					s->cmd[b]->endif = i;
				depth--;
				break;
			default:
				break;
		}
	}
	if (ok && depth > 0)
		ok = condition_error(s, s->ncmds, "\\if without matching \\endif");
	free(open);
	return ok;
}

LwpScript *
lwp_script_parse(const char *text, const char *desc, int weight, LwpNames *names)
{
	LwpScript *s = lwp_calloc(1, sizeof(LwpScript));
	LwpSqlScan scan;
	LwpStr sql;
	int cap = 0;
	bool ok = true;
	size_t counted_to = 0;
	int lineno = 1;

	s->desc = lwp_strdup(desc);
	s->weight = weight;
	lwp_sqlscan_init(&scan, text);
	lwp_str_init(&sql);
	while (ok)
	{
		LwpScanEnd end = lwp_sqlscan_next(&scan, &sql);

		if (!only_blank(sql.data))
		{
			LwpCommand *c = lwp_calloc(1, sizeof(LwpCommand));

			c->kind = LWP_CMD_SQL;
			c->text = lwp_strdup(sql.data);
			c->first_line = short_form(c->text);
			push_command(s, c, &cap);
		}
		lwp_str_reset(&sql);
		if (end == LWP_SCAN_BACKSLASH)
		{
			LwpCommand *c;

			for (; counted_to < scan.pos; counted_to++)
				lineno += text[counted_to] == '\n';
			c = lwp_metacmd_parse(text, &scan.pos, desc, lineno, names, &ok);
			if (c == NULL)
				continue;
			if (c->kind == LWP_CMD_GSET || c->kind == LWP_CMD_ASET)
			{
				ok = attach_store(s, c, desc, lineno);
				free_command(c);
			}
			else
				push_command(s, c, &cap);
		}
		else if (end == LWP_SCAN_EOF)
			break;
	}
	lwp_str_free(&sql);

	if (ok && s->ncmds == 0)
	{
		lwp_error("empty command list for script \"%s\"", desc);
		ok = false;
	}
	if (!ok || !link_conditionals(s))
	{
		lwp_script_free(s);
		return NULL;
	}
	s->only_meta = true;
	for (int i = 0; i < s->ncmds; i++)
	{
		if (s->cmd[i]->kind == LWP_CMD_SQL)
			s->only_meta = false;
		else if (s->cmd[i]->kind == LWP_CMD_STARTPIPELINE)
			s->has_pipeline = true;
	}
	return s;
}

/*
 * The next ":name" at or behind p.  Quotes are not looked at: that is how
 * scripts have always been read.  NULL when there is none.
 */
static const char *
next_variable(const char *p, size_t *name_len)
{
	while ((p = strchr(p, ':')) != NULL)
	{
		*name_len = lwp_name_span(p + 1);
		if (*name_len > 0)
			return p;
		while (*p == ':')
			p++;
	}
	return NULL;
}

static int
intern_span(LwpNames *names, const char *name, size_t len)
{
	char *copy = lwp_strndup(name, len);
	int slot = lwp_names_intern(names, copy);

	free(copy);
	return slot;
}

LwpPiece *
lwp_split_pieces(const char *text, LwpNames *names, int *n)
{
	LwpPiece *piece = NULL;
	int count = 0;
	int cap = 0;
	const char *from = text;

	for (;;)
	{
		size_t name_len = 0;
		const char *colon = next_variable(from, &name_len);
		LwpPiece *p;

		if (count == cap)
		{
			cap = cap ? cap * 2 : 4;
			piece = lwp_realloc(piece, sizeof(LwpPiece) * (size_t) cap);
		}
		p = &piece[count++];
		p->text = from;
		if (colon == NULL)
		{
			p->len = strlen(from);
			p->slot = -1;
			p->name_len = 0;
			break;
		}
		p->len = (size_t) (colon - from);
		p->slot = intern_span(names, colon + 1, name_len);
		p->name_len = name_len + 1;
		from = colon + 1 + name_len;
	}
	*n = count;
	return piece;
}

/* :name becomes $1, $2, ... in order of appearance */
static bool
number_parameters(LwpCommand *c, LwpNames *names)
{
	LwpStr out;
	const char *from = c->text;
	const char *colon;
	size_t name_len = 0;

	lwp_str_init(&out);
	c->param_slot = lwp_malloc(sizeof(int) * LWP_MAX_ARGS);
	while ((colon = next_variable(from, &name_len)) != NULL)
	{
		if (c->nparams + 1 >= LWP_MAX_ARGS)
		{
			lwp_error("statement has too many arguments (maximum is %d): %s", LWP_MAX_ARGS - 1,
					  c->text);
			lwp_str_free(&out);
			return false;
		}
		lwp_str_add(&out, from, (size_t) (colon - from));
		c->param_slot[c->nparams++] = intern_span(names, colon + 1, name_len);
		lwp_str_addf(&out, "$%d", c->nparams);
		from = colon + 1 + name_len;
	}
	lwp_str_adds(&out, from);
	c->sql = out.data;
	return true;
}

bool
lwp_script_finish(LwpScript *s, LwpQueryMode mode, LwpNames *names, int *prepnum)
{
	for (int i = 0; i < s->ncmds; i++)
	{
		LwpCommand *c = s->cmd[i];

		if (c->kind != LWP_CMD_SQL)
			continue;
		if (mode == LWP_MODE_SIMPLE)
			c->piece = lwp_split_pieces(c->text, names, &c->npieces);
		else
		{
			if (mode == LWP_MODE_PREPARED)
			{
				c->stmt_no = (*prepnum)++;
				c->stmt_name = lwp_asprintf("P_%d", c->stmt_no);
			}
			if (!number_parameters(c, names))
				return false;
		}
	}
	return true;
}
