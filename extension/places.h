/*
 * places.h
 *		Where an LWLock is: which element of which array in shared memory.
 */
#ifndef LWP_PLACES_H
#define LWP_PLACES_H

#include "compat.h"

#include "slot.h"

typedef enum LwpPlaceKind
{
	LWP_PLACE_SINGLE,    /* the only lock of its name */
	LWP_PLACE_PARTITION, /* of a partitioned hash table */
	LWP_PLACE_SLOT,      /* a WAL insertion lock */
	LWP_PLACE_BUFFER,    /* of a simple-LRU cache */
	LWP_PLACE_BACKEND,   /* in somebody's PGPROC; number is the pid, 0 if it is gone */
	LWP_PLACE_ELEMENT,   /* of a named tranche */
	LWP_PLACE_ADDRESS    /* nothing more than the address is known */
} LwpPlaceKind;

typedef struct LwpPlace
{
	LwpPlaceKind kind;
	int number; /* -1 where there is none */
} LwpPlace;

/* For an address in the main shared memory segment. */
extern LWP_HIDDEN LwpPlace lwp_place_of(uintptr_t addr, int tranche);

extern LWP_HIDDEN const char *lwp_place_kind_name(LwpPlaceKind kind);

#endif /* LWP_PLACES_H */
