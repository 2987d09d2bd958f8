/*
 * compat.h
 *		Every difference between PostgreSQL versions, in one place.
 *
 * The newest signature is the model; older servers are adapted to it.  No
 * other file may look at PG_VERSION_NUM.  A server this file does not know is
 * refused at compile time, because a detour placed by guesswork is worse than
 * none.
 */
#ifndef LWP_COMPAT_H
#define LWP_COMPAT_H

#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/backend_status.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 160000
#error "pg_lwprof knows PostgreSQL 15 only"
#endif

/* The major version this module was compiled for; checked again when it loads. */
#define LWP_COMPILED_MAJOR (PG_VERSION_NUM / 10000)

/* The type of the variable that a WAL insertion lock guards (atomic since 17). */
typedef uint64 LwpLockVar;

/*
 * Number of PGPROC entries that can belong to a living process: backends,
 * background workers, walsenders, autovacuum, auxiliary processes.  The
 * dummies of prepared transactions come after these and have no slot.
 * Valid from shmem_request_hook on.
 */
#define LWP_NUM_PROCS() (MaxBackends + NUM_AUXILIARY_PROCS)

/* Position of a PGPROC in ProcGlobal->allProcs. */
static inline int
lwp_proc_number(const PGPROC *proc)
{
	return proc->pgprocno;
}

/*
 * Pid of the living process that owns a PGPROC; 0 when none does.  Up to 17 a
 * leaving backend does not clear PGPROC.pid, but every version disowns the
 * latch, the last thing before the PGPROC is given back.
 */
static inline int
lwp_proc_pid(const volatile PGPROC *proc)
{
	return proc->procLatch.owner_pid;
}

/* Database of a PGPROC; 0 while starting up and for auxiliary processes. */
static inline Oid
lwp_proc_database(const volatile PGPROC *proc)
{
	return proc->databaseId;
}

/*
 * First entry of the server's array of PgBackendStatus.  The array itself is
 * private to backend_status.c, but this process's own entry is not, and its
 * position is known.  NULL in a process that has no entry (yet).
 */
static inline PgBackendStatus *
lwp_status_array(void)
{
	if (MyBEEntry == NULL)
		return NULL;
	if (MyBackendId != InvalidBackendId)
		return MyBEEntry - (MyBackendId - 1);
	return MyBEEntry - (MaxBackends + MyAuxProcType);
}

/*
 * The status entry of a living process, or NULL when it has none.  Reads
 * shared memory without a lock: the caller must cope with an entry that
 * changes hands meanwhile, and gets NULL when the pid does not match.
 */
static inline volatile PgBackendStatus *
lwp_status_of(PgBackendStatus *array, const volatile PGPROC *proc, int pid)
{
	int id = proc->backendId;

	if (array == NULL)
		return NULL;
	if (id >= 1 && id <= MaxBackends)
		return array[id - 1].st_procpid == pid ? &array[id - 1] : NULL;
	for (int i = 0; i < NUM_AUXPROCTYPES; i++)
	{
		volatile PgBackendStatus *entry = &array[MaxBackends + i];

		if (entry->st_procpid == pid)
			return entry;
	}
	return NULL;
}

/* The leader of a parallel worker's lock group, or NULL. */
static inline const volatile PGPROC *
lwp_group_leader(const volatile PGPROC *proc)
{
	return proc->lockGroupLeader;
}

/*
 * Tranches of the two locks that have a group-update protocol: members sleep
 * while a leader holds the lock on behalf of all of them.
 */
static inline int
lwp_tranche_procarray(void)
{
	return ProcArrayLock->tranche;
}

static inline int
lwp_tranche_xact(void)
{
	return XactSLRULock->tranche;
}

/* The LWLock a member of the transaction-status group waits for. */
static inline LWLock *
lwp_xact_group_lock(const PGPROC *proc)
{
	(void) proc;
	return XactSLRULock;
}

/* How many tranche ids the server has handed out. */
static inline int
lwp_tranche_count(void)
{
	const int *counter = (const int *) ((const char *) MainLWLockArray - sizeof(int));

	return *(const volatile int *) counter;
}

/* True for a tranche whose name is known in every process. */
static inline bool
lwp_tranche_is_builtin(int tranche)
{
	return tranche < LWTRANCHE_FIRST_USER_DEFINED;
}

/* Is this in the main shared memory segment, where an address means the same in every process? */
static inline bool
lwp_in_main_shmem(uintptr_t addr)
{
	return ShmemAddrIsValid((const void *) addr);
}

/* Did an extension ask for this tranche with RequestNamedLWLockTranche()? */
static inline bool
lwp_tranche_is_requested(int tranche)
{
	for (int i = 0; i < NamedLWLockTrancheRequests; i++)
		if (NamedLWLockTrancheArray[i].trancheId == tranche)
			return true;
	return false;
}

/* How the locks of a tranche lie in shared memory. */
typedef enum LwpTrancheArray
{
	LWP_ARRAY_SINGLE,     /* there is one */
	LWP_ARRAY_PARTITIONS, /* padded, in MainLWLockArray */
	LWP_ARRAY_WAL_INSERT, /* padded */
	LWP_ARRAY_SLRU,       /* padded */
	LWP_ARRAY_PROC,       /* one in each PGPROC */
	LWP_ARRAY_NAMED,      /* of an extension; padded if it asked for a named tranche */
	LWP_ARRAY_OTHER
} LwpTrancheArray;

static inline LwpTrancheArray
lwp_tranche_array(int tranche)
{
	if (tranche < NUM_INDIVIDUAL_LWLOCKS)
		return LWP_ARRAY_SINGLE;
	switch (tranche)
	{
		case LWTRANCHE_BUFFER_MAPPING:
		case LWTRANCHE_LOCK_MANAGER:
		case LWTRANCHE_PREDICATE_LOCK_MANAGER:
			return LWP_ARRAY_PARTITIONS;
		case LWTRANCHE_WAL_INSERT:
			return LWP_ARRAY_WAL_INSERT;
		case LWTRANCHE_XACT_BUFFER:
		case LWTRANCHE_COMMITTS_BUFFER:
		case LWTRANCHE_SUBTRANS_BUFFER:
		case LWTRANCHE_MULTIXACTOFFSET_BUFFER:
		case LWTRANCHE_MULTIXACTMEMBER_BUFFER:
		case LWTRANCHE_NOTIFY_BUFFER:
		case LWTRANCHE_SERIAL_BUFFER:
			return LWP_ARRAY_SLRU;
		case LWTRANCHE_LOCK_FASTPATH:
			return LWP_ARRAY_PROC;
		default:
			return lwp_tranche_is_builtin(tranche) ? LWP_ARRAY_OTHER : LWP_ARRAY_NAMED;
	}
}

/* What is behind a buffer's content lock. */
typedef struct LwpBufferPage
{
	Oid tablespace;
	Oid database;
	Oid relfilenode;
	ForkNumber fork;
	BlockNumber block;
	const char *page; /* its contents */
} LwpBufferPage;

/*
 * The page behind a content lock; false when the address is no such lock.
 * Right only while the buffer is pinned by the caller.
 */
static inline bool
lwp_buffer_of_lock(uintptr_t addr, LwpBufferPage *page)
{
	uintptr_t first = (uintptr_t) BufferDescriptors;
	uintptr_t offset = addr - first;
	const BufferDesc *desc;
	int id;

	if (addr < first || offset >= (uintptr_t) NBuffers * sizeof(BufferDescPadded) ||
		offset % sizeof(BufferDescPadded) != offsetof(BufferDesc, content_lock))
		return false;
	id = (int) (offset / sizeof(BufferDescPadded));
	desc = &BufferDescriptors[id].bufferdesc;
	page->tablespace = desc->tag.rnode.spcNode;
	page->database = desc->tag.rnode.dbNode;
	page->relfilenode = desc->tag.rnode.relNode;
	page->fork = desc->tag.forkNum;
	page->block = desc->tag.blockNum;
	page->page = BufferBlocks + (Size) id * BLCKSZ;
	return true;
}

#endif /* LWP_COMPAT_H */
