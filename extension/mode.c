/*
 * mode.c
 *		Detours or wait events only, and why; see mode.h.
 */
#include "compat.h"

#include "detour.h"
#include "guc.h"
#include "hooks.h"
#include "mode.h"

static bool detoured = false;
static char reason[256] = "not loaded at server start";

/* NULL on success, else why not; nothing is left behind then. */
static const char *
install(void)
{
	LwpDetour *set;
	const char *why;
	int n;

	if (atoi(GetConfigOption("server_version_num", false, false)) / 10000 != LWP_COMPILED_MAJOR)
		return "the module was built for another major version";
	set = lwp_hooks_table(&n);
	if ((why = lwp_detour_prepare(set, n)) != NULL)
		return why;
	if ((why = lwp_detour_install(set, n)) != NULL)
		return why;
	lwp_hooks_switch(true, false);
	why = lwp_hooks_selftest();
	if (why != NULL && !lwp_detour_remove(set, n))
		why = "self-test failed, and an entry could not be put back";
	return why;
}

void
lwp_mode_decide(void)
{
	const char *why;

	if (lwp_instrumentation == LWP_INSTRUMENTATION_WAIT_EVENT)
		why = "pg_lwprof.instrumentation is set to \"wait_event\"";
	else
		why = install();
	detoured = (why == NULL);
	strlcpy(reason, why ? why : "", sizeof(reason));
	lwp_hooks_switch(detoured && lwp_enabled, lwp_track_hold_time);
	if (!detoured)
		ereport(lwp_instrumentation == LWP_INSTRUMENTATION_DETOUR ? WARNING : LOG,
				(errmsg("pg_lwprof samples wait events only: %s", reason)));
}

bool
lwp_mode_is_detour(void)
{
	return detoured;
}

const char *
lwp_mode_name(void)
{
	return detoured ? "detour" : "wait_event";
}

const char *
lwp_mode_reason(void)
{
	return detoured ? NULL : reason;
}
