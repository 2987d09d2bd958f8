/*
 * lwp_test.c
 *		Takes known LWLocks in known patterns.  Test only.
 *
 * Preloaded, it asks for a tranche "lwp_test" of LOCKS locks, each with a
 * variable beside it.  Sleeping while a lock is held is what tests need and
 * nobody else should do.
 */
#include "postgres.h"

#include <time.h>

#include "access/relation.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/pg_sema.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/wait_event.h"

PG_MODULE_MAGIC;

#define LOCKS 256

void _PG_init(void);

static shmem_request_hook_type previous_request = NULL;
static shmem_startup_hook_type previous_startup = NULL;
static LWLockPadded *locks = NULL;
static uint64 *vars = NULL;
static slock_t *spinlock = NULL;

static void
request(void)
{
	if (previous_request)
		previous_request();
	RequestNamedLWLockTranche("lwp_test", LOCKS);
	RequestAddinShmemSpace(sizeof(uint64) * LOCKS + sizeof(slock_t) + 2 * PG_CACHE_LINE_SIZE);
}

static void
startup(void)
{
	bool found;

	if (previous_startup)
		previous_startup();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	vars = ShmemInitStruct("lwp_test", sizeof(uint64) * LOCKS, &found);
	if (!found)
		memset(vars, 0, sizeof(uint64) * LOCKS);
	spinlock = ShmemInitStruct("lwp_test spinlock", sizeof(slock_t), &found);
	if (!found)
		SpinLockInit(spinlock);
	LWLockRelease(AddinShmemInitLock);
	locks = GetNamedLWLockTranche("lwp_test");
}

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	previous_request = shmem_request_hook;
	shmem_request_hook = request;
	previous_startup = shmem_startup_hook;
	shmem_startup_hook = startup;
}

static LWLock *
get_lock(int n)
{
	if (locks == NULL)
		ereport(ERROR, (errmsg("lwp_test must be preloaded")));
	if (n < 0 || n >= LOCKS)
		ereport(ERROR, (errmsg("no such test lock: %d", n)));
	return &locks[n].lock;
}

static LWLockMode
get_mode(text *mode)
{
	return strcmp(text_to_cstring(mode), "x") == 0 ? LW_EXCLUSIVE : LW_SHARED;
}

static double
clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double) ts.tv_sec * 1e3 + (double) ts.tv_nsec / 1e6;
}

/* Sleep to an absolute instant, so that oversleeping does not add up within one call. */
static void
sleep_ms(double ms)
{
	double until = clock_ms() + ms;
	struct timespec ts;

	ts.tv_sec = (time_t) (until / 1e3);
	ts.tv_nsec = (long) ((until - (double) ts.tv_sec * 1e3) * 1e6);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

PG_FUNCTION_INFO_V1(lwp_test_acquire);
Datum
lwp_test_acquire(PG_FUNCTION_ARGS)
{
	LWLock *lock = get_lock(PG_GETARG_INT32(0));
	LWLockMode mode = get_mode(PG_GETARG_TEXT_PP(1));
	int n = PG_GETARG_INT32(2);

	for (int i = 0; i < n; i++)
	{
		LWLockAcquire(lock, mode);
		LWLockRelease(lock);
		CHECK_FOR_INTERRUPTS();
	}
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_conditional);
Datum
lwp_test_conditional(PG_FUNCTION_ARGS)
{
	LWLock *lock = get_lock(PG_GETARG_INT32(0));
	LWLockMode mode = get_mode(PG_GETARG_TEXT_PP(1));
	int n = PG_GETARG_INT32(2);
	int successes = 0;

	for (int i = 0; i < n; i++)
	{
		if (LWLockConditionalAcquire(lock, mode))
		{
			successes++;
			LWLockRelease(lock);
		}
	}
	PG_RETURN_INT32(successes);
}

PG_FUNCTION_INFO_V1(lwp_test_acquire_or_wait);
Datum
lwp_test_acquire_or_wait(PG_FUNCTION_ARGS)
{
	LWLock *lock = get_lock(PG_GETARG_INT32(0));
	bool acquired = LWLockAcquireOrWait(lock, get_mode(PG_GETARG_TEXT_PP(1)));

	if (acquired)
		LWLockRelease(lock);
	PG_RETURN_BOOL(acquired);
}

PG_FUNCTION_INFO_V1(lwp_test_wait_for_var);
Datum
lwp_test_wait_for_var(PG_FUNCTION_ARGS)
{
	int n = PG_GETARG_INT32(0);
	uint64 newval = 0;

	(void) LWLockWaitForVar(get_lock(n), &vars[n], (uint64) PG_GETARG_INT64(1), &newval);
	PG_RETURN_INT64((int64) newval);
}

PG_FUNCTION_INFO_V1(lwp_test_var_holder);
Datum
lwp_test_var_holder(PG_FUNCTION_ARGS)
{
	int n = PG_GETARG_INT32(0);
	LWLock *lock = get_lock(n);

	LWLockAcquire(lock, LW_EXCLUSIVE);
	sleep_ms(PG_GETARG_INT32(2));
	LWLockUpdateVar(lock, &vars[n], (uint64) PG_GETARG_INT64(1));
	sleep_ms(PG_GETARG_INT32(2));
	LWLockReleaseClearVar(lock, &vars[n], 0);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_nested);
Datum
lwp_test_nested(PG_FUNCTION_ARGS)
{
	int first = PG_GETARG_INT32(0);
	int count = PG_GETARG_INT32(1);
	LWLockMode mode = get_mode(PG_GETARG_TEXT_PP(2));
	char *order = text_to_cstring(PG_GETARG_TEXT_PP(3));

	get_lock(first + count - 1);
	for (int i = 0; i < count; i++)
		LWLockAcquire(get_lock(first + i), mode);
	if (strcmp(order, "reverse") == 0)
		for (int i = count; i-- > 0;)
			LWLockRelease(get_lock(first + i));
	else if (strcmp(order, "forward") == 0)
		for (int i = 0; i < count; i++)
			LWLockRelease(get_lock(first + i));
	else
		for (int odd = 1; odd >= 0; odd--)
			for (int i = odd; i < count; i += 2)
				LWLockRelease(get_lock(first + i));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_error);
Datum
lwp_test_error(PG_FUNCTION_ARGS)
{
	int first = PG_GETARG_INT32(0);
	int count = PG_GETARG_INT32(1);
	LWLockMode mode = get_mode(PG_GETARG_TEXT_PP(2));
	bool fatal = strcmp(text_to_cstring(PG_GETARG_TEXT_PP(3)), "fatal") == 0;

	for (int i = 0; i < count; i++)
		LWLockAcquire(get_lock(first + i), mode);
	ereport(fatal ? FATAL : ERROR, (errmsg("test error while holding %d locks", count)));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_hold);
Datum
lwp_test_hold(PG_FUNCTION_ARGS)
{
	LWLock *lock = get_lock(PG_GETARG_INT32(0));

	LWLockAcquire(lock, get_mode(PG_GETARG_TEXT_PP(1)));
	sleep_ms(PG_GETARG_FLOAT8(2));
	LWLockRelease(lock);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_hold_many);
Datum
lwp_test_hold_many(PG_FUNCTION_ARGS)
{
	int first = PG_GETARG_INT32(0);
	int count = PG_GETARG_INT32(1);
	LWLockMode mode = get_mode(PG_GETARG_TEXT_PP(2));

	get_lock(first + count - 1);
	for (int i = 0; i < count; i++)
		LWLockAcquire(get_lock(first + i), mode);
	sleep_ms(PG_GETARG_FLOAT8(3));
	for (int i = count; i-- > 0;)
		LWLockRelease(get_lock(first + i));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_contend);
Datum
lwp_test_contend(PG_FUNCTION_ARGS)
{
	LWLock *lock = get_lock(PG_GETARG_INT32(0));
	LWLockMode mode = get_mode(PG_GETARG_TEXT_PP(1));
	double hold = PG_GETARG_FLOAT8(2);
	double pause = PG_GETARG_FLOAT8(3);
	double start = clock_ms();
	double end = start + PG_GETARG_FLOAT8(4);
	double acquiring = 0;
	int64 n = 0;
	double now = start;
	TupleDesc desc;
	Datum values[3];
	bool nulls[3] = {0};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	while (now < end)
	{
		double asked = clock_ms();

		LWLockAcquire(lock, mode);
		acquiring += clock_ms() - asked;
		n++;
		sleep_ms(hold);
		LWLockRelease(lock);
		if (pause > 0)
			sleep_ms(pause);
		CHECK_FOR_INTERRUPTS();
		now = clock_ms();
	}
	values[0] = Int64GetDatum(n);
	values[1] = Float8GetDatum(acquiring);
	values[2] = Float8GetDatum(now - start);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

PG_FUNCTION_INFO_V1(lwp_test_pair_ns);
Datum
lwp_test_pair_ns(PG_FUNCTION_ARGS)
{
	int n = PG_GETARG_INT32(0);
	LWLock *lock = get_lock(LOCKS - 1);
	double start;

	for (int i = 0; i < 1000; i++)
	{
		LWLockAcquire(lock, LW_EXCLUSIVE);
		LWLockRelease(lock);
	}
	start = clock_ms();
	for (int i = 0; i < n; i++)
	{
		LWLockAcquire(lock, LW_EXCLUSIVE);
		LWLockRelease(lock);
	}
	PG_RETURN_FLOAT8((clock_ms() - start) * 1e6 / n);
}

PG_FUNCTION_INFO_V1(lwp_test_new_tranche);
Datum
lwp_test_new_tranche(PG_FUNCTION_ARGS)
{
	char *name = MemoryContextStrdup(TopMemoryContext, text_to_cstring(PG_GETARG_TEXT_PP(0)));
	int n = PG_GETARG_INT32(1);
	int tranche = LWLockNewTrancheId();
	LWLock *lock = MemoryContextAllocZero(TopMemoryContext, sizeof(LWLock));

	LWLockRegisterTranche(tranche, name);
	LWLockInitialize(lock, tranche);
	for (int i = 0; i < n; i++)
	{
		LWLockAcquire(lock, LW_EXCLUSIVE);
		LWLockRelease(lock);
	}
	PG_RETURN_INT32(tranche);
}

PG_FUNCTION_INFO_V1(lwp_test_release_unheld);
Datum
lwp_test_release_unheld(PG_FUNCTION_ARGS)
{
	LWLockRelease(get_lock(PG_GETARG_INT32(0)));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_too_many);
Datum
lwp_test_too_many(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	for (int i = 0; i < LOCKS; i++)
		LWLockAcquire(get_lock(i), LW_SHARED);
	PG_RETURN_VOID();
}

static void
count_held(LWLock *lock, LWLockMode mode, void *context)
{
	(void) lock;
	(void) mode;
	(*(int *) context)++;
}

PG_FUNCTION_INFO_V1(lwp_test_held);
Datum
lwp_test_held(PG_FUNCTION_ARGS)
{
	int n = 0;

	(void) fcinfo;
	ForEachLWLockHeldByMe(count_held, &n);
	PG_RETURN_INT32(n);
}

PG_FUNCTION_INFO_V1(lwp_test_clock);
Datum
lwp_test_clock(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	PG_RETURN_FLOAT8(clock_ms());
}

PG_FUNCTION_INFO_V1(lwp_test_hold_page);
Datum
lwp_test_hold_page(PG_FUNCTION_ARGS)
{
	Relation rel = relation_open(PG_GETARG_OID(0), AccessShareLock);
	ForkNumber fork = (ForkNumber) PG_GETARG_INT32(1);
	BlockNumber block = (BlockNumber) PG_GETARG_INT64(2);
	bool exclusive = get_mode(PG_GETARG_TEXT_PP(3)) == LW_EXCLUSIVE;
	Buffer buffer = ReadBufferExtended(rel, fork, block, RBM_NORMAL, NULL);

	LockBuffer(buffer, exclusive ? BUFFER_LOCK_EXCLUSIVE : BUFFER_LOCK_SHARE);
	sleep_ms(PG_GETARG_FLOAT8(4));
	UnlockReleaseBuffer(buffer);
	relation_close(rel, AccessShareLock);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_hold_partition);
Datum
lwp_test_hold_partition(PG_FUNCTION_ARGS)
{
	char *kind = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int n = PG_GETARG_INT32(1);
	int offset = strcmp(kind, "BufferMapping") == 0 ? BUFFER_MAPPING_LWLOCK_OFFSET
				 : strcmp(kind, "LockManager") == 0 ? LOCK_MANAGER_LWLOCK_OFFSET
													: PREDICATELOCK_MANAGER_LWLOCK_OFFSET;
	LWLock *lock = &MainLWLockArray[offset + n].lock;

	LWLockAcquire(lock, get_mode(PG_GETARG_TEXT_PP(2)));
	sleep_ms(PG_GETARG_FLOAT8(3));
	LWLockRelease(lock);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_hold_server);
Datum
lwp_test_hold_server(PG_FUNCTION_ARGS)
{
	bool procarray = strcmp(text_to_cstring(PG_GETARG_TEXT_PP(0)), "ProcArray") == 0;
	LWLock *lock = procarray ? ProcArrayLock : XactSLRULock;

	LWLockAcquire(lock, get_mode(PG_GETARG_TEXT_PP(1)));
	sleep_ms(PG_GETARG_FLOAT8(2));
	LWLockRelease(lock);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_hold_two);
Datum
lwp_test_hold_two(PG_FUNCTION_ARGS)
{
	LWLock *first = get_lock(PG_GETARG_INT32(0));
	LWLock *second = get_lock(PG_GETARG_INT32(1));
	LWLockMode mode = get_mode(PG_GETARG_TEXT_PP(2));

	LWLockAcquire(first, mode);
	LWLockAcquire(second, mode);
	sleep_ms(PG_GETARG_FLOAT8(3));
	LWLockRelease(second);
	LWLockRelease(first);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_acquire_each);
Datum
lwp_test_acquire_each(PG_FUNCTION_ARGS)
{
	int first = PG_GETARG_INT32(0);
	int count = PG_GETARG_INT32(1);
	LWLockMode mode = get_mode(PG_GETARG_TEXT_PP(2));

	for (int i = 0; i < count; i++)
	{
		LWLockAcquire(get_lock(first + i), mode);
		LWLockRelease(get_lock(first + i));
		CHECK_FOR_INTERRUPTS();
	}
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_spin);
Datum
lwp_test_spin(PG_FUNCTION_ARGS)
{
	if (spinlock == NULL)
		ereport(ERROR, (errmsg("lwp_test must be preloaded")));
	SpinLockAcquire(spinlock);
	sleep_ms(PG_GETARG_FLOAT8(0));
	SpinLockRelease(spinlock);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(lwp_test_procno);
Datum
lwp_test_procno(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(MyProc->pgprocno);
}

PG_FUNCTION_INFO_V1(lwp_test_sleep_ns);
Datum
lwp_test_sleep_ns(PG_FUNCTION_ARGS)
{
	int n = PG_GETARG_INT32(0);
	TransactionId saved = MyProc->procArrayGroupMemberXid;
	double start = clock_ms();

	for (int i = 0; i < n; i++)
	{
		MyProc->procArrayGroupMemberXid = (TransactionId) (i + 1000);
		pgstat_report_wait_start(WAIT_EVENT_PROCARRAY_GROUP_UPDATE);
		PGSemaphoreUnlock(MyProc->sem);
		PGSemaphoreLock(MyProc->sem);
		pgstat_report_wait_end();
	}
	MyProc->procArrayGroupMemberXid = saved;
	PG_RETURN_FLOAT8((clock_ms() - start) * 1e6 / n);
}
