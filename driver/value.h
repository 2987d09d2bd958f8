/*
 * value.h
 *		A typed value of the script language.
 */
#ifndef LWP_VALUE_H
#define LWP_VALUE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum LwpType
{
	LWP_T_NONE, /* a text whose type was not looked at yet */
	LWP_T_NULL,
	LWP_T_INT,
	LWP_T_DOUBLE,
	LWP_T_BOOL
} LwpType;

typedef struct LwpValue
{
	LwpType type;
	union
	{
		int64_t i;
		double d;
		bool b;
	} u;
} LwpValue;

static inline LwpValue
lwp_null(void)
{
	return (LwpValue){.type = LWP_T_NULL, .u.i = 0};
}

static inline LwpValue
lwp_int(int64_t i)
{
	return (LwpValue){.type = LWP_T_INT, .u.i = i};
}

static inline LwpValue
lwp_double(double d)
{
	return (LwpValue){.type = LWP_T_DOUBLE, .u.d = d};
}

static inline LwpValue
lwp_bool(bool b)
{
	return (LwpValue){.type = LWP_T_BOOL, .u.b = b};
}

/* As \if sees it: numbers other than zero and true are true, NULL is false. */
extern bool lwp_value_truth(const LwpValue *v);

/* Conversions; false after printing why it cannot be done. */
extern bool lwp_value_to_int(const LwpValue *v, int64_t *out);
extern bool lwp_value_to_double(const LwpValue *v, double *out);
extern bool lwp_value_to_bool(const LwpValue *v, bool *out);

#endif
