/*
 * sqlscan.c
 *		Finds where an SQL command of a script ends.
 *
 * Each construct in which a semicolon or a backslash means nothing has a
 * function that returns the position behind it; an unfinished one extends to
 * the end of the text.
 */
#include "sqlscan.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static bool
starts_word(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || (c & 0x80);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static const char *
line_comment_end(const char *p)
{
	while (*p && *p != '\n' && *p != '\r')
		p++;
	return p;
}

/* p is at the slash; comments nest */
static const char *
block_comment_end(const char *p)
{
	int depth = 0;

	while (*p)
	{
		if (p[0] == '/' && p[1] == '*')
		{
			depth++;
			p += 2;
		}
		else if (p[0] == '*' && p[1] == '/')
		{
			p += 2;
			if (--depth == 0)
				return p;
		}
		else
			p++;
	}
	return p;
}

/*
 * p is behind the opening quote.  A literal goes on after its closing quote
 * when only blanks and comments with at least one newline stand before the
 * next quote; that matters where backslashes escape.
 */
static const char *
string_end(const char *p, bool backslash_escapes)
{
	for (;;)
	{
		const char *q;
		bool newline = false;

		while (*p && *p != '\'')
		{
			if (backslash_escapes && *p == '\\' && p[1])
				p++;
			p++;
		}
		if (*p == '\0')
			return p;
		p++;
		if (*p == '\'')
		{
			p++; /* a doubled quote is a quote in the text */
			continue;
		}
		q = p;
		for (;;)
		{
			if (q[0] == '-' && q[1] == '-')
				q = line_comment_end(q);
			else if (is_space(*q))
			{
				newline |= *q == '\n' || *q == '\r';
				q++;
			}
			else
				break;
		}
		if (!newline || *q != '\'')
			return p;
		p = q + 1;
	}
}

/* p is behind the opening double quote; doubled ones just open it again */
static const char *
identifier_end(const char *p)
{
	while (*p && *p != '"')
		p++;
	return *p ? p + 1 : p;
}

/* p is at a dollar; returns p itself when no dollar quote starts here */
static const char *
dollar_quote_end(const char *p)
{
	const char *tag_end = p + 1;
	size_t tag_len;

	if (starts_word(*tag_end))
		while (starts_word(*tag_end) || is_digit(*tag_end))
			tag_end++;
	if (*tag_end != '$')
		return p;
	tag_len = (size_t) (tag_end + 1 - p);
	for (const char *q = tag_end + 1; *q; q++)
		if (*q == '$' && strncmp(q, p, tag_len) == 0)
			return q + tag_len;
	return p + strlen(p);
}

static bool
word_is(const char *word, size_t len, const char *what)
{
	return strlen(what) == len && strncasecmp(word, what, len) == 0;
}

/* tracks whether we are between BEGIN and END of a routine's body */
static void
note_word(LwpSqlScan *s, const char *word, size_t len)
{
	static const char *const heads[] = {"create", "or", "replace", "function", "procedure"};
	const char *w = s->first_words;
	bool routine;

	if (s->word_count == 0)
		memset(s->first_words, 0, sizeof(s->first_words));
	if (s->word_count < (int) sizeof(s->first_words))
		for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
			if (word_is(word, len, heads[i]))
				s->first_words[s->word_count] = heads[i][0];
	s->word_count++;

	routine = w[0] == 'c' && (w[1] == 'f' || w[1] == 'p' ||
							  (w[1] == 'o' && w[2] == 'r' && (w[3] == 'f' || w[3] == 'p')));
	if (!routine || s->paren_depth != 0)
		return;
	if (word_is(word, len, "begin"))
		s->begin_depth++;
	else if (word_is(word, len, "case") && s->begin_depth > 0)
		s->begin_depth++; /* it has an END of its own */
	else if (word_is(word, len, "end") && s->begin_depth > 0)
		s->begin_depth--;
}

void
lwp_sqlscan_init(LwpSqlScan *s, const char *text)
{
	memset(s, 0, sizeof(*s));
	s->text = text;
}

/* what stands at p and has no effect on where the command ends; p if nothing */
static const char *
skip_token(LwpSqlScan *s, const char *p)
{
	const char *q = p;

	switch (*p)
	{
		case '\'':
			return string_end(p + 1, false);
		case '"':
			return identifier_end(p + 1);
		case '$':
			return dollar_quote_end(p);
		case '/':
			return p[1] == '*' ? block_comment_end(p) : p;
		case '-':
			return p[1] == '-' ? line_comment_end(p) : p;
		case ':':
			/* a cast, or a variable, whose name is no word of the command */
			if (p[1] == ':')
				return p + 2;
			q++;
			while (starts_word(*q) || is_digit(*q))
				q++;
			return q;
		default:
			break;
	}
	if ((*p == 'e' || *p == 'E') && p[1] == '\'')
		return string_end(p + 2, true);
	if (starts_word(*p))
	{
		while (starts_word(*q) || is_digit(*q) || *q == '$')
			q++;
		/* b'..', x'..', n'..' and u&'..' end like plain strings */
		note_word(s, p, (size_t) (q - p));
		return q;
	}
	if (is_digit(*p))
	{
		/* a letter glued to a number starts no word */
		while (is_digit(*q) || *q == '.' || starts_word(*q))
			q++;
		return q;
	}
	return p;
}

LwpScanEnd
lwp_sqlscan_next(LwpSqlScan *s, LwpStr *out)
{
	const char *p = s->text + s->pos;
	LwpScanEnd end = LWP_SCAN_EOF;

	while (*p)
	{
		const char *q;

		if (out->len == 0 && (is_space(*p) || (p[0] == '-' && p[1] == '-')))
		{
			p = is_space(*p) ? p + 1 : line_comment_end(p);
			continue;
		}
		if (*p == '\\')
		{
			if (p[1] != ';' && p[1] != ':')
			{
				end = LWP_SCAN_BACKSLASH;
				break;
			}
			if (p[1] == ';')
				s->word_count = 0;
			lwp_str_addc(out, p[1]);
			p += 2;
			continue;
		}
		q = skip_token(s, p);
		if (q != p)
		{
			lwp_str_add(out, p, (size_t) (q - p));
			p = q;
			continue;
		}
		if (*p == '(')
			s->paren_depth++;
		else if (*p == ')' && s->paren_depth > 0)
			s->paren_depth--;
		lwp_str_addc(out, *p);
		if (*p++ == ';' && s->paren_depth == 0 && s->begin_depth == 0)
		{
			s->word_count = 0;
			end = LWP_SCAN_SEMICOLON;
			break;
		}
	}
	s->pos = (size_t) (p - s->text);
	return end;
}
