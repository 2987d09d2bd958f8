/*
 * sqlscan.h
 *		Finds where an SQL command of a script ends.
 *
 * A command ends at a semicolon outside quotes, comments and parentheses, at a
 * backslash that starts a meta command, or at the end of the text.  Semicolons
 * between BEGIN and END of a CREATE FUNCTION or PROCEDURE do not count.  "\;"
 * puts a semicolon into the command and "\:" a colon.
 */
#ifndef LWP_SQLSCAN_H
#define LWP_SQLSCAN_H

#include "mem.h"

typedef enum LwpScanEnd
{
	LWP_SCAN_SEMICOLON,
	LWP_SCAN_BACKSLASH, /* pos is at the backslash */
	LWP_SCAN_EOF
} LwpScanEnd;

typedef struct LwpSqlScan
{
	const char *text;
	size_t pos;
	int paren_depth;
	/* CREATE [OR REPLACE] FUNCTION|PROCEDURE ... BEGIN ... END */
	int word_count;
	char first_words[4];
	int begin_depth;
} LwpSqlScan;

extern void lwp_sqlscan_init(LwpSqlScan *s, const char *text);

/* Appends the next command to out, without blanks and "--" comments before it. */
extern LwpScanEnd lwp_sqlscan_next(LwpSqlScan *s, LwpStr *out);

#endif
