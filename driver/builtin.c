/*
 * builtin.c
 *		Scripts that come with the program: lookup, and pgbench's three.
 *
 * The workloads that stress one lock are in workloads.c.
 */
#include "builtin.h"

#include <stdio.h>
#include <string.h>

#include "message.h"
#include "workloads.h"

#define SET_ALL                                                                                    \
	"\\set aid random(1, 100000 * :scale)\n"                                                       \
	"\\set bid random(1, 1 * :scale)\n"                                                            \
	"\\set tid random(1, 10 * :scale)\n"                                                           \
	"\\set delta random(-5000, 5000)\n"

#define BALANCE "SELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n"

#define UPDATE_ACCOUNT                                                                             \
	"UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;\n" BALANCE

#define ADD_HISTORY                                                                                \
	"INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) "                                   \
	"VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);\n"

const LwpBuiltin lwp_builtins[] = {
	{.name = "tpcb-like",
	 .desc = "<builtin: TPC-B (sort of)>",
	 .script = SET_ALL "BEGIN;\n" UPDATE_ACCOUNT
					   "UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;\n"
					   "UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = "
					   ":bid;\n" ADD_HISTORY "END;\n"},
	{.name = "simple-update",
	 .desc = "<builtin: simple update>",
	 .script = SET_ALL "BEGIN;\n" UPDATE_ACCOUNT ADD_HISTORY "END;\n"},
	{.name = "select-only",
	 .desc = "<builtin: select only>",
	 .script = "\\set aid random(1, 100000 * :scale)\n" BALANCE},
	LWP_WORKLOADS,
};

const int lwp_nbuiltins = sizeof(lwp_builtins) / sizeof(lwp_builtins[0]);

bool
lwp_builtin_is_standard(const LwpBuiltin *b)
{
	return b->target == NULL;
}

void
lwp_builtin_list(void)
{
	fprintf(stderr, "Available builtin scripts:\n");
	for (int i = 0; i < lwp_nbuiltins; i++)
	{
		const LwpBuiltin *b = &lwp_builtins[i];

		fprintf(stderr, "  %13s: %s\n", b->name, b->desc);
		if (b->target != NULL)
			fprintf(stderr, "  %13s  stresses %s: %s\n", "", b->target, b->doc);
	}
	fprintf(stderr, "\n");
}

const LwpBuiltin *
lwp_builtin_find(const char *name)
{
	const LwpBuiltin *found = NULL;
	int n = 0;

	for (int i = 0; i < lwp_nbuiltins; i++)
	{
		/* a whole name is never ambiguous */
		if (strcmp(lwp_builtins[i].name, name) == 0)
			return &lwp_builtins[i];
		if (strncmp(lwp_builtins[i].name, name, strlen(name)) == 0)
		{
			found = &lwp_builtins[i];
			n++;
		}
	}
	if (n == 1)
		return found;

	/* an abbreviation that pgbench knows must not break by our additions */
	if (n > 1)
	{
		const LwpBuiltin *standard = NULL;
		int among = 0;

		for (int i = 0; i < lwp_nbuiltins; i++)
			if (lwp_builtin_is_standard(&lwp_builtins[i]) &&
				strncmp(lwp_builtins[i].name, name, strlen(name)) == 0)
			{
				standard = &lwp_builtins[i];
				among++;
			}
		if (among == 1)
			return standard;
	}
	if (n == 0)
		lwp_error("no builtin script found for name \"%s\"", name);
	else
		lwp_error("ambiguous builtin name: %d builtin scripts found for prefix \"%s\"", n, name);
	lwp_builtin_list();
	return NULL;
}
