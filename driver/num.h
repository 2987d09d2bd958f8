/*
 * num.h
 *		Numbers from text and text from numbers.
 */
#ifndef LWP_NUM_H
#define LWP_NUM_H

#include <stdbool.h>
#include <stdint.h>

typedef enum LwpNumResult
{
	LWP_NUM_OK,
	LWP_NUM_SYNTAX,
	LWP_NUM_RANGE
} LwpNumResult;

/*
 * Whole decimal number with optional sign and surrounding blanks.  *out is
 * changed only when LWP_NUM_OK is returned.
 */
extern LwpNumResult lwp_parse_int64(const char *s, int64_t *out);

/* The whole text as a double; overflow and underflow are LWP_NUM_RANGE. */
extern LwpNumResult lwp_parse_double(const char *s, double *out);

/* Does the text look like an integer (blanks, sign, digits, nothing else)? */
extern bool lwp_looks_int(const char *s);

/* Room for any int64 in decimal with its sign and NUL. */
#define LWP_INT64_CHARS 21

/* Writes the digits, no NUL; returns the number of characters. */
extern int lwp_format_int64(char *out, int64_t v);

#endif
