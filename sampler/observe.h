/*
 * observe.h
 *		What one backend is doing at this instant, read without any lock.
 *
 * Shared by the sampler, which keeps a cache between passes, and by the
 * functions that show the present.
 */
#ifndef LWP_OBSERVE_H
#define LWP_OBSERVE_H

#include "../extension/compat.h"
#include "../extension/slot.h"

/* What rarely changes about a process. */
typedef struct LwpProcCache
{
	int pid;                          /* 0 = nothing cached */
	uint32 backend_type;              /* index for lwp_name_backend_type() */
	bool client;                      /* its status says whether it is active */
	volatile PgBackendStatus *status; /* NULL = none */
	LwpSlot *slot;                    /* NULL in wait_event mode */
} LwpProcCache;

typedef struct LwpObserver
{
	bool detoured; /* slots carry the truth; else wait_event_info does */
	int nprocs;
	PgBackendStatus *status_array;
	LwpProcCache *procs; /* nprocs entries */
} LwpObserver;

typedef struct LwpObservation
{
	int procno;
	int pid;
	uint32 backend_type;
	Oid database;
	bool active;  /* working for somebody, asleep for a lock or not */
	LwpWord word; /* current lock, mode and phase; 0 = none */
	int tranche;  /* of word; -1 = none */
	LwpPhase phase;
	uint32 wait_event_info;
	const LwpProcCache *proc;
} LwpObservation;

/* Set up in the current memory context. */
extern LWP_HIDDEN LwpObserver *lwp_observer_create(void);

/* Forget what is cached about every process. */
extern LWP_HIDDEN void lwp_observer_refresh(LwpObserver *observer);

/*
 * Look at one PGPROC.  False when no living process has it, or (idle_too
 * false) when it has nothing to say: idle and outside every lock function.
 */
extern LWP_HIDDEN bool
lwp_observe(LwpObserver *observer, int procno, bool idle_too, LwpObservation *out);

/* Ask for the cache lines lwp_observe() will read. */
static inline void
lwp_observe_prefetch(const LwpObserver *observer, int procno)
{
	const LwpProcCache *proc = &observer->procs[procno];

	__builtin_prefetch(&ProcGlobal->allProcs[procno].procLatch);
	if (proc->slot)
		__builtin_prefetch((const void *) &proc->slot->level);
	if (proc->status)
		__builtin_prefetch((const void *) &proc->status->st_state);
}

#endif /* LWP_OBSERVE_H */
