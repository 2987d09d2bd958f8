/*
 * expr.h
 *		Expressions of \set, \if and \elif: parsed once, evaluated often.
 *
 * Grammar (docs/lwbench.md has the table of functions), loosest first:
 *
 *	OR | AND | NOT | IS [NOT] NULL/TRUE/FALSE, ISNULL, NOTNULL
 *	< <= > >= = <> !=   (do not chain)
 *	| # & << >> and the prefix ~
 *	+ -  |  * / %  |  unary + -
 *
 * Primary: number, TRUE, FALSE, NULL, :variable, name(args), (expr),
 * CASE WHEN c THEN v ... [ELSE v] END.
 */
#ifndef LWP_EXPR_H
#define LWP_EXPR_H

#include <stddef.h>

#include "prng.h"
#include "value.h"
#include "vars.h"

typedef enum LwpOp
{
	LWP_OP_CONST,
	LWP_OP_VAR,
	/* lazily evaluated */
	LWP_OP_AND,
	LWP_OP_OR,
	LWP_OP_CASE,
	/* arguments first; NULL in, NULL out */
	LWP_OP_ADD,
	LWP_OP_SUB,
	LWP_OP_MUL,
	LWP_OP_DIV,
	LWP_OP_MOD,
	LWP_OP_EQ,
	LWP_OP_NE,
	LWP_OP_LE,
	LWP_OP_LT,
	LWP_OP_BITAND,
	LWP_OP_BITOR,
	LWP_OP_BITXOR,
	LWP_OP_LSHIFT,
	LWP_OP_RSHIFT,
	LWP_OP_NOT,
	LWP_OP_ABS,
	LWP_OP_INT,
	LWP_OP_DOUBLE,
	LWP_OP_SQRT,
	LWP_OP_LN,
	LWP_OP_EXP,
	LWP_OP_POW,
	LWP_OP_PI,
	LWP_OP_LEAST,
	LWP_OP_GREATEST,
	LWP_OP_RANDOM,
	LWP_OP_RANDOM_EXPONENTIAL,
	LWP_OP_RANDOM_GAUSSIAN,
	LWP_OP_RANDOM_ZIPFIAN,
	LWP_OP_HASH_MURMUR2,
	LWP_OP_HASH_FNV1A,
	LWP_OP_PERMUTE,
	/* arguments first; NULL is an ordinary argument */
	LWP_OP_IS,
	LWP_OP_DEBUG
} LwpOp;

/* A function call takes at most so many arguments. */
#define LWP_MAX_FN_ARGS 16

/*
 * Expressions nest at most so deep: evaluation recurses, and a script must not
 * be able to overflow the stack.  Deeper ones are a syntax error.
 */
#define LWP_MAX_EXPR_DEPTH 4000

typedef struct LwpExpr LwpExpr;

struct LwpExpr
{
	LwpOp op;
	int nargs;
	int depth;    /* 1 + the deepest argument's */
	int slot;     /* LWP_OP_VAR */
	LwpValue val; /* LWP_OP_CONST */
	LwpExpr *arg[];
};

/*
 * What went wrong, for the caller to dress up: msg (static), more (NULL or
 * owned by the caller) and the offset in the text the error was noticed at.
 */
typedef struct LwpParseError
{
	const char *msg;
	char *more;
	size_t offset;
} LwpParseError;

/*
 * Parses text up to its first newline that is not escaped, or its end.
 * *consumed is where it stopped (at the newline or the end).  NULL with *err
 * filled in on errors.  New variable names are interned.
 */
extern LwpExpr *
lwp_expr_parse(const char *text, LwpNames *names, size_t *consumed, LwpParseError *err);
extern void lwp_expr_free(LwpExpr *e);

/* What an expression may look at while it is evaluated. */
typedef struct LwpEvalCtx
{
	LwpVars *vars;
	LwpPrng *prng;
	int script;  /* for debug() */
	int command; /* from 1, for debug() */
} LwpEvalCtx;

/* False after printing the reason. */
extern bool lwp_expr_eval(const LwpEvalCtx *ctx, const LwpExpr *e, LwpValue *out);

#endif
