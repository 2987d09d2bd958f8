/*
 * expr_parse.c
 *		Precedence climbing over the tokens of expr_lex.c.
 *
 * Each operator has a binding strength; parse_level(min) takes a prefix
 * expression and then every operator at least as strong as min.  The strengths
 * are those of the table in expr.h.
 */
#include "expr.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "expr_lex.h"
#include "mem.h"

enum
{
	BIND_NONE,
	BIND_OR,
	BIND_AND,
	BIND_NOT,
	BIND_IS,
	BIND_COMPARE,
	BIND_BITS,
	BIND_SUM,
	BIND_PRODUCT,
	BIND_UNARY
};

typedef struct Parser
{
	LwpLexer lx;
	LwpNames *names;
	LwpParseError *err;
	bool failed;
	int nesting;
} Parser;

static LwpExpr *parse_level(Parser *p, int min);

static LwpExpr *
fail(Parser *p, const char *msg, const char *more, size_t len)
{
	/* the first complaint is the one that matters */
	if (!p->failed)
	{
		p->failed = true;
		p->err->msg = msg;
		p->err->more = more ? lwp_strndup(more, len) : NULL;
		p->err->offset = p->lx.pos;
	}
	return NULL;
}

static LwpExpr *
unexpected(Parser *p)
{
	if (p->lx.tok == LWP_TOK_BAD)
		return fail(p, p->lx.err_msg, p->lx.text + p->lx.start, p->lx.pos - p->lx.start);
	return fail(p, "syntax error", NULL, 0);
}

static LwpExpr *
new_node(Parser *p, LwpOp op, LwpExpr **args, int nargs)
{
	LwpExpr *e = lwp_calloc(1, sizeof(LwpExpr) + sizeof(LwpExpr *) * (size_t) nargs);

	e->op = op;
	e->nargs = nargs;
	e->depth = 1;
	for (int i = 0; i < nargs; i++)
	{
		e->arg[i] = args[i];
		if (args[i]->depth >= e->depth)
			e->depth = args[i]->depth + 1;
	}
	if (e->depth > LWP_MAX_EXPR_DEPTH)
	{
		lwp_expr_free(e);
		return fail(p, "expression is nested too deeply", NULL, 0);
	}
	return e;
}

static LwpExpr *
new_const(Parser *p, LwpValue v)
{
	LwpExpr *e = new_node(p, LWP_OP_CONST, NULL, 0);

	e->val = v;
	return e;
}

static LwpExpr *
new_var(Parser *p, const char *name)
{
	LwpExpr *e = new_node(p, LWP_OP_VAR, NULL, 0);

	e->slot = lwp_names_intern(p->names, name);
	return e;
}

/* either argument may be NULL after an error; the other one is released */
static LwpExpr *
new_binary(Parser *p, LwpOp op, LwpExpr *a, LwpExpr *b)
{
	LwpExpr *args[2] = {a, b};

	if (a == NULL || b == NULL)
	{
		lwp_expr_free(a);
		lwp_expr_free(b);
		return NULL;
	}
	return new_node(p, op, args, 2);
}

static LwpExpr *
new_unary(Parser *p, LwpOp op, LwpExpr *a)
{
	return a ? new_node(p, op, &a, 1) : NULL;
}

/* ---- function calls ---- */

enum
{
	ARGS_SOME = -1,  /* one or more */
	ARGS_SEED1 = -2, /* one, and an optional seed */
	ARGS_SEED2 = -3  /* two, and an optional seed */
};

static const struct
{
	const char *name;
	LwpOp op;
	int nargs;
} functions[] = {
	{"abs", LWP_OP_ABS, 1},
	{"debug", LWP_OP_DEBUG, 1},
	{"double", LWP_OP_DOUBLE, 1},
	{"exp", LWP_OP_EXP, 1},
	{"greatest", LWP_OP_GREATEST, ARGS_SOME},
	{"hash", LWP_OP_HASH_MURMUR2, ARGS_SEED1},
	{"hash_fnv1a", LWP_OP_HASH_FNV1A, ARGS_SEED1},
	{"hash_murmur2", LWP_OP_HASH_MURMUR2, ARGS_SEED1},
	{"int", LWP_OP_INT, 1},
	{"least", LWP_OP_LEAST, ARGS_SOME},
	{"ln", LWP_OP_LN, 1},
	{"mod", LWP_OP_MOD, 2},
	{"permute", LWP_OP_PERMUTE, ARGS_SEED2},
	{"pi", LWP_OP_PI, 0},
	{"pow", LWP_OP_POW, 2},
	{"power", LWP_OP_POW, 2},
	{"random", LWP_OP_RANDOM, 2},
	{"random_exponential", LWP_OP_RANDOM_EXPONENTIAL, 3},
	{"random_gaussian", LWP_OP_RANDOM_GAUSSIAN, 3},
	{"random_zipfian", LWP_OP_RANDOM_ZIPFIAN, 3},
	{"sqrt", LWP_OP_SQRT, 1},
};

typedef struct ArgList
{
	LwpExpr **arg;
	int n;
	int cap;
} ArgList;

static void
args_push(ArgList *l, LwpExpr *e)
{
	if (l->n == l->cap)
	{
		l->cap = l->cap ? l->cap * 2 : 4;
		l->arg = lwp_realloc(l->arg, sizeof(LwpExpr *) * (size_t) l->cap);
	}
	l->arg[l->n++] = e;
}

/* makes a node of the list, or releases its members when an error was seen */
static LwpExpr *
args_finish(Parser *p, ArgList *l, LwpOp op)
{
	LwpExpr *e = NULL;

	if (p->failed)
	{
		for (int i = 0; i < l->n; i++)
			lwp_expr_free(l->arg[i]);
	}
	else
		e = new_node(p, op, l->arg, l->n);
	free(l->arg);
	return e;
}

static bool
expect(Parser *p, LwpTok tok)
{
	if (p->failed)
		return false;
	if (p->lx.tok != tok)
	{
		unexpected(p);
		return false;
	}
	lwp_lexer_next(&p->lx);
	return true;
}

static void
check_arg_count(Parser *p, int which, ArgList *l, const char *name, size_t name_len)
{
	int want = functions[which].nargs;

	if (p->failed)
		return;
	if (want == ARGS_SOME)
	{
		if (l->n == 0)
			fail(p, "at least one argument expected", name, name_len);
	}
	else if (want == ARGS_SEED1 || want == ARGS_SEED2)
	{
		int least = want == ARGS_SEED1 ? 1 : 2;

		if (l->n != least && l->n != least + 1)
			fail(p, "unexpected number of arguments", name, name_len);
		else if (l->n == least)
			args_push(l, new_var(p, "default_seed"));
	}
	else if (l->n != want)
		fail(p, "unexpected number of arguments", name, name_len);
}

static LwpExpr *
parse_call(Parser *p)
{
	const char *name = p->lx.text + p->lx.start;
	size_t name_len = p->lx.pos - p->lx.start;
	ArgList l = {0};
	int which = -1;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i].name) == name_len &&
			strncasecmp(functions[i].name, name, name_len) == 0)
			which = (int) i;
	if (which < 0)
		return fail(p, "unexpected function name", name, name_len);

	lwp_lexer_next(&p->lx);
	if (!expect(p, LWP_TOK_LPAREN))
		return NULL;
	if (p->lx.tok != LWP_TOK_RPAREN)
	{
		for (;;)
		{
			LwpExpr *e = parse_level(p, BIND_OR);

			if (e == NULL)
				break;
			args_push(&l, e);
			if (p->lx.tok != LWP_TOK_COMMA)
				break;
			lwp_lexer_next(&p->lx);
		}
	}
	if (!p->failed && p->lx.tok != LWP_TOK_RPAREN)
		unexpected(p);
	check_arg_count(p, which, &l, functions[which].name, strlen(functions[which].name));
	if (!p->failed)
		lwp_lexer_next(&p->lx);
	return args_finish(p, &l, functions[which].op);
}

/* CASE becomes one node: condition, value, ..., else-value */
static LwpExpr *
parse_case(Parser *p)
{
	ArgList l = {0};

	lwp_lexer_next(&p->lx);
	if (p->lx.tok != LWP_TOK_WHEN)
		unexpected(p);
	while (!p->failed && p->lx.tok == LWP_TOK_WHEN)
	{
		LwpExpr *e;

		lwp_lexer_next(&p->lx);
		if ((e = parse_level(p, BIND_OR)) != NULL)
			args_push(&l, e);
		if (expect(p, LWP_TOK_THEN) && (e = parse_level(p, BIND_OR)) != NULL)
			args_push(&l, e);
	}
	if (!p->failed && p->lx.tok == LWP_TOK_ELSE)
	{
		LwpExpr *e;

		lwp_lexer_next(&p->lx);
		if ((e = parse_level(p, BIND_OR)) != NULL)
			args_push(&l, e);
	}
	else if (!p->failed)
		args_push(&l, new_const(p, lwp_null()));
	expect(p, LWP_TOK_ENDKW);
	return args_finish(p, &l, LWP_OP_CASE);
}

static LwpExpr *
parse_minus(Parser *p)
{
	lwp_lexer_next(&p->lx);
	if (p->lx.tok == LWP_TOK_MIN_INT)
	{
		lwp_lexer_next(&p->lx);
		return new_const(p, lwp_int(INT64_MIN));
	}
	return new_binary(p, LWP_OP_SUB, new_const(p, lwp_int(0)), parse_level(p, BIND_UNARY));
}

static LwpExpr *
parse_prefix(Parser *p)
{
	LwpLexer *lx = &p->lx;
	LwpExpr *e;

	switch (lx->tok)
	{
		case LWP_TOK_NUMBER:
			e = new_const(p, lx->val);
			lwp_lexer_next(lx);
			return e;
		case LWP_TOK_TRUE:
		case LWP_TOK_FALSE:
			e = new_const(p, lwp_bool(lx->tok == LWP_TOK_TRUE));
			lwp_lexer_next(lx);
			return e;
		case LWP_TOK_NULL:
			lwp_lexer_next(lx);
			return new_const(p, lwp_null());
		case LWP_TOK_VAR:
		{
			char *name = lwp_strndup(lx->text + lx->start + 1, lx->pos - lx->start - 1);

			e = new_var(p, name);
			free(name);
			lwp_lexer_next(lx);
			return e;
		}
		case LWP_TOK_NAME:
			return parse_call(p);
		case LWP_TOK_CASE:
			return parse_case(p);
		case LWP_TOK_LPAREN:
			lwp_lexer_next(lx);
			e = parse_level(p, BIND_OR);
			if (e != NULL && !expect(p, LWP_TOK_RPAREN))
			{
				lwp_expr_free(e);
				e = NULL;
			}
			return e;
		case LWP_TOK_PLUS:
			lwp_lexer_next(lx);
			return parse_level(p, BIND_UNARY);
		case LWP_TOK_MINUS:
			return parse_minus(p);
		case LWP_TOK_BITNOT:
			/* ~x is x with every bit flipped */
			lwp_lexer_next(lx);
			return new_binary(p, LWP_OP_BITXOR, new_const(p, lwp_int(-1)),
							  parse_level(p, BIND_BITS + 1));
		case LWP_TOK_NOT:
			lwp_lexer_next(lx);
			return new_unary(p, LWP_OP_NOT, parse_level(p, BIND_NOT));
		default:
			return unexpected(p);
	}
}

/* strength of a binary operator, BIND_NONE when the token is none */
static int
binary_operator(LwpTok tok, LwpOp *op, bool *swapped)
{
	*swapped = false;
	switch (tok)
	{
		case LWP_TOK_OR:
			*op = LWP_OP_OR;
			return BIND_OR;
		case LWP_TOK_AND:
			*op = LWP_OP_AND;
			return BIND_AND;
		case LWP_TOK_EQ:
			*op = LWP_OP_EQ;
			return BIND_COMPARE;
		case LWP_TOK_NE:
			*op = LWP_OP_NE;
			return BIND_COMPARE;
		case LWP_TOK_LT:
			*op = LWP_OP_LT;
			return BIND_COMPARE;
		case LWP_TOK_LE:
			*op = LWP_OP_LE;
			return BIND_COMPARE;
		case LWP_TOK_GT:
			*op = LWP_OP_LT;
			*swapped = true;
			return BIND_COMPARE;
		case LWP_TOK_GE:
			*op = LWP_OP_LE;
			*swapped = true;
			return BIND_COMPARE;
		case LWP_TOK_BITOR:
			*op = LWP_OP_BITOR;
			return BIND_BITS;
		case LWP_TOK_BITAND:
			*op = LWP_OP_BITAND;
			return BIND_BITS;
		case LWP_TOK_BITXOR:
			*op = LWP_OP_BITXOR;
			return BIND_BITS;
		case LWP_TOK_LSHIFT:
			*op = LWP_OP_LSHIFT;
			return BIND_BITS;
		case LWP_TOK_RSHIFT:
			*op = LWP_OP_RSHIFT;
			return BIND_BITS;
		case LWP_TOK_PLUS:
			*op = LWP_OP_ADD;
			return BIND_SUM;
		case LWP_TOK_MINUS:
			*op = LWP_OP_SUB;
			return BIND_SUM;
		case LWP_TOK_STAR:
			*op = LWP_OP_MUL;
			return BIND_PRODUCT;
		case LWP_TOK_SLASH:
			*op = LWP_OP_DIV;
			return BIND_PRODUCT;
		case LWP_TOK_PERCENT:
			*op = LWP_OP_MOD;
			return BIND_PRODUCT;
		default:
			return BIND_NONE;
	}
}

/* IS [NOT] NULL/TRUE/FALSE, ISNULL, NOTNULL behind left, which is taken over */
static LwpExpr *
parse_is(Parser *p, LwpExpr *left)
{
	LwpLexer *lx = &p->lx;
	bool negated = lx->tok == LWP_TOK_NOTNULL;
	LwpValue what = lwp_null();
	LwpExpr *e;

	if (lx->tok == LWP_TOK_IS)
	{
		lwp_lexer_next(lx);
		if (lx->tok == LWP_TOK_NOT)
		{
			negated = true;
			lwp_lexer_next(lx);
		}
		if (lx->tok == LWP_TOK_TRUE || lx->tok == LWP_TOK_FALSE)
			what = lwp_bool(lx->tok == LWP_TOK_TRUE);
		else if (lx->tok != LWP_TOK_NULL)
		{
			lwp_expr_free(left);
			return unexpected(p);
		}
	}
	lwp_lexer_next(lx);
	e = new_binary(p, LWP_OP_IS, left, new_const(p, what));
	return negated ? new_unary(p, LWP_OP_NOT, e) : e;
}

static LwpExpr *
parse_level(Parser *p, int min)
{
	LwpExpr *left;
	bool compared = false;

	if (p->failed)
		return NULL;
	if (++p->nesting > LWP_MAX_EXPR_DEPTH)
		return fail(p, "expression is nested too deeply", NULL, 0);
	left = parse_prefix(p);
	while (left != NULL)
	{
		LwpTok tok = p->lx.tok;
		LwpOp op = LWP_OP_ADD;
		bool swapped;
		int bind;
		LwpExpr *right;

		if (tok == LWP_TOK_IS || tok == LWP_TOK_ISNULL || tok == LWP_TOK_NOTNULL)
		{
			if (BIND_IS < min)
				break;
			left = parse_is(p, left);
			compared = false;
			continue;
		}
		bind = binary_operator(tok, &op, &swapped);
		if (bind == BIND_NONE || bind < min)
			break;
		if (bind == BIND_COMPARE && compared)
		{
			/* a < b < c means nothing here, as in SQL */
			lwp_expr_free(left);
			left = unexpected(p);
			break;
		}
		lwp_lexer_next(&p->lx);
		right = parse_level(p, bind + 1);
		left = swapped ? new_binary(p, op, right, left) : new_binary(p, op, left, right);
		compared = bind == BIND_COMPARE;
	}
	p->nesting--;
	return left;
}

LwpExpr *
lwp_expr_parse(const char *text, LwpNames *names, size_t *consumed, LwpParseError *err)
{
	Parser p = {.names = names, .err = err};
	LwpExpr *e;

	memset(err, 0, sizeof(*err));
	lwp_lexer_init(&p.lx, text);
	e = parse_level(&p, BIND_OR);
	if (e != NULL && p.lx.tok != LWP_TOK_END)
	{
		lwp_expr_free(e);
		e = unexpected(&p);
	}
	*consumed = p.lx.pos;
	return e;
}

void
lwp_expr_free(LwpExpr *e)
{
	if (e == NULL)
		return;
	for (int i = 0; i < e->nargs; i++)
		lwp_expr_free(e->arg[i]);
	free(e);
}
