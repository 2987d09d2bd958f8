/*
 * script.h
 *		A parsed script: commands that need no more parsing to run.
 *
 * All of it is written while options are read and read-only afterwards, so
 * threads share it.  What is counted per command lives with the threads.
 */
#ifndef LWP_SCRIPT_H
#define LWP_SCRIPT_H

#include "expr.h"
#include "vars.h"

/* A run has at most so many scripts. */
#define LWP_MAX_SCRIPTS 128

/* Words of a meta command or parameters of a statement, itself included. */
#define LWP_MAX_ARGS 256

typedef enum LwpQueryMode
{
	LWP_MODE_SIMPLE,
	LWP_MODE_EXTENDED,
	LWP_MODE_PREPARED
} LwpQueryMode;

extern const char *const lwp_mode_names[3];

typedef enum LwpCmdKind
{
	LWP_CMD_SQL,
	LWP_CMD_SET,
	LWP_CMD_SETSHELL,
	LWP_CMD_SHELL,
	LWP_CMD_SLEEP,
	LWP_CMD_IF,
	LWP_CMD_ELIF,
	LWP_CMD_ELSE,
	LWP_CMD_ENDIF,
	LWP_CMD_STARTPIPELINE,
	LWP_CMD_SYNCPIPELINE,
	LWP_CMD_ENDPIPELINE,
	/* parsed only: they become part of the SQL command before them */
	LWP_CMD_GSET,
	LWP_CMD_ASET
} LwpCmdKind;

typedef enum LwpStore
{
	LWP_STORE_NONE,
	LWP_STORE_GSET, /* the last result's only row */
	LWP_STORE_ASET  /* the last row of every result */
} LwpStore;

/* Text, then the value of a variable (slot < 0: no variable follows). */
typedef struct LwpPiece
{
	const char *text; /* into LwpCommand.text */
	size_t len;
	int slot;
	size_t name_len; /* of ":name", which stands where text ends */
} LwpPiece;

typedef struct LwpCommand
{
	LwpCmdKind kind;
	char *first_line; /* for reports and messages */

	/* SQL */
	char *text; /* as written */
	LwpStore store;
	char *prefix;    /* of the variables stored into */
	LwpPiece *piece; /* LWP_MODE_SIMPLE */
	int npieces;
	char *sql; /* other modes: with $1, $2, ... */
	int *param_slot;
	int nparams;
	char *stmt_name; /* LWP_MODE_PREPARED */
	int stmt_no;     /* its number in the run */

	/* meta commands */
	char **argv; /* argv[0] is the command's name as written */
	int argc;
	int *arg_slot;        /* \shell, \setshell, \sleep: slot of ":name", -1 for plain text */
	int set_slot;         /* \set, \setshell; -1 when the name is not a valid one */
	LwpExpr *expr;        /* \set, \if, \elif */
	int64_t sleep_number; /* \sleep with a constant */
	int64_t sleep_unit_ns;

	/* conditionals: indexes of commands */
	int next_branch; /* \if, \elif: the next \elif, \else or \endif */
	int endif;       /* \elif, \else: the \endif */
} LwpCommand;

typedef struct LwpScript
{
	char *desc; /* file name or "<builtin: ...>" */
	int weight;
	LwpCommand **cmd;
	int ncmds;
	bool internal;  /* one of the TPC-B-like builtins: needs their tables */
	bool only_meta; /* no SQL command in it */
	/* \startpipeline commands etc. exist */
	bool has_pipeline;
} LwpScript;

/*
 * Parses text.  NULL after printing a message like pgbench's; names that are
 * new are interned.  finish must be called once the query mode is known.
 */
extern LwpScript *lwp_script_parse(const char *text, const char *desc, int weight, LwpNames *names);

/*
 * Prepares the SQL commands for the mode; prepnum numbers the statements of a
 * run.  False after printing a message.
 */
extern bool lwp_script_finish(LwpScript *s, LwpQueryMode mode, LwpNames *names, int *prepnum);
extern void lwp_script_free(LwpScript *s);

/* Whole file, or standard input for "-".  NULL after printing a message. */
extern char *lwp_read_file(const char *path);

/*
 * Splits text at the variables in it.  *n pieces, owned by the caller; they
 * point into text.
 */
extern LwpPiece *lwp_split_pieces(const char *text, LwpNames *names, int *n);

#endif
