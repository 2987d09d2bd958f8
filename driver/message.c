/*
 * message.c
 *		What lwbench says on standard error.
 */
#define _GNU_SOURCE
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *lwp_progname = "lwbench";
bool lwp_debug_on = false;

static bool muted = false;
static bool use_color = false;
static atomic_long errors = 0;

void
lwp_message_init(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	const char *color = getenv("PG_COLOR");

	lwp_progname = slash ? slash + 1 : argv0;
	setvbuf(stderr, NULL, _IONBF, 0);
	if (color != NULL)
		use_color =
			strcmp(color, "always") == 0 || (strcmp(color, "auto") == 0 && isatty(STDERR_FILENO));
}

void
lwp_message_mute(bool mute)
{
	muted = mute;
}

long
lwp_message_error_count(void)
{
	return atomic_load(&errors);
}

static const char *
label_of(LwpMsgKind kind)
{
	switch (kind)
	{
		case LWP_MSG_WARNING:
			return use_color ? "\033[01;35mwarning: \033[0m" : "warning: ";
		case LWP_MSG_ERROR:
			return use_color ? "\033[01;31merror: \033[0m" : "error: ";
		case LWP_MSG_DETAIL:
			return use_color ? "\033[01;36mdetail: \033[0m" : "detail: ";
		case LWP_MSG_HINT:
			return use_color ? "\033[01;36mhint: \033[0m" : "hint: ";
		default:
			return "";
	}
}

static void
vmessage(LwpMsgKind kind, const char *fmt, va_list ap)
{
	int saved_errno = errno;
	char *text = NULL;
	char *line = NULL;
	size_t len;

	if (kind == LWP_MSG_ERROR)
		atomic_fetch_add(&errors, 1);
	if (muted)
		return;
	errno = saved_errno;
	if (vasprintf(&text, fmt, ap) < 0)
		return;
	len = strlen(text);
	if (len > 0 && text[len - 1] == '\n')
		text[len - 1] = '\0';

	/* what was printed before must come out before */
	fflush(stdout);
	if (asprintf(&line, "%s: %s%s\n", lwp_progname, label_of(kind), text) >= 0)
	{
		fputs(line, stderr);
		free(line);
	}
	free(text);
	errno = saved_errno;
}

void
lwp_message(LwpMsgKind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmessage(kind, fmt, ap);
	va_end(ap);
}

void
lwp_message_raw(const char *text)
{
	if (!muted)
		fputs(text, stderr);
}

void
lwp_fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmessage(LWP_MSG_ERROR, fmt, ap);
	va_end(ap);
	exit(1);
}
