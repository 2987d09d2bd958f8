/*
 * message.h
 *		What lwbench says on standard error.
 *
 * The form is that of the PostgreSQL clients: "program: error: text", then
 * "program: detail: ..." and "program: hint: ...".  Plain information and
 * debugging output carry the program's name only.  Every call writes its line
 * in one piece, so threads do not mix theirs.  Primary text is lower case and
 * has no full stop; one trailing newline (libpq's messages have one) is cut.
 */
#ifndef LWP_MESSAGE_H
#define LWP_MESSAGE_H

#include <stdbool.h>

typedef enum LwpMsgKind
{
	LWP_MSG_DEBUG,
	LWP_MSG_INFO,
	LWP_MSG_WARNING,
	LWP_MSG_ERROR,
	LWP_MSG_DETAIL,
	LWP_MSG_HINT
} LwpMsgKind;

/* Name printed before each message: the last part of argv[0]. */
extern const char *lwp_progname;

/* Set once while options are read, only read afterwards. */
extern bool lwp_debug_on;

extern void lwp_message_init(const char *argv0);
extern void
lwp_message(LwpMsgKind kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Text as it is, for the lines that follow a message. */
extern void lwp_message_raw(const char *text);

/*
 * Output of the fuzzers and of unit tests that expect errors: nothing is
 * printed, the number of errors is counted.
 */
extern void lwp_message_mute(bool mute);
extern long lwp_message_error_count(void);

#define lwp_info(...)    lwp_message(LWP_MSG_INFO, __VA_ARGS__)
#define lwp_warning(...) lwp_message(LWP_MSG_WARNING, __VA_ARGS__)
#define lwp_error(...)   lwp_message(LWP_MSG_ERROR, __VA_ARGS__)
#define lwp_detail(...)  lwp_message(LWP_MSG_DETAIL, __VA_ARGS__)
#define lwp_hint(...)    lwp_message(LWP_MSG_HINT, __VA_ARGS__)

/* The arguments are not evaluated unless --debug was given. */
#define lwp_debug(...)                                                                             \
	do                                                                                             \
	{                                                                                              \
		if (__builtin_expect(lwp_debug_on, 0))                                                     \
			lwp_message(LWP_MSG_DEBUG, __VA_ARGS__);                                               \
	} while (0)

/* Prints an error and ends the program with code 1. */
extern void lwp_fatal(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
