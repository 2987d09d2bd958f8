/*
 * value.c
 *		Conversions between the types of the script language.
 */
#include "value.h"

#include <math.h>

#include "message.h"

static const char *
type_name(LwpType t)
{
	switch (t)
	{
		case LWP_T_NULL:
			return "null";
		case LWP_T_INT:
			return "int";
		case LWP_T_DOUBLE:
			return "double";
		case LWP_T_BOOL:
			return "boolean";
		case LWP_T_NONE:
			break;
	}
	return "none";
}

bool
lwp_value_truth(const LwpValue *v)
{
	switch (v->type)
	{
		case LWP_T_BOOL:
			return v->u.b;
		case LWP_T_INT:
			return v->u.i != 0;
		case LWP_T_DOUBLE:
			return v->u.d != 0.0;
		default:
			return false;
	}
}

bool
lwp_value_to_int(const LwpValue *v, int64_t *out)
{
	double whole;

	if (v->type == LWP_T_INT)
	{
		*out = v->u.i;
		return true;
	}
	if (v->type != LWP_T_DOUBLE)
	{
		lwp_error("cannot coerce %s to int", type_name(v->type));
		return false;
	}
	whole = rint(v->u.d);
	if (isnan(whole) || whole < -9223372036854775808.0 || whole >= 9223372036854775808.0)
	{
		lwp_error("double to int overflow for %f", whole);
		return false;
	}
	*out = (int64_t) whole;
	return true;
}

bool
lwp_value_to_double(const LwpValue *v, double *out)
{
	if (v->type == LWP_T_DOUBLE)
		*out = v->u.d;
	else if (v->type == LWP_T_INT)
		*out = (double) v->u.i;
	else
	{
		lwp_error("cannot coerce %s to double", type_name(v->type));
		return false;
	}
	return true;
}

bool
lwp_value_to_bool(const LwpValue *v, bool *out)
{
	if (v->type != LWP_T_BOOL)
	{
		lwp_error("cannot coerce %s to boolean", type_name(v->type));
		return false;
	}
	*out = v->u.b;
	return true;
}
