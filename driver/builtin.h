/*
 * builtin.h
 *		Scripts that come with the program.
 */
#ifndef LWP_BUILTIN_H
#define LWP_BUILTIN_H

#include <stdbool.h>

typedef struct LwpBuiltin
{
	const char *name;
	const char *desc; /* "<builtin: ...>" of the report */
	const char *script;

	/* workloads that stress one lock only */
	const char *target; /* wait_event of PostgreSQL 15, NULL for pgbench's scripts */
	const char *doc;    /* one line: what makes the lock hot */
	const char *init;   /* SQL to run once; :scale is replaced */
} LwpBuiltin;

extern const LwpBuiltin lwp_builtins[];
extern const int lwp_nbuiltins;

/* pgbench's own scripts: they need the pgbench_* tables. */
extern bool lwp_builtin_is_standard(const LwpBuiltin *b);

/* The one whose name begins like this; NULL after a message and the list. */
extern const LwpBuiltin *lwp_builtin_find(const char *name);

/* The list of -b list, on standard error. */
extern void lwp_builtin_list(void);

#endif
