/*
 * stubs.h
 *		The server that is not there: what unit tests can ask of stubs.c.
 */
#ifndef LWP_UNIT_STUBS_H
#define LWP_UNIT_STUBS_H

#include "postgres.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/*
 * An error of the server ends in the nearest CATCH_ERROR(), which yields its
 * message, or NULL when the statement raised none.  Without one the test fails.
 */
extern sigjmp_buf *stub_error_target;
extern char stub_error_message[256];

#define CATCH_ERROR(statement)                                                                     \
	__extension__({                                                                                \
		sigjmp_buf here;                                                                           \
		const char *volatile message = NULL;                                                       \
                                                                                                   \
		stub_error_target = &here;                                                                 \
		if (sigsetjmp(here, 0) == 0)                                                               \
		{                                                                                          \
			statement;                                                                             \
		}                                                                                          \
		else                                                                                       \
			message = stub_error_message;                                                          \
		stub_error_target = NULL;                                                                  \
		message;                                                                                   \
	})

/* How long pg_usleep() was asked to sleep; it doesn't. */
extern long stub_slept_us;

#endif /* LWP_UNIT_STUBS_H */
