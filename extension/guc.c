/*
 * guc.c
 *		The settings, pg_lwprof.*.
 */
#include "compat.h"

#include "guc.h"
#include "hooks.h"
#include "slot.h"

bool lwp_enabled = true;
bool lwp_track_wait_time = true;
bool lwp_track_hold_time = false;
bool lwp_track_stacks = false;
int lwp_instrumentation = LWP_INSTRUMENTATION_AUTO;
double lwp_sample_interval = 10;
int lwp_max_tranches = 160;
int lwp_profile_size = 4096;
int lwp_attribution_size = 2048;
int lwp_max_stacks = 512;
int lwp_max_samples = 8192;
int lwp_history_records = 100000;

static const struct config_enum_entry instrumentation_options[] = {
	{"auto", LWP_INSTRUMENTATION_AUTO, false},
	{"detour", LWP_INSTRUMENTATION_DETOUR, false},
	{"wait_event", LWP_INSTRUMENTATION_WAIT_EVENT, false},
	{NULL, 0, false}};

/*
 * A process reads its configuration between commands, when it holds no
 * LWLock.  So this is the moment to switch: no lock acquired unseen will be
 * released before our eyes, nor the other way round.
 */
static void
assign_enabled(bool newval, void *extra)
{
	(void) extra;
	if (newval != lwp_enabled)
		lwp_slot_forget_locks();
	lwp_hooks_switch(newval, lwp_track_hold_time);
}

/* Other hooks, the same locks: what was acquired through one may be released through the other. */
static void
assign_track_hold_time(bool newval, void *extra)
{
	(void) extra;
	lwp_hooks_switch(lwp_enabled, newval);
}

void
lwp_guc_define(void)
{
	DefineCustomBoolVariable("pg_lwprof.enabled", "Records what backends do about LWLocks.",
							 "Each process follows a change between two commands.", &lwp_enabled,
							 true, PGC_SIGHUP, 0, NULL, assign_enabled, NULL);
	DefineCustomBoolVariable("pg_lwprof.track_wait_time",
							 "Measures the time of every sleep for an LWLock.",
							 "Costs two clock readings where a backend is about to sleep anyway.",
							 &lwp_track_wait_time, true, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("pg_lwprof.track_hold_time", "Measures how long every LWLock is held.",
							 "Costs two clock readings per acquisition.", &lwp_track_hold_time,
							 false, PGC_SIGHUP, 0, NULL, assign_track_hold_time, NULL);
	DefineCustomBoolVariable("pg_lwprof.track_stacks",
							 "Records the call stack of every request that sleeps for an LWLock.",
							 "The sampler adds up the time of each stack.", &lwp_track_stacks,
							 false, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("pg_lwprof.instrumentation", "Selects how lock calls are observed.",
							 "\"detour\" patches the server's lock functions in memory, "
							 "\"wait_event\" only samples wait events, "
							 "\"auto\" takes the first and falls back to the second.",
							 &lwp_instrumentation, LWP_INSTRUMENTATION_AUTO,
							 instrumentation_options, PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomRealVariable(
		"pg_lwprof.sample_interval", "Sets the time between two sampling passes.", NULL,
		&lwp_sample_interval, 10, 0.05, 10000, PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"pg_lwprof.max_tranches", "Sets how many LWLock tranches are counted one by one.",
		"Tranches with a higher number share one row without a name.", &lwp_max_tranches, 160, 128,
		LWP_TRANCHES_LIMIT, PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"pg_lwprof.profile_size", "Sets how many entries the sampled profile can hold.",
		"One entry per lock, phase, mode, backend type and database.", &lwp_profile_size, 4096, 64,
		1048576, PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"pg_lwprof.attribution_size", "Sets how many queries, holders and chains are told apart.",
		"The heaviest are kept; the rest of each lock is one entry.", &lwp_attribution_size, 2048,
		64, 1048576, PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("pg_lwprof.max_stacks", "Sets how many different call stacks are kept.",
							NULL, &lwp_max_stacks, 512, 16, 65536, PGC_POSTMASTER, 0, NULL, NULL,
							NULL);
	DefineCustomIntVariable(
		"pg_lwprof.max_samples", "Sets how many samples of waiting backends are kept.", NULL,
		&lwp_max_samples, 8192, 64, 16777216, PGC_POSTMASTER, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"pg_lwprof.history_records", "Sets how many records the per-second history can hold.",
		"A second takes one record, and one for each lock used in it; the default holds an hour.",
		&lwp_history_records, 100000, 1000, 16777216, PGC_POSTMASTER, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("pg_lwprof");
}
