/*
 * init.h
 *		-i: makes the tables the builtin scripts use.
 */
#ifndef LWP_INIT_H
#define LWP_INIT_H

#include "options.h"

/* Rows of the standard tables at scale 1. */
#define LWP_BRANCHES 1
#define LWP_TELLERS  10
#define LWP_ACCOUNTS 100000

/* All of -i.  Ends the program with code 1 after a message on errors. */
extern void lwp_init_run(LwpOptions *o);

/* The objects of one workload, dropped first. */
extern void lwp_init_workload(PGconn *con, const LwpBuiltin *b, int factor);

#endif
