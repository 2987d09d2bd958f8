/*
 * metacmd.h
 *		Parses one backslash command; used by script.c.
 */
#ifndef LWP_METACMD_H
#define LWP_METACMD_H

#include "script.h"

/*
 * *pos is at the backslash and is moved behind the command.  NULL with *ok
 * left alone when there was a lone backslash only, NULL and *ok = false after
 * an error message.
 */
extern LwpCommand *lwp_metacmd_parse(const char *text, size_t *pos, const char *source, int lineno,
									 LwpNames *names, bool *ok);

extern void lwp_command_free(LwpCommand *c);

#endif
