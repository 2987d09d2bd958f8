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

/*
 * What rarely changes about a process.  Entries of living processes are kept
 * side by side, so that a pass reads little more than one cache line of each.
 */
typedef struct LwpProcCache
{
	int procno;
	int pid;
	uint32 backend_type;              /* index for lwp_name_backend_type() */
	bool client;                      /* its status says whether it is active */
	volatile PgBackendStatus *status; /* NULL = none (yet) */
	LwpSlot *slot;                    /* NULL in wait_event mode */
	LwpFront *front;                  /* of slot */
} LwpProcCache;

typedef struct LwpObserver
{
	bool detoured; /* slots carry the truth; else wait_event_info does */
	int nprocs;
	PgBackendStatus *status_array;
	uint64 binds;   /* lwp_slot_bind_count() when procs was filled */
	int n;          /* living processes */
	int incomplete; /* passes until those without a status entry are looked up again; 0 = none */
	LwpProcCache *procs;
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

/* On whose behalf a process works. */
typedef struct LwpQuery
{
	uint64 id;   /* 0: none, or compute_query_id is off */
	int command; /* then, for a client: number for lwp_command_name(); 0 = unknown */
	Oid database;
	Oid user;
	int pid; /* of the leader, for a parallel worker */
} LwpQuery;

/* Set up in the current memory context; the first refresh is done. */
extern LWP_HIDDEN LwpObserver *lwp_observer_create(void);

/* Look up anew which processes there are. */
extern LWP_HIDDEN void lwp_observer_refresh(LwpObserver *observer);

/* The same, if a process has come since or there is other reason to. */
extern LWP_HIDDEN void lwp_observer_follow(LwpObserver *observer);

/*
 * Look at process i of observer->n.  False when it is gone, or (idle_too
 * false) when it has nothing to say: idle and outside every lock function.
 */
extern LWP_HIDDEN bool
lwp_observe(LwpObserver *observer, int i, bool idle_too, LwpObservation *out);

/* The query a process works on; that of its leader for a parallel worker. */
extern LWP_HIDDEN LwpQuery lwp_observe_query(const LwpObserver *observer,
											 const LwpObservation *seen);

/* First word of an SQL command, for statements without a query id; NULL for 0. */
extern LWP_HIDDEN const char *lwp_command_name(int command);

/* Ask for the cache lines lwp_observe() will read. */
static inline void
lwp_observe_prefetch(const LwpObserver *observer, int i)
{
	const LwpProcCache *proc = &observer->procs[i];

	if (proc->front)
		__builtin_prefetch(proc->front);
	if (proc->status)
		__builtin_prefetch((const void *) &proc->status->st_state);
}

#endif /* LWP_OBSERVE_H */
