/*
 * logring.h
 *		Finished transactions on their way from one thread to the log writer.
 *
 * A ring of fixed size with one producer (the worker thread) and one consumer
 * (the writer thread).  The producer owns head, the consumer owns tail; both
 * count up for ever.
 *
 * Protocol
 *	1. producer: fills record[head % size], then stores head + 1 (release).
 *	2. consumer: loads head (acquire), reads records tail .. head - 1, then
 *	   stores the new tail (release).
 *	3. producer: a slot is free when head - tail (acquire) < size.
 *
 * floor is what lets the writer merge rings in time order.  It is a promise of
 * the producer: "what I push from now on has end >= floor".
 *	a. before it blocks, the producer stores LWP_FLOOR_IDLE;
 *	b. when it wakes, it stores 0 first and only then reads the clock, and then
 *	   stores that time.
 *	c. the writer reads the clock, then floor, then head.  If floor is
 *	   LWP_FLOOR_IDLE the producer had not woken by then, so its next clock
 *	   reading is later than the writer's: the writer's own time is a floor.
 * (b) and (c) are sequentially consistent, which closes the race "writer reads
 * IDLE - producer wakes and reads the clock - writer reads the clock".
 */
#ifndef LWP_LOGRING_H
#define LWP_LOGRING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What became of a transaction: LWP_LOG_DONE, skipped, or 2 + LwpFailure. */
enum
{
	LWP_LOG_DONE,
	LWP_LOG_SKIPPED,
	LWP_LOG_FAILED /* + LwpFailure */
};

typedef struct LwpLogRecord
{
	int64_t end;     /* monotonic ns */
	int64_t latency; /* ns */
	int64_t lag;     /* ns */
	int64_t number;  /* the client's transaction count, this one included */
	int32_t client;
	uint32_t tries;
	int16_t script;
	uint8_t result;
} LwpLogRecord;

#define LWP_FLOOR_IDLE INT64_MAX

/* A power of two: 64 K records, 3 MB a thread. */
#define LWP_RING_SIZE 65536

typedef struct LwpLogRing
{
	LwpLogRecord *record;

	/* producer's cache line */
	_Alignas(64) _Atomic uint64_t head;
	uint64_t known_tail;
	int64_t waited_lines; /* pushes that found the ring full */
	int64_t waited_ns;
	int64_t dropped;

	/* consumer's cache line */
	_Alignas(64) _Atomic uint64_t tail;

	/* written by the producer, once per wake-up */
	_Alignas(64) _Atomic int64_t floor;
} LwpLogRing;

struct LwpLogWriter;

extern void lwp_ring_init(LwpLogRing *r);
extern void lwp_ring_free(LwpLogRing *r);

/*
 * Room in a full ring: waits for the writer, or says no (the record is to be
 * dropped) when dropping was asked for or the writer gave up.  Slow path of
 * lwp_ring_push.
 */
extern bool lwp_ring_make_room(LwpLogRing *r, struct LwpLogWriter *w);

/* Wakes the writer when the ring has become half full. */
extern void lwp_ring_half_full(LwpLogRing *r, struct LwpLogWriter *w);

static inline void
lwp_ring_push(LwpLogRing *r, struct LwpLogWriter *w, const LwpLogRecord *rec)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (head - r->known_tail >= LWP_RING_SIZE / 2)
	{
		lwp_ring_half_full(r, w);
		if (head - r->known_tail >= LWP_RING_SIZE && !lwp_ring_make_room(r, w))
			return;
	}
	r->record[head & (LWP_RING_SIZE - 1)] = *rec;
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

/* Steps a and b of the protocol. */
static inline void
lwp_ring_sleep(LwpLogRing *r)
{
	atomic_store_explicit(&r->floor, LWP_FLOOR_IDLE, memory_order_release);
}

extern void lwp_ring_wake(LwpLogRing *r);

#endif
