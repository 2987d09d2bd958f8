/*
 * observe.c
 *		What one backend is doing at this instant; see observe.h.
 *
 * Everything is read while its owner may be changing it.  Each field is one
 * aligned word, so it is a value that was true a moment ago; fields are never
 * combined in a way that would be wrong if they come from two moments.
 */
#include "postgres.h"

#include "../extension/guc.h"
#include "../extension/mode.h"
#include "../extension/names.h"
#include "observe.h"

/* How soon a process without a status entry is looked up again; some never have one. */
#define INCOMPLETE_PASSES 8

LwpObserver *
lwp_observer_create(void)
{
	LwpObserver *observer = palloc0(sizeof(LwpObserver));

	observer->detoured = lwp_mode_is_detour();
	observer->nprocs = lwp_slot_count();
	observer->status_array = lwp_status_array();
	observer->procs = palloc0(sizeof(LwpProcCache) * (Size) observer->nprocs);
	lwp_observer_refresh(observer);
	return observer;
}

/* A parallel worker that has no slot to say so. */
static bool
looks_like_parallel_worker(const volatile PGPROC *proc)
{
	const volatile PGPROC *leader = lwp_group_leader(proc);

	return leader != NULL && leader != proc;
}

/* Fill an entry for a living process. */
static void
learn(LwpObserver *observer, LwpProcCache *cache, int procno, int pid)
{
	const volatile PGPROC *proc = &ProcGlobal->allProcs[procno];
	volatile PgBackendStatus *status = lwp_status_of(observer->status_array, proc, pid);
	LwpSlot *slot = observer->detoured ? lwp_slot_get(procno) : NULL;

	cache->procno = procno;
	cache->pid = pid;
	cache->slot = slot;
	cache->front = slot != NULL ? slot->front : NULL;
	cache->status = status;
	cache->client = false;
	cache->backend_type = B_INVALID;
	if (status != NULL)
	{
		BackendType type = status->st_backendType;

		cache->backend_type = type;
		cache->client = (type == B_BACKEND);
		if (type == B_BG_WORKER && slot != NULL && slot->pid == pid)
			cache->backend_type = slot->backend_type;
		else if (type == B_BG_WORKER && looks_like_parallel_worker(proc))
			cache->backend_type = lwp_name_parallel_worker();
	}
	else
	{
		observer->incomplete = INCOMPLETE_PASSES;
		if (slot != NULL && slot->pid == pid)
			cache->backend_type = slot->backend_type;
	}
}

void
lwp_observer_refresh(LwpObserver *observer)
{
	observer->binds = lwp_slot_bind_count();
	observer->n = 0;
	observer->incomplete = 0;
	pg_read_barrier();
	for (int i = 0; i < observer->nprocs; i++)
	{
		int pid = lwp_proc_pid(&ProcGlobal->allProcs[i]);

		if (pid != 0)
			learn(observer, &observer->procs[observer->n++], i, pid);
	}
}

/*
 * Without detours nobody tells when a process comes.  A process seen so early
 * that it had no status entry is looked up again a few passes later.
 */
void
lwp_observer_follow(LwpObserver *observer)
{
	if (!observer->detoured || observer->binds != lwp_slot_bind_count() ||
		(observer->incomplete > 0 && --observer->incomplete == 0))
		lwp_observer_refresh(observer);
}

/*
 * Is the process working?  Client backends and workers that report a state are
 * believed; the rest counts as idle while it waits for work in its main loop.
 * A process without a status entry is starting or leaving: not active, except
 * for the time it spends on locks.
 */
static bool
is_active(const LwpProcCache *cache, uint32 wait_event_info)
{
	uint32 class = wait_event_info & 0xFF000000U;

	if (cache->status == NULL)
		return false;
	switch (cache->status->st_state)
	{
		case STATE_RUNNING:
		case STATE_FASTPATH:
			return class != PG_WAIT_ACTIVITY;
		case STATE_IDLE:
		case STATE_IDLEINTRANSACTION:
		case STATE_IDLEINTRANSACTION_ABORTED:
			return false;
		default: /* track_activities is off, or no such thing here */
			break;
	}
	if (cache->client)
		return class != PG_WAIT_CLIENT && class != PG_WAIT_ACTIVITY;
	return class != PG_WAIT_ACTIVITY && class != PG_WAIT_EXTENSION && class != PG_WAIT_CLIENT;
}

/* In wait_event mode a lock is known only while somebody sleeps for it, and only its tranche. */
static LwpWord
word_from_wait_event(uint32 wait_event_info)
{
	uint32 tranche;

	if ((wait_event_info & 0xFF000000U) == PG_WAIT_LWLOCK)
		tranche = wait_event_info & 0xFFFF;
	else if (wait_event_info == WAIT_EVENT_PROCARRAY_GROUP_UPDATE)
		tranche = (uint32) lwp_tranche_procarray();
	else if (wait_event_info == WAIT_EVENT_XACT_GROUP_UPDATE)
		tranche = (uint32) lwp_tranche_xact();
	else
		return 0;
	return lwp_word(NULL, Min(tranche, lwp_max_tranches_used), LWP_MODE_UNKNOWN, LWP_PHASE_WAITING);
}

bool
lwp_observe(LwpObserver *observer, int i, bool idle_too, LwpObservation *out)
{
	const LwpProcCache *cache = &observer->procs[i];
	const volatile PGPROC *proc;

	/* the common case of a thousand idle sessions: two cache lines and out */
	if (!idle_too && cache->client && cache->status->st_state == STATE_IDLE &&
		(cache->front == NULL || lwp_level_phase(cache->front->level) == LWP_PHASE_NONE))
		return false;

	proc = &ProcGlobal->allProcs[cache->procno];
	if (lwp_proc_pid(proc) != cache->pid)
		return false;
	out->procno = cache->procno;
	out->pid = cache->pid;
	out->backend_type = cache->backend_type;
	out->database = lwp_proc_database(proc);
	out->proc = cache;
	out->wait_event_info = proc->wait_event_info;
	if (!observer->detoured || !lwp_enabled)
		out->word = word_from_wait_event(out->wait_event_info);
	else if (cache->slot->pid == cache->pid)
		out->word = lwp_slot_state(cache->slot);
	else
		out->word = 0; /* it has not taken a lock yet */
	out->phase = lwp_word_phase(out->word);
	out->tranche = out->phase == LWP_PHASE_NONE ? -1 : lwp_word_tranche(out->word);
	out->active = out->phase != LWP_PHASE_NONE || is_active(cache, out->wait_event_info);
	return out->active || idle_too;
}

/*
 * Commands that are told apart where there is no query id: the end of a
 * transaction, mostly, and everything while compute_query_id is off.
 */
static const char *const commands[] = {
	"",        "ABORT",   "ALTER",   "ANALYZE", "BEGIN",      "CALL",      "CHECKPOINT",
	"CLUSTER", "COMMIT",  "COPY",    "CREATE",  "DEALLOCATE", "DECLARE",   "DELETE",
	"DISCARD", "DO",      "DROP",    "END",     "EXECUTE",    "EXPLAIN",   "FETCH",
	"GRANT",   "INSERT",  "LISTEN",  "LOCK",    "MERGE",      "NOTIFY",    "PREPARE",
	"REFRESH", "REINDEX", "RELEASE", "REVOKE",  "ROLLBACK",   "SAVEPOINT", "SELECT",
	"SET",     "SHOW",    "START",   "TABLE",   "TRUNCATE",   "UNLISTEN",  "UPDATE",
	"VACUUM",  "VALUES",  "WITH",
};

const char *
lwp_command_name(int command)
{
	return command > 0 && command < (int) lengthof(commands) ? commands[command] : NULL;
}

/* The command a text begins with.  The text may be changing while it is read. */
static int
command_of(const volatile char *text)
{
	char word[16];
	int n = 0;

	if (text == NULL)
		return 0;
	while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
		text++;
	for (; n < (int) sizeof(word) - 1; n++)
	{
		char c = text[n];

		if (c >= 'a' && c <= 'z')
			c = (char) (c - 'a' + 'A');
		if (c < 'A' || c > 'Z')
			break;
		word[n] = c;
	}
	word[n] = '\0';
	for (int i = 1; i < (int) lengthof(commands); i++)
		if (strcmp(word, commands[i]) == 0)
			return i;
	return 0;
}

LwpQuery
lwp_observe_query(const LwpObserver *observer, const LwpObservation *seen)
{
	const volatile PGPROC *proc = &ProcGlobal->allProcs[seen->procno];
	const volatile PGPROC *leader = lwp_group_leader(proc);
	volatile PgBackendStatus *status = seen->proc->status;
	LwpQuery query = {.pid = seen->pid, .database = seen->database};

	if (leader != NULL && leader != proc)
	{
		int pid = lwp_proc_pid(leader);
		volatile PgBackendStatus *his = lwp_status_of(observer->status_array, leader, pid);

		if (pid != 0 && his != NULL)
		{
			status = his;
			query.pid = pid;
		}
	}
	if (status != NULL)
	{
		query.id = status->st_query_id;
		query.user = status->st_userid;
		if (query.id == 0 && status->st_backendType == B_BACKEND)
			query.command = command_of(status->st_activity_raw);
	}
	return query;
}
