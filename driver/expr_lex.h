/*
 * expr_lex.h
 *		Tokens of expressions; used by expr_parse.c alone.
 */
#ifndef LWP_EXPR_LEX_H
#define LWP_EXPR_LEX_H

#include <stddef.h>

#include "value.h"

typedef enum LwpTok
{
	LWP_TOK_END,     /* newline or end of text */
	LWP_TOK_BAD,     /* err_msg / err_more of the lexer say why */
	LWP_TOK_NUMBER,  /* val */
	LWP_TOK_MIN_INT, /* 9223372036854775808: fine after a minus only */
	LWP_TOK_VAR,     /* text after the colon */
	LWP_TOK_NAME,    /* function name */
	LWP_TOK_TRUE,
	LWP_TOK_FALSE,
	LWP_TOK_NULL,
	LWP_TOK_AND,
	LWP_TOK_OR,
	LWP_TOK_NOT,
	LWP_TOK_IS,
	LWP_TOK_ISNULL,
	LWP_TOK_NOTNULL,
	LWP_TOK_CASE,
	LWP_TOK_WHEN,
	LWP_TOK_THEN,
	LWP_TOK_ELSE,
	LWP_TOK_ENDKW,
	LWP_TOK_LPAREN,
	LWP_TOK_RPAREN,
	LWP_TOK_COMMA,
	LWP_TOK_PLUS,
	LWP_TOK_MINUS,
	LWP_TOK_STAR,
	LWP_TOK_SLASH,
	LWP_TOK_PERCENT,
	LWP_TOK_EQ,
	LWP_TOK_NE,
	LWP_TOK_LT,
	LWP_TOK_LE,
	LWP_TOK_GT,
	LWP_TOK_GE,
	LWP_TOK_LSHIFT,
	LWP_TOK_RSHIFT,
	LWP_TOK_BITAND,
	LWP_TOK_BITOR,
	LWP_TOK_BITXOR,
	LWP_TOK_BITNOT
} LwpTok;

typedef struct LwpLexer
{
	const char *text;
	size_t pos;          /* just behind the current token */
	LwpTok tok;          /* current token */
	size_t start;        /* where it begins */
	LwpValue val;        /* LWP_TOK_NUMBER */
	const char *err_msg; /* LWP_TOK_BAD */
} LwpLexer;

extern void lwp_lexer_init(LwpLexer *lx, const char *text);
extern void lwp_lexer_next(LwpLexer *lx);

/* Length of the line continuation (backslash, maybe \r, newline) at s, or 0. */
extern size_t lwp_continuation(const char *s);

#endif
