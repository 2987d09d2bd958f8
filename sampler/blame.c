/*
 * blame.c
 *		Whom a waiter waits for; see blame.h.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "blame.h"
#include "keys.h"
#include "shared.h"

/* A lock somebody waits for. */
typedef struct Wanted
{
	uintptr_t addr; /* 0: free */
	int first;      /* its first holder in holders[], -1 = none */
	int n;          /* how many holders */
} Wanted;

typedef struct Holder
{
	int next; /* next holder of the same lock, -1 = none */
	int proc; /* index in the observer's procs */
	int mode;
} Holder;

struct LwpBlame
{
	int n_waiters;
	LwpWaiter *waiters; /* one per process at most */
	uint32 mask;        /* of wanted[], a hash table */
	Wanted *wanted;
	int n_holders;
	Holder *holders;

	/* what the holders are doing, looked at once per pass */
	LwpObservation *seen; /* by index in the observer's procs */
	bool *looked;
	bool *alive;
};

/* A chain is not followed for less than this (ns): many holders of many locks would never end. */
#define SMALLEST_SHARE 1000

LwpBlame *
lwp_blame_create(int nprocs)
{
	LwpBlame *blame = palloc0(sizeof(LwpBlame));
	uint32 size = pg_nextpower2_32((uint32) nprocs * 2);

	blame->waiters = palloc(sizeof(LwpWaiter) * (Size) nprocs);
	blame->mask = size - 1;
	blame->wanted = palloc0(sizeof(Wanted) * (Size) size);
	blame->holders = palloc(sizeof(Holder) * (Size) nprocs * LWP_STACK_SIZE);
	blame->seen = palloc(sizeof(LwpObservation) * (Size) nprocs);
	blame->looked = palloc0(sizeof(bool) * (Size) nprocs);
	blame->alive = palloc0(sizeof(bool) * (Size) nprocs);
	return blame;
}

void
lwp_blame_begin(LwpBlame *blame)
{
	blame->n_waiters = 0;
}

void
lwp_blame_add(LwpBlame *blame, const LwpObservation *seen, const LwpQuery *query)
{
	LwpWaiter *waiter = &blame->waiters[blame->n_waiters++];

	waiter->seen = *seen;
	waiter->query = *query;
}

int
lwp_blame_waiters(const LwpBlame *blame, const LwpWaiter **waiters)
{
	*waiters = blame->waiters;
	return blame->n_waiters;
}

/* The entry of a lock in wanted[]; one is made if there is none and make is true. */
static Wanted *
find_wanted(const LwpBlame *blame, uintptr_t addr, bool make)
{
	uint32 i = (uint32) ((addr >> 4) * UINT64CONST(0x9e3779b97f4a7c15) >> 32) & blame->mask;

	while (blame->wanted[i].addr != 0 && blame->wanted[i].addr != addr)
		i = (i + 1) & blame->mask;
	if (blame->wanted[i].addr == 0)
	{
		if (!make)
			return NULL;
		blame->wanted[i].addr = addr;
		blame->wanted[i].first = -1;
		blame->wanted[i].n = 0;
	}
	return &blame->wanted[i];
}

/* A word whose address means the same in every process. */
static bool
has_address(LwpWord word)
{
	return lwp_word_addr(word) != 0 && lwp_in_main_shmem(lwp_word_addr(word));
}

static void
collect_holders(LwpBlame *blame, const LwpObserver *observer)
{
	LwpWord held[LWP_STACK_SIZE];

	blame->n_holders = 0;
	for (int i = 0; i < observer->n; i++)
	{
		const LwpProcCache *proc = &observer->procs[i];
		int n;

		if (proc->front == NULL || proc->front->level == 0 || proc->slot->pid != proc->pid)
			continue;
		n = lwp_slot_held(proc->slot, held);
		for (int k = 0; k < n; k++)
		{
			Wanted *wanted =
				has_address(held[k]) ? find_wanted(blame, lwp_word_addr(held[k]), false) : NULL;
			Holder *holder;

			if (wanted == NULL)
				continue;
			holder = &blame->holders[blame->n_holders];
			holder->proc = i;
			holder->mode = lwp_word_mode(held[k]);
			holder->next = wanted->first;
			wanted->first = blame->n_holders++;
			wanted->n++;
		}
	}
}

/* What a holder is doing; NULL when it is gone. */
static const LwpObservation *
look_at(LwpBlame *blame, LwpObserver *observer, int proc)
{
	if (!blame->looked[proc])
	{
		blame->looked[proc] = true;
		blame->alive[proc] = lwp_observe(observer, proc, true, &blame->seen[proc]);
	}
	return blame->alive[proc] ? &blame->seen[proc] : NULL;
}

/* wait_event_info of what a backend does; 0 on CPU.  A lock it sleeps for is its tranche. */
static uint32
doing(const LwpObservation *seen, int *tranche)
{
	if (seen->phase == LWP_PHASE_WAITING)
	{
		*tranche = seen->tranche;
		return PG_WAIT_LWLOCK;
	}
	*tranche = LWP_NO_TRANCHE;
	return seen->wait_event_info;
}

static void
charge_holders(LwpBlame *blame, LwpObserver *observer, const LwpWaiter *waiter,
			   const Wanted *wanted, uint64 weight)
{
	int tranche = waiter->seen.tranche;
	uint64 left = weight;

	for (int h = wanted ? wanted->first : -1, i = 0; h >= 0; h = blame->holders[h].next, i++)
	{
		const LwpObservation *seen = look_at(blame, observer, blame->holders[h].proc);
		uint64 share = weight / (uint64) wanted->n;
		LwpQuery query;
		LwpKey key;
		int waits_for;
		uint32 event;

		if (seen == NULL)
			continue;
		query = lwp_observe_query(observer, seen);
		event = doing(seen, &waits_for);
		key = lwp_holders_key(tranche, blame->holders[h].mode, seen->backend_type, event, waits_for,
							  query.id);
		lwp_table_add(lwp_tables[LWP_TABLE_HOLDERS], &key, share);
		left -= share;
	}
	if (left > 0 && (wanted == NULL || left > (uint64) wanted->n))
	{
		LwpKey key = lwp_holders_key(tranche, LWP_HOLDER_NONE, 0, 0, LWP_NO_TRANCHE, 0);

		lwp_table_add(lwp_tables[LWP_TABLE_HOLDERS], &key, left);
	}
}

/*
 * Follow a waiter to what it waits for in the end.  Where several hold a lock,
 * the time is divided, and each way is a chain of its own.
 */
static void
charge_chain(LwpBlame *blame, LwpObserver *observer, LwpWord word, const LwpChain *so_far,
			 const int *visited, int depth, uint64 weight)
{
	LwpChain chain = *so_far;
	const Wanted *wanted =
		has_address(word) ? find_wanted(blame, lwp_word_addr(word), false) : NULL;
	bool followed = false;

	chain.tranche[chain.n++] = lwp_word_tranche(word);
	for (int h = wanted ? wanted->first : -1; h >= 0; h = blame->holders[h].next)
	{
		int proc = blame->holders[h].proc;
		const LwpObservation *seen = look_at(blame, observer, proc);
		uint64 share = weight / (uint64) wanted->n;
		LwpChain next = chain;
		int path[LWP_CHAIN_LOCKS + 1];
		LwpKey key;
		int waits_for;

		if (seen == NULL)
			continue;
		followed = true;
		next.root_event = doing(seen, &waits_for);
		next.root_backend_type = seen->backend_type;
		next.root_query = lwp_observe_query(observer, seen).id;
		next.end = LWP_CHAIN_ROOT;
		if (waits_for != LWP_NO_TRANCHE)
		{
			for (int i = 0; i < depth; i++)
				if (visited[i] == proc)
					next.end = LWP_CHAIN_CYCLE;
			if (next.end == LWP_CHAIN_ROOT && chain.n < LWP_CHAIN_LOCKS && share >= SMALLEST_SHARE)
			{
				memcpy(path, visited, sizeof(int) * (Size) depth);
				path[depth] = proc;
				charge_chain(blame, observer, seen->word, &chain, path, depth + 1, share);
				continue;
			}
			if (next.end == LWP_CHAIN_ROOT)
				next.end = LWP_CHAIN_CUT;
		}
		key = lwp_chains_key(&next);
		lwp_table_add(lwp_tables[LWP_TABLE_CHAINS], &key, share);
	}
	if (!followed)
	{
		LwpKey key;

		chain.end = LWP_CHAIN_NO_HOLDER;
		key = lwp_chains_key(&chain);
		lwp_table_add(lwp_tables[LWP_TABLE_CHAINS], &key, weight);
	}
}

void
lwp_blame_charge(LwpBlame *blame, LwpObserver *observer, uint64 weight)
{
	if (blame->n_waiters == 0)
		return;
	memset(blame->wanted, 0, sizeof(Wanted) * ((Size) blame->mask + 1));
	memset(blame->looked, 0, sizeof(bool) * (Size) observer->n);
	for (int i = 0; i < blame->n_waiters; i++)
		if (has_address(blame->waiters[i].seen.word))
			find_wanted(blame, lwp_word_addr(blame->waiters[i].seen.word), true);
	if (observer->detoured)
		collect_holders(blame, observer);
	for (int i = 0; i < blame->n_waiters; i++)
	{
		const LwpWaiter *waiter = &blame->waiters[i];
		LwpWord word = waiter->seen.word;
		const Wanted *wanted =
			has_address(word) ? find_wanted(blame, lwp_word_addr(word), false) : NULL;
		LwpChain chain = {0};

		charge_holders(blame, observer, waiter, wanted, weight);
		charge_chain(blame, observer, word, &chain, NULL, 0, weight);
	}
}

int
lwp_blame_a_holder(const LwpBlame *blame, int waiter)
{
	LwpWord word = blame->waiters[waiter].seen.word;
	const Wanted *wanted =
		has_address(word) ? find_wanted(blame, lwp_word_addr(word), false) : NULL;

	if (wanted == NULL || wanted->first < 0 || !blame->alive[blame->holders[wanted->first].proc])
		return 0;
	return blame->seen[blame->holders[wanted->first].proc].pid;
}
