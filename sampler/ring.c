/*
 * ring.c
 *		A ring of records; the protocol is in ring.h.
 */
#include "postgres.h"

#include "port/atomics.h"
#include "utils/memutils.h"

#include "ring.h"

Size
lwp_ring_size(int capacity, Size record_size)
{
	return offsetof(LwpRing, records) + record_size * (Size) capacity;
}

void
lwp_ring_init(LwpRing *ring, int capacity, Size record_size)
{
	memset(ring, 0, offsetof(LwpRing, records));
	ring->capacity = (uint32) capacity;
	ring->record_size = (uint32) record_size;
}

static char *
record_at(LwpRing *ring, uint64 i)
{
	return ring->records + (Size) (i % ring->capacity) * ring->record_size;
}

void
lwp_ring_append(LwpRing *ring, const void *record)
{
	memcpy(record_at(ring, ring->head), record, ring->record_size);
	pg_write_barrier(); /* pairs with the first one in lwp_ring_read() */
	ring->head++;
}

void
lwp_ring_clear(LwpRing *ring, uint64 epoch)
{
	ring->start = ring->head;
	pg_write_barrier();
	ring->epoch = epoch;
}

int
lwp_ring_read(LwpRing *ring, uint64 epoch, void **records, uint64 *overwritten)
{
	uint64 head = ring->head;
	uint64 start;
	uint64 first;
	uint64 kept;
	char *copy;

	*records = NULL;
	*overwritten = 0;
	pg_read_barrier();
	if (ring->epoch != epoch)
		return 0;
	start = ring->start;
	first = head > ring->capacity ? Max(start, head - ring->capacity) : start;
	copy = MemoryContextAllocHuge(CurrentMemoryContext,
								  Max((Size) (head - first) * ring->record_size, 1));
	for (uint64 i = first; i < head; i++)
		memcpy(copy + (Size) (i - first) * ring->record_size, record_at(ring, i),
			   ring->record_size);
	pg_read_barrier();

	/* the record being written now may be torn, hence the one more */
	kept = first;
	if (ring->head + 1 > first + ring->capacity)
		kept = Min(ring->head + 1 - ring->capacity, head);
	*overwritten = kept - start;
	*records = copy + (Size) (kept - first) * ring->record_size;
	return (int) (head - kept);
}
