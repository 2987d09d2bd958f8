/*
 * ring.h
 *		A ring of fixed-size records with one writer and any number of readers.
 *
 *	1.	The writer fills the record at head % capacity, write barrier, then
 *		advances head.
 *	2.	A reader notes head, copies records below it, and then drops those that
 *		the head of that later moment may have overwritten.
 *
 * head only grows, so a reader also knows how much was lost to it by wrapping.
 */
#ifndef LWP_RING_H
#define LWP_RING_H

#include "postgres.h"

#include "../extension/slot.h"

typedef struct LwpRing
{
	volatile uint64 head;  /* records ever written */
	uint64 start;          /* head at the last reset; older records don't count */
	volatile uint64 epoch; /* reset epoch of what comes after start */
	uint32 capacity;
	uint32 record_size;
	uint64 unused;
	char records[FLEXIBLE_ARRAY_MEMBER];
} LwpRing;

extern LWP_HIDDEN Size lwp_ring_size(int capacity, Size record_size);
extern LWP_HIDDEN void lwp_ring_init(LwpRing *ring, int capacity, Size record_size);

/* Writer only: append a copy of the record; or forget all there is. */
extern LWP_HIDDEN void lwp_ring_append(LwpRing *ring, const void *record);
extern LWP_HIDDEN void lwp_ring_clear(LwpRing *ring, uint64 epoch);

/*
 * Copy what is there into a palloc'd array, oldest first; returns the number
 * of records.  *overwritten gets how many were lost to wrapping since the last
 * reset.
 */
extern LWP_HIDDEN int
lwp_ring_read(LwpRing *ring, uint64 epoch, void **records, uint64 *overwritten);

#endif /* LWP_RING_H */
