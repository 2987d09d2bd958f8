/*
 * profile.h
 *		Keys of the sampled profile: (tranche, phase, mode, backend type, database) -> time.
 */
#ifndef LWP_PROFILE_H
#define LWP_PROFILE_H

#include "../extension/slot.h"
#include "table.h"

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

static inline LwpKey
lwp_profile_key(int tranche, LwpProfilePhase phase, int mode, uint32 backend_type, Oid database)
{
	LwpKey key = {{((uint64) phase << 48) | ((uint64) mode << 32) | (uint32) tranche, backend_type,
				   database}};

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
	return (LwpProfilePhase) (key->word[0] >> 48);
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

#endif /* LWP_PROFILE_H */
