/*
 * num.c
 *		Numbers from text and text from numbers.
 */
#include "num.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *
skip_blanks(const char *s)
{
	while (isspace((unsigned char) *s))
		s++;
	return s;
}

LwpNumResult
lwp_parse_int64(const char *s, int64_t *out)
{
	bool negative = false;
	int64_t v = 0;

	s = skip_blanks(s);
	if (*s == '+' || *s == '-')
		negative = *s++ == '-';
	if (!isdigit((unsigned char) *s))
		return LWP_NUM_SYNTAX;

	/* collected below zero, where the range is one larger */
	for (; isdigit((unsigned char) *s); s++)
	{
		if (__builtin_mul_overflow(v, (int64_t) 10, &v) ||
			__builtin_sub_overflow(v, (int64_t) (*s - '0'), &v))
			return LWP_NUM_RANGE;
	}
	if (*skip_blanks(s) != '\0')
		return LWP_NUM_SYNTAX;
	if (!negative)
	{
		if (v == INT64_MIN)
			return LWP_NUM_RANGE;
		v = -v;
	}
	*out = v;
	return LWP_NUM_OK;
}

LwpNumResult
lwp_parse_double(const char *s, double *out)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(s, &end);
	if (errno != 0)
		return LWP_NUM_RANGE;
	if (end == s || *end != '\0')
		return LWP_NUM_SYNTAX;
	*out = v;
	return LWP_NUM_OK;
}

bool
lwp_looks_int(const char *s)
{
	s = skip_blanks(s);
	if (*s == '+' || *s == '-')
		s++;
	if (!isdigit((unsigned char) *s))
		return false;
	while (isdigit((unsigned char) *s))
		s++;
	return *s == '\0';
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
							"25262728293031323334353637383940414243444546474849"
							"50515253545556575859606162636465666768697071727374"
							"75767778798081828384858687888990919293949596979899";

/* how many digits u has */
static inline int
digits_of(uint64_t u)
{
	int n = 1;

	for (; u >= 10000; u /= 10000)
		n += 4;
	return n + (u >= 10) + (u >= 100) + (u >= 1000);
}

int
lwp_format_int64(char *out, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t) v : (uint64_t) v;
	int sign = v < 0;
	int len = digits_of(u) + sign;
	char *p = out + len;

	/* written in place from behind, two digits at a time */
	while (u >= 100)
	{
		size_t two = u % 100;

		u /= 100;
		p -= 2;
		memcpy(p, pairs + two * 2, 2);
	}
	if (u >= 10)
		memcpy(p - 2, pairs + u * 2, 2);
	else
		p[-1] = (char) ('0' + u);
	if (sign)
		out[0] = '-';
	return len;
}
