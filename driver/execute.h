/*
 * execute.h
 *		Runs a benchmark from connecting to merged results.
 */
#ifndef LWP_EXECUTE_H
#define LWP_EXECUTE_H

#include "result.h"

/* Called by the main thread at the start of measuring (go) and at its end. */
typedef struct LwpRunHooks
{
	void (*at_go)(void *arg);
	void (*at_end)(void *arg);
	void *arg;
} LwpRunHooks;

/*
 * Blocks SIGINT and SIGTERM and makes them readable for lwp_execute; to be
 * called once, before any thread exists.
 */
extern void lwp_signals_init(void);

/*
 * One run with o->nclients clients.  res is filled in (lwp_result_free).
 * False when the run never began: res->exit_code says why, a message was
 * printed.  A run that began is a result even when clients were aborted.
 */
extern bool lwp_execute(const LwpOptions *o, const LwpRunHooks *hooks, LwpResult *res);

#endif
