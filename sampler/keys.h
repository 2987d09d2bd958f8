/*
 * keys.h
 *		Keys of the sampler's tables: who is charged for a slice of time.
 *
 *		profile		tranche, phase, mode, backend type, database
 *		waits		what an active backend does: CPU or a wait event, backend type
 *		queries		tranche (or none: all of a query's active time), query, database, user
 *		holders		tranche waited for, holder's mode, what the holder does, its query
 *		chains		tranches from the waiter to the root, what the root does
 *
 * Each key has three words (table.h); the layouts are below, lowest bits first.
 */
#ifndef LWP_KEYS_H
#define LWP_KEYS_H

#include "../extension/slot.h"
#include "table.h"

typedef enum LwpTableId
{
	LWP_TABLE_PROFILE,
	LWP_TABLE_WAITS,
	LWP_TABLE_QUERIES,
	LWP_TABLE_HOLDERS,
	LWP_TABLE_CHAINS,
	LWP_TABLES
} LwpTableId;

#define LWP_KEY_USED (UINT64CONST(1) << 63)

/* In place of a tranche index where there is no lock. */
#define LWP_NO_TRANCHE 0xFFFF

/*
 * What a row of the profile counts.  The first three are LwpPhase; a backend
 * is in at most one of them.  HOLDING is counted once per tranche and mode a
 * backend holds, besides.  ACTIVE is the denominator: all the time of active
 * backends, whatever they did, with no tranche.
 */
typedef enum LwpProfilePhase
{
	LWP_PROFILE_ACQUIRING = LWP_PHASE_ACQUIRING,
	LWP_PROFILE_WAITING = LWP_PHASE_WAITING,
	LWP_PROFILE_RELEASING = LWP_PHASE_RELEASING,
	LWP_PROFILE_HOLDING,
	LWP_PROFILE_ACTIVE
} LwpProfilePhase;

/* profile: tranche 32, mode 16, phase 15 | backend type | database */
static inline LwpKey
lwp_profile_key(int tranche, LwpProfilePhase phase, int mode, uint32 backend_type, Oid database)
{
	LwpKey key = {{LWP_KEY_USED | ((uint64) phase << 48) | ((uint64) mode << 32) | (uint32) tranche,
				   backend_type, database}};

	return key;
}

static inline int
lwp_profile_tranche(const LwpKey *key)
{
	return (int) (uint32) key->word[0];
}

static inline LwpProfilePhase
lwp_profile_phase(const LwpKey *key)
{
	return (LwpProfilePhase) ((key->word[0] >> 48) & 0x7FFF);
}

static inline int
lwp_profile_mode(const LwpKey *key)
{
	return (int) ((key->word[0] >> 32) & 0xFFFF);
}

static inline uint32
lwp_profile_backend_type(const LwpKey *key)
{
	return (uint32) key->word[1];
}

static inline Oid
lwp_profile_database(const LwpKey *key)
{
	return (Oid) key->word[2];
}

/* waits: wait_event_info 32 (0: on CPU), backend type 16 | tranche, if it is one | 0 */
static inline LwpKey
lwp_waits_key(uint32 wait_event_info, int tranche, uint32 backend_type)
{
	LwpKey key = {
		{LWP_KEY_USED | ((uint64) backend_type << 32) | wait_event_info, (uint64) tranche, 0}};

	return key;
}

static inline uint32
lwp_waits_event(const LwpKey *key)
{
	return (uint32) key->word[0];
}

static inline uint32
lwp_waits_backend_type(const LwpKey *key)
{
	return (uint32) ((key->word[0] >> 32) & 0xFFFF);
}

static inline int
lwp_waits_tranche(const LwpKey *key)
{
	return (int) key->word[1];
}

/* queries: tranche 16, backend type 16, command 8 | query | database 32, user 32 */
static inline LwpKey
lwp_queries_key(int tranche, uint32 backend_type, int command, uint64 query, Oid database, Oid user)
{
	LwpKey key = {
		{LWP_KEY_USED | ((uint64) command << 32) | ((uint64) backend_type << 16) | (uint16) tranche,
		 query, ((uint64) user << 32) | database}};

	return key;
}

static inline int
lwp_queries_tranche(const LwpKey *key)
{
	return (int) (key->word[0] & 0xFFFF);
}

static inline uint32
lwp_queries_backend_type(const LwpKey *key)
{
	return (uint32) ((key->word[0] >> 16) & 0xFFFF);
}

static inline int
lwp_queries_command(const LwpKey *key)
{
	return (int) ((key->word[0] >> 32) & 0xFF);
}

static inline uint64
lwp_queries_query(const LwpKey *key)
{
	return key->word[1];
}

static inline Oid
lwp_queries_database(const LwpKey *key)
{
	return (Oid) key->word[2];
}

static inline Oid
lwp_queries_user(const LwpKey *key)
{
	return (Oid) (key->word[2] >> 32);
}

/* Mode of a holder nobody knows: the lock was free again, or is in dynamic shared memory. */
#define LWP_HOLDER_NONE 7

/*
 * holders: tranche waited for 16, holder's mode 3, holder's backend type 16 |
 * holder's wait_event_info 32 (0: on CPU), tranche the holder waits for 16 |
 * holder's query
 */
static inline LwpKey
lwp_holders_key(int tranche, int mode, uint32 backend_type, uint32 wait_event_info,
				int holder_tranche, uint64 query)
{
	LwpKey key = {
		{LWP_KEY_USED | ((uint64) backend_type << 19) | ((uint64) mode << 16) | (uint16) tranche,
		 ((uint64) (uint16) holder_tranche << 32) | wait_event_info, query}};

	return key;
}

static inline int
lwp_holders_tranche(const LwpKey *key)
{
	return (int) (key->word[0] & 0xFFFF);
}

static inline int
lwp_holders_mode(const LwpKey *key)
{
	return (int) ((key->word[0] >> 16) & 0x7);
}

static inline uint32
lwp_holders_backend_type(const LwpKey *key)
{
	return (uint32) ((key->word[0] >> 19) & 0xFFFF);
}

static inline uint32
lwp_holders_event(const LwpKey *key)
{
	return (uint32) key->word[1];
}

static inline int
lwp_holders_holder_tranche(const LwpKey *key)
{
	return (int) (uint16) (key->word[1] >> 32);
}

static inline uint64
lwp_holders_query(const LwpKey *key)
{
	return key->word[2];
}

/* Locks a chain is told apart by; a longer one is cut, and says so. */
#define LWP_CHAIN_LOCKS 4

typedef enum LwpChainEnd
{
	LWP_CHAIN_ROOT = 1,  /* the last holder waits for no lightweight lock */
	LWP_CHAIN_NO_HOLDER, /* the last lock had no holder any more, or none is known */
	LWP_CHAIN_CUT,       /* it goes on */
	LWP_CHAIN_CYCLE      /* it comes back to itself: two moments seen as one */
} LwpChainEnd;

typedef struct LwpChain
{
	int n;
	int tranche[LWP_CHAIN_LOCKS]; /* from the waiter on */
	LwpChainEnd end;
	uint32 root_event; /* wait_event_info of the root, 0: on CPU */
	uint32 root_backend_type;
	uint64 root_query;
} LwpChain;

/*
 * chains: tranche 14 x 4, n 3, end 3 | wait_event_info 32, backend type 16 |
 * query
 */
static inline LwpKey
lwp_chains_key(const LwpChain *chain)
{
	LwpKey key = {{LWP_KEY_USED | ((uint64) chain->end << 59) | ((uint64) chain->n << 56),
				   ((uint64) chain->root_backend_type << 32) | chain->root_event,
				   chain->root_query}};

	for (int i = 0; i < chain->n; i++)
		key.word[0] |= (uint64) (chain->tranche[i] & 0x3FFF) << (14 * i);
	return key;
}

static inline LwpChain
lwp_chains_unpack(const LwpKey *key)
{
	LwpChain chain = {.n = (int) ((key->word[0] >> 56) & 0x7),
					  .end = (LwpChainEnd) ((key->word[0] >> 59) & 0x7),
					  .root_event = (uint32) key->word[1],
					  .root_backend_type = (uint32) (uint16) (key->word[1] >> 32),
					  .root_query = key->word[2]};

	for (int i = 0; i < chain.n && i < LWP_CHAIN_LOCKS; i++)
		chain.tranche[i] = (int) ((key->word[0] >> (14 * i)) & 0x3FFF);
	return chain;
}

#endif /* LWP_KEYS_H */
