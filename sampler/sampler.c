/*
 * sampler.c
 *		The background worker that turns state flags into wall-clock shares.
 *
 * It waits for its timer, its latch or the postmaster's death, and at each
 * tick makes one pass.  While it runs it takes no LWLock and no spinlock,
 * sends no signal and allocates nothing; only its start and a reload of the
 * configuration do.
 *
 * A reset is a request: pg_lwprof_reset() advances the reset epoch, readers
 * from then on take the sampler's numbers for empty, and the sampler empties
 * them at its next pass.
 */
#include "../extension/compat.h"

#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"

#include "../extension/clock.h"
#include "../extension/guc.h"
#include "../extension/shmem.h"
#include "observe.h"
#include "pass.h"
#include "sampler.h"
#include "shared.h"
#include "stacks.h"
#include "timer.h"

PGDLLEXPORT void pg_lwprof_sampler_main(Datum arg);

/* How often CPU use is read and everything cached about processes is looked up anew (ns). */
#define HOUSEKEEPING_INTERVAL UINT64CONST(100000000)

static LwpTimer timer;
static uint64 last_pass; /* when the last pass was, or when observing began */
static uint64 last_housekeeping;
static uint64 cpu_base; /* CPU time at the last reset */

void
lwp_sampler_register(void)
{
	BackgroundWorker worker = {0};

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_ConsistentState;
	worker.bgw_restart_time = 1;
	strlcpy(worker.bgw_library_name, "pg_lwprof", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "pg_lwprof_sampler_main", BGW_MAXLEN);
	strlcpy(worker.bgw_name, "pg_lwprof sampler", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "pg_lwprof sampler", BGW_MAXLEN);
	RegisterBackgroundWorker(&worker);
}

static void
forget_pid(int code, Datum arg)
{
	(void) code;
	(void) arg;
	lwp_sampler_shared->pid = 0;
}

/* The interval asked for, in ns; 0 when there is nothing to do. */
static uint64
wanted_interval(void)
{
	return lwp_enabled ? (uint64) (lwp_sample_interval * 1e6 + 0.5) : 0;
}

/* Follow a reset: everything counted so far belongs to the past. */
static void
follow_reset(LwpPass *pass, uint64 epoch)
{
	LwpSamplerShared *me = lwp_sampler_shared;

	me->passes = 0;
	me->late_passes = 0;
	me->skipped_passes = 0;
	me->observed = 0;
	me->unobserved = 0;
	me->cpu = 0;
	cpu_base = lwp_cpu_ns();
	last_pass = Max(last_pass, lwp_shared->reset_at_ns);
	for (int id = 0; id < LWP_TABLES; id++)
		lwp_table_clear(lwp_tables[id], epoch);
	lwp_table_clear(lwp_stacks_table, epoch);
	lwp_stacks_clear(lwp_stacks, epoch);
	lwp_ring_clear(lwp_samples, epoch);
	lwp_ring_clear(lwp_history, epoch);
	lwp_pass_forget(pass);
	pg_write_barrier();
	me->epoch = epoch;
}

static void
housekeeping(LwpObserver *observer, uint64 now)
{
	if (now - last_housekeeping < HOUSEKEEPING_INTERVAL)
		return;
	last_housekeeping = now;
	lwp_sampler_shared->cpu = lwp_cpu_ns() - cpu_base;
	lwp_observer_refresh(observer);
}

static void
tick(LwpPass *pass, LwpObserver *observer)
{
	LwpSamplerShared *me = lwp_sampler_shared;
	uint64 epoch = lwp_reset_epoch();
	uint64 now = lwp_clock_ns();
	uint64 elapsed;
	uint64 weight;

	if (now < timer.due) /* a tick of an interval that was changed meanwhile */
	{
		lwp_timer_rearm(&timer);
		return;
	}
	if (me->epoch != epoch)
		follow_reset(pass, epoch);
	elapsed = now > last_pass ? now - last_pass : 0;
	weight = lwp_pass_weight(elapsed, timer.interval);
	lwp_pass(pass, weight, elapsed - weight);

	last_pass = now;
	me->last_pass = now;
	me->observed += weight;
	me->unobserved += elapsed - weight;
	me->passes++;
	if (now - timer.due > timer.interval)
		me->late_passes++;
	me->skipped_passes += lwp_timer_next(&timer, now);
	housekeeping(observer, now);
}

static void
apply_settings(void)
{
	uint64 interval = wanted_interval();
	uint64 now = lwp_clock_ns();

	if (interval == timer.interval)
		return;
	if (timer.interval == 0)
		last_pass = now; /* nothing was recorded while it was off */
	lwp_timer_set(&timer, interval, now);
	lwp_sampler_shared->interval = interval;
}

void
pg_lwprof_sampler_main(Datum arg)
{
	LwpObserver *observer;
	LwpPass *pass;
	WaitEventSet *set;

	(void) arg;
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();

	/* no database; this makes the sampler visible in pg_stat_activity */
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	before_shmem_exit(forget_pid, (Datum) 0);
	lwp_sampler_shared->pid = MyProcPid;

	observer = lwp_observer_create();
	pass = lwp_pass_create(observer);
	lwp_timer_init(&timer);
	cpu_base = lwp_cpu_ns() - lwp_sampler_shared->cpu;
	apply_settings();
	/* time between a predecessor's last pass and now was not observed by anybody */
	last_pass = lwp_sampler_shared->last_pass ? lwp_sampler_shared->last_pass : lwp_clock_ns();

	set = CreateWaitEventSet(TopMemoryContext, 3);
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(set, WL_SOCKET_READABLE, timer.fd, NULL, NULL);

	while (!ShutdownRequestPending)
	{
		WaitEvent event;

		if (WaitEventSetWait(set, -1, &event, 1, PG_WAIT_EXTENSION) == 1)
		{
			if (event.events & WL_SOCKET_READABLE)
				tick(pass, observer);
			if (event.events & WL_LATCH_SET)
				ResetLatch(MyLatch);
		}
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			apply_settings();
		}
	}

	/* not 0, which would mean "never start me again" */
	proc_exit(1);
}
