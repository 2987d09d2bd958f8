/*
 * expr_eval.c
 *		Evaluates a parsed expression.
 *
 * Integers are 64 bits and never wrap: an operation that leaves the range is
 * an error.  One double operand makes an arithmetic operation or a comparison
 * one of doubles, except %.
 */
#include "expr.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "message.h"

#define MIN_GAUSSIAN 2.0
#define MIN_ZIPFIAN  1.001
#define MAX_ZIPFIAN  1000.0

static bool
eval_logical(const LwpEvalCtx *ctx, const LwpExpr *e, LwpValue *out)
{
	bool decides = e->op == LWP_OP_OR; /* true ends OR, false ends AND */

	*out = lwp_null();
	for (int i = 0; i < 2; i++)
	{
		LwpValue v;
		bool b;

		if (!lwp_expr_eval(ctx, e->arg[i], &v))
			return false;
		if (v.type == LWP_T_NULL)
		{
			*out = v;
			return true;
		}
		if (!lwp_value_to_bool(&v, &b))
			return false;
		if (i == 1 || b == decides)
		{
			*out = lwp_bool(b);
			return true;
		}
	}
	return false;
}

static bool
eval_case(const LwpEvalCtx *ctx, const LwpExpr *e, LwpValue *out)
{
	int i = 0;

	for (; i + 1 < e->nargs; i += 2)
	{
		LwpValue cond;

		if (!lwp_expr_eval(ctx, e->arg[i], &cond))
			return false;
		if (lwp_value_truth(&cond))
			return lwp_expr_eval(ctx, e->arg[i + 1], out);
	}
	return lwp_expr_eval(ctx, e->arg[i], out);
}

static bool
double_arith(LwpOp op, double a, double b, LwpValue *out)
{
	switch (op)
	{
		case LWP_OP_ADD:
			*out = lwp_double(a + b);
			return true;
		case LWP_OP_SUB:
			*out = lwp_double(a - b);
			return true;
		case LWP_OP_MUL:
			*out = lwp_double(a * b);
			return true;
		case LWP_OP_DIV:
			*out = lwp_double(a / b);
			return true;
		case LWP_OP_EQ:
			*out = lwp_bool(a == b);
			return true;
		case LWP_OP_NE:
			*out = lwp_bool(a != b);
			return true;
		case LWP_OP_LE:
			*out = lwp_bool(a <= b);
			return true;
		default:
			*out = lwp_bool(a < b);
			return true;
	}
}

static bool
int_divide(LwpOp op, int64_t a, int64_t b, LwpValue *out)
{
	if (b == 0)
	{
		lwp_error("division by zero");
		return false;
	}
	if (b == -1)
	{
		/* the one quotient that does not fit, and a trap on some machines */
		if (op == LWP_OP_DIV && a == INT64_MIN)
		{
			lwp_error("bigint div out of range");
			return false;
		}
		*out = lwp_int(op == LWP_OP_DIV ? -a : 0);
		return true;
	}
	*out = lwp_int(op == LWP_OP_DIV ? a / b : a % b);
	return true;
}

static bool
int_arith(LwpOp op, int64_t a, int64_t b, LwpValue *out)
{
	int64_t r;
	bool overflow;
	const char *what;

	switch (op)
	{
		case LWP_OP_ADD:
			overflow = __builtin_add_overflow(a, b, &r);
			what = "add";
			break;
		case LWP_OP_SUB:
			overflow = __builtin_sub_overflow(a, b, &r);
			what = "sub";
			break;
		case LWP_OP_MUL:
			overflow = __builtin_mul_overflow(a, b, &r);
			what = "mul";
			break;
		case LWP_OP_DIV:
		case LWP_OP_MOD:
			return int_divide(op, a, b, out);
		case LWP_OP_EQ:
			*out = lwp_bool(a == b);
			return true;
		case LWP_OP_NE:
			*out = lwp_bool(a != b);
			return true;
		case LWP_OP_LE:
			*out = lwp_bool(a <= b);
			return true;
		default:
			*out = lwp_bool(a < b);
			return true;
	}
	if (overflow)
	{
		lwp_error("bigint %s out of range", what);
		return false;
	}
	*out = lwp_int(r);
	return true;
}

static bool
eval_arith(LwpOp op, const LwpValue *a, const LwpValue *b, LwpValue *out)
{
	if (op != LWP_OP_MOD && (a->type == LWP_T_DOUBLE || b->type == LWP_T_DOUBLE))
	{
		double x;
		double y;

		return lwp_value_to_double(a, &x) && lwp_value_to_double(b, &y) &&
			   double_arith(op, x, y, out);
	}
	else
	{
		int64_t x;
		int64_t y;

		return lwp_value_to_int(a, &x) && lwp_value_to_int(b, &y) && int_arith(op, x, y, out);
	}
}

static bool
eval_bits(LwpOp op, const LwpValue *a, const LwpValue *b, LwpValue *out)
{
	int64_t x;
	int64_t y;

	if (!lwp_value_to_int(a, &x) || !lwp_value_to_int(b, &y))
		return false;
	switch (op)
	{
		case LWP_OP_BITAND:
			*out = lwp_int(x & y);
			return true;
		case LWP_OP_BITOR:
			*out = lwp_int(x | y);
			return true;
		case LWP_OP_BITXOR:
			*out = lwp_int(x ^ y);
			return true;
			/* a shift counts modulo 64, as the machines do it */
		case LWP_OP_LSHIFT:
			*out = lwp_int((int64_t) ((uint64_t) x << (y & 63)));
			return true;
		default:
			*out = lwp_int(x >> (y & 63));
			return true;
	}
}

static bool
eval_abs(const LwpValue *v, LwpValue *out)
{
	double d;

	if (v->type == LWP_T_INT)
	{
		if (v->u.i == INT64_MIN)
		{
			lwp_error("bigint abs out of range");
			return false;
		}
		*out = lwp_int(v->u.i < 0 ? -v->u.i : v->u.i);
		return true;
	}
	if (!lwp_value_to_double(v, &d))
		return false;
	*out = lwp_double(fabs(d));
	return true;
}

static bool
eval_math(LwpOp op, const LwpValue *v, LwpValue *out)
{
	double d;

	if (!lwp_value_to_double(v, &d))
		return false;
	if (op == LWP_OP_SQRT)
		d = sqrt(d);
	else if (op == LWP_OP_LN)
		d = log(d);
	else if (op == LWP_OP_EXP)
		d = exp(d);
	*out = lwp_double(d);
	return true;
}

static bool
eval_extremum(LwpOp op, const LwpValue *v, int n, LwpValue *out)
{
	bool any_double = false;
	bool least = op == LWP_OP_LEAST;

	for (int i = 0; i < n; i++)
		any_double |= v[i].type == LWP_T_DOUBLE;
	for (int i = 0; i < n; i++)
	{
		double d;
		int64_t k;

		if (any_double)
		{
			if (!lwp_value_to_double(&v[i], &d))
				return false;
			if (i == 0 || (least ? d < out->u.d : d > out->u.d))
				*out = lwp_double(d);
		}
		else
		{
			if (!lwp_value_to_int(&v[i], &k))
				return false;
			if (i == 0 || (least ? k < out->u.i : k > out->u.i))
				*out = lwp_int(k);
		}
	}
	return true;
}

static bool
eval_random(const LwpEvalCtx *ctx, LwpOp op, const LwpValue *v, LwpValue *out)
{
	int64_t low;
	int64_t high;
	int64_t width;
	double param;

	if (!lwp_value_to_int(&v[0], &low) || !lwp_value_to_int(&v[1], &high))
		return false;
	if (low > high)
	{
		lwp_error("empty range given to random");
		return false;
	}
	if (__builtin_sub_overflow(high, low, &width) || width == INT64_MAX)
	{
		lwp_error("random range is too large");
		return false;
	}
	if (op == LWP_OP_RANDOM)
	{
		*out = lwp_int(lwp_random_uniform(ctx->prng, low, high));
		return true;
	}
	if (!lwp_value_to_double(&v[2], &param))
		return false;

	/* written so that NaN is refused too */
	switch (op)
	{
		case LWP_OP_RANDOM_GAUSSIAN:
			if (!(param >= MIN_GAUSSIAN))
			{
				lwp_error("gaussian parameter must be at least %f (not %f)", MIN_GAUSSIAN, param);
				return false;
			}
			*out = lwp_int(lwp_random_gaussian(ctx->prng, low, high, param));
			return true;
		case LWP_OP_RANDOM_ZIPFIAN:
			if (!(param >= MIN_ZIPFIAN && param <= MAX_ZIPFIAN))
			{
				lwp_error("zipfian parameter must be in range [%.3f, %.0f] (not %f)", MIN_ZIPFIAN,
						  MAX_ZIPFIAN, param);
				return false;
			}
			*out = lwp_int(lwp_random_zipfian(ctx->prng, low, high, param));
			return true;
		default:
			if (!(param > 0.0))
			{
				lwp_error("exponential parameter must be greater than zero (not %f)", param);
				return false;
			}
			*out = lwp_int(lwp_random_exponential(ctx->prng, low, high, param));
			return true;
	}
}

static bool
eval_seeded(LwpOp op, const LwpValue *v, int n, LwpValue *out)
{
	int64_t k[3];

	for (int i = 0; i < n; i++)
		if (!lwp_value_to_int(&v[i], &k[i]))
			return false;
	if (op == LWP_OP_HASH_MURMUR2)
		*out = lwp_int(lwp_hash_murmur2(k[0], (uint64_t) k[1]));
	else if (op == LWP_OP_HASH_FNV1A)
		*out = lwp_int(lwp_hash_fnv1a(k[0], (uint64_t) k[1]));
	else
	{
		if (k[1] <= 0)
		{
			lwp_error("permute size parameter must be greater than zero");
			return false;
		}
		*out = lwp_int(lwp_permute(k[0], k[1], k[2]));
	}
	return true;
}

/* same type and same value; deliberately more permissive than SQL */
static bool
is_same(const LwpValue *a, const LwpValue *b)
{
	if (a->type != b->type)
		return false;
	return a->type == LWP_T_NULL || (a->type == LWP_T_BOOL && a->u.b == b->u.b);
}

static void
print_debug(const LwpEvalCtx *ctx, const LwpValue *v)
{
	char text[64];

	switch (v->type)
	{
		case LWP_T_BOOL:
			snprintf(text, sizeof(text), "boolean %s", v->u.b ? "true" : "false");
			break;
		case LWP_T_INT:
			snprintf(text, sizeof(text), "int %lld", (long long) v->u.i);
			break;
		case LWP_T_DOUBLE:
			snprintf(text, sizeof(text), "double %.*g", DBL_DIG, v->u.d);
			break;
		default:
			snprintf(text, sizeof(text), "null");
			break;
	}
	fprintf(stderr, "debug(script=%d,command=%d): %s\n", ctx->script, ctx->command, text);
}

/* everything whose arguments are evaluated first and are not NULL */
static bool
eval_strict(const LwpEvalCtx *ctx, const LwpExpr *e, const LwpValue *v, LwpValue *out)
{
	switch (e->op)
	{
		case LWP_OP_BITAND:
		case LWP_OP_BITOR:
		case LWP_OP_BITXOR:
		case LWP_OP_LSHIFT:
		case LWP_OP_RSHIFT:
			return eval_bits(e->op, &v[0], &v[1], out);
		case LWP_OP_NOT:
		{
			bool b;

			if (!lwp_value_to_bool(&v[0], &b))
				return false;
			*out = lwp_bool(!b);
			return true;
		}
		case LWP_OP_ABS:
			return eval_abs(&v[0], out);
		case LWP_OP_INT:
			*out = lwp_int(0);
			return lwp_value_to_int(&v[0], &out->u.i);
		case LWP_OP_DOUBLE:
		case LWP_OP_SQRT:
		case LWP_OP_LN:
		case LWP_OP_EXP:
			return eval_math(e->op, &v[0], out);
		case LWP_OP_POW:
		{
			double base;
			double exponent;

			if (!lwp_value_to_double(&v[0], &base) || !lwp_value_to_double(&v[1], &exponent))
				return false;
			*out = lwp_double(pow(base, exponent));
			return true;
		}
		case LWP_OP_PI:
			*out = lwp_double(3.14159265358979323846);
			return true;
		case LWP_OP_LEAST:
		case LWP_OP_GREATEST:
			return eval_extremum(e->op, v, e->nargs, out);
		case LWP_OP_RANDOM:
		case LWP_OP_RANDOM_EXPONENTIAL:
		case LWP_OP_RANDOM_GAUSSIAN:
		case LWP_OP_RANDOM_ZIPFIAN:
			return eval_random(ctx, e->op, v, out);
		case LWP_OP_HASH_MURMUR2:
		case LWP_OP_HASH_FNV1A:
		case LWP_OP_PERMUTE:
			return eval_seeded(e->op, v, e->nargs, out);
		default:
			return eval_arith(e->op, &v[0], &v[1], out);
	}
}

/* kept apart from lwp_expr_eval so that deep nesting of CASE, AND and OR costs little stack */
static __attribute__((noinline)) bool
eval_call(const LwpEvalCtx *ctx, const LwpExpr *e, LwpValue *out)
{
	LwpValue v[LWP_MAX_FN_ARGS];
	bool any_null = false;

	/* operators look at two or three arguments without counting them */
	v[0] = v[1] = v[2] = lwp_null();
	if (e->nargs > LWP_MAX_FN_ARGS)
	{
		lwp_error("too many function arguments, maximum is %d", LWP_MAX_FN_ARGS);
		return false;
	}
	for (int i = 0; i < e->nargs; i++)
	{
		if (!lwp_expr_eval(ctx, e->arg[i], &v[i]))
			return false;
		any_null |= v[i].type == LWP_T_NULL;
	}
	if (e->op == LWP_OP_IS)
	{
		*out = lwp_bool(is_same(&v[0], &v[1]));
		return true;
	}
	if (e->op == LWP_OP_DEBUG)
	{
		print_debug(ctx, &v[0]);
		*out = v[0];
		return true;
	}
	if (any_null)
	{
		*out = lwp_null();
		return true;
	}
	return eval_strict(ctx, e, v, out);
}

bool
lwp_expr_eval(const LwpEvalCtx *ctx, const LwpExpr *e, LwpValue *out)
{
	switch (e->op)
	{
		case LWP_OP_CONST:
			*out = e->val;
			return true;
		case LWP_OP_VAR:
		{
			LwpVar *var = &ctx->vars->v[e->slot];
			const char *name = ctx->vars->names->name[e->slot];

			if (__builtin_expect(!var->defined, 0))
			{
				lwp_error("undefined variable \"%s\"", name);
				return false;
			}
			return lwp_var_value(var, name, out);
		}
		case LWP_OP_AND:
		case LWP_OP_OR:
			return eval_logical(ctx, e, out);
		case LWP_OP_CASE:
			return eval_case(ctx, e, out);
		default:
			return eval_call(ctx, e, out);
	}
}
