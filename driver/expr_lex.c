/*
 * expr_lex.c
 *		Splits an expression into tokens.
 */
#include "expr_lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"
#include "num.h"

size_t
lwp_continuation(const char *s)
{
	if (s[0] != '\\')
		return 0;
	if (s[1] == '\n')
		return 2;
	if (s[1] == '\r' && s[2] == '\n')
		return 3;
	return 0;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_alpha(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || (c & 0x80);
}

void
lwp_lexer_init(LwpLexer *lx, const char *text)
{
	memset(lx, 0, sizeof(*lx));
	lx->text = text;
	lwp_lexer_next(lx);
}

static const struct
{
	const char *word;
	LwpTok tok;
} keywords[] = {
	{"and", LWP_TOK_AND},     {"or", LWP_TOK_OR},         {"not", LWP_TOK_NOT},
	{"is", LWP_TOK_IS},       {"isnull", LWP_TOK_ISNULL}, {"notnull", LWP_TOK_NOTNULL},
	{"case", LWP_TOK_CASE},   {"when", LWP_TOK_WHEN},     {"then", LWP_TOK_THEN},
	{"else", LWP_TOK_ELSE},   {"end", LWP_TOK_ENDKW},     {"true", LWP_TOK_TRUE},
	{"false", LWP_TOK_FALSE}, {"null", LWP_TOK_NULL},
};

static LwpTok
word_token(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (strlen(keywords[i].word) == len && strncasecmp(keywords[i].word, word, len) == 0)
			return keywords[i].tok;
	return LWP_TOK_NAME;
}

static void
lex_number(LwpLexer *lx)
{
	const char *s = lx->text + lx->start;
	size_t n = 0;
	bool whole = true;
	char *copy;

	while (is_digit(s[n]))
		n++;
	if (s[n] == '.')
	{
		whole = false;
		n++;
		while (is_digit(s[n]))
			n++;
	}
	if (s[n] == 'e' || s[n] == 'E')
	{
		size_t e = n + 1;

		if (s[e] == '+' || s[e] == '-')
			e++;
		if (is_digit(s[e]))
		{
			whole = false;
			n = e;
			while (is_digit(s[n]))
				n++;
		}
	}
	lx->pos = lx->start + n;
	lx->tok = LWP_TOK_NUMBER;
	copy = lwp_strndup(s, n);
	if (whole && strcmp(copy, "9223372036854775808") == 0)
		lx->tok = LWP_TOK_MIN_INT;
	else if (whole)
	{
		lx->val = lwp_int(0);
		if (lwp_parse_int64(copy, &lx->val.u.i) != LWP_NUM_OK)
		{
			lx->tok = LWP_TOK_BAD;
			lx->err_msg = "bigint constant overflow";
		}
	}
	else
	{
		lx->val = lwp_double(0);
		if (lwp_parse_double(copy, &lx->val.u.d) != LWP_NUM_OK)
		{
			lx->tok = LWP_TOK_BAD;
			lx->err_msg = "double constant overflow";
		}
	}
	free(copy);
}

/* operators of two characters come before those of one */
static const struct
{
	char text[3];
	LwpTok tok;
} symbols[] = {
	{"<>", LWP_TOK_NE},     {"!=", LWP_TOK_NE},     {"<=", LWP_TOK_LE},    {">=", LWP_TOK_GE},
	{"<<", LWP_TOK_LSHIFT}, {">>", LWP_TOK_RSHIFT}, {"<", LWP_TOK_LT},     {">", LWP_TOK_GT},
	{"=", LWP_TOK_EQ},      {"+", LWP_TOK_PLUS},    {"-", LWP_TOK_MINUS},  {"*", LWP_TOK_STAR},
	{"/", LWP_TOK_SLASH},   {"%", LWP_TOK_PERCENT}, {"|", LWP_TOK_BITOR},  {"&", LWP_TOK_BITAND},
	{"#", LWP_TOK_BITXOR},  {"~", LWP_TOK_BITNOT},  {"(", LWP_TOK_LPAREN}, {")", LWP_TOK_RPAREN},
	{",", LWP_TOK_COMMA},
};

void
lwp_lexer_next(LwpLexer *lx)
{
	const char *s;
	size_t skip;

	for (;;)
	{
		s = lx->text + lx->pos;
		if (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\f' || *s == '\v')
			lx->pos++;
		else if ((skip = lwp_continuation(s)) > 0)
			lx->pos += skip;
		else
			break;
	}
	lx->start = lx->pos;
	if (*s == '\0' || *s == '\n')
	{
		lx->tok = LWP_TOK_END;
		return;
	}
	if (is_digit(*s) || (*s == '.' && is_digit(s[1])))
	{
		lex_number(lx);
		return;
	}
	if (is_alpha(*s) || (*s == ':' && (is_alpha(s[1]) || is_digit(s[1]))))
	{
		size_t n = 1;

		while (is_alpha(s[n]) || is_digit(s[n]))
			n++;
		lx->pos += n;
		lx->tok = *s == ':' ? LWP_TOK_VAR : word_token(s, n);
		return;
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
	{
		size_t n = strlen(symbols[i].text);

		if (strncmp(s, symbols[i].text, n) == 0)
		{
			lx->pos += n;
			lx->tok = symbols[i].tok;
			return;
		}
	}
	lx->pos++;
	lx->tok = LWP_TOK_BAD;
	lx->err_msg = "unexpected character";
}
