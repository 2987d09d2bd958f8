/*
 * spin.h
 *		Spinlocks whose first try failed, by the place in the code that wanted one.
 *
 * The places have names in a shared table.  What happened there is counted in
 * the backend's own slot: the server's s_lock() returns with the spinlock
 * held, and nobody else must wait because of us, so after it only the owner's
 * memory is written, and only the clock is read.
 */
#ifndef LWP_SPIN_H
#define LWP_SPIN_H

#include "postgres.h"

#include "port/atomics.h"

#include "slot.h"

#define LWP_SPIN_SITES    128
#define LWP_SPIN_NAME_MAX 48

/* Sites one slot can count. */
#define LWP_SPIN_SLOT_SITES 12

typedef struct LwpSpinCount
{
	uint32 site; /* one more than its number; 0 = free */
	uint32 unused;
	uint64 entries;
	uint64 delays; /* sleeps between tries */
	uint64 time;   /* ns */
} LwpSpinCount;

/* Part of a slot; written by its owner only, emptied by it when the reset epoch has changed. */
typedef struct LwpSpinCounts
{
	volatile uint64 epoch;
	uint64 lost; /* events of sites that found no room, here or in the shared table */
	LwpSpinCount sites[LWP_SPIN_SLOT_SITES];
} LwpSpinCounts;

extern LWP_HIDDEN Size lwp_spin_shmem_size(void);
extern LWP_HIDDEN void lwp_spin_attach(void *base, bool found);

/* Before s_lock(): where to count.  NULL when there is no room for the site, which is counted. */
extern LWP_HIDDEN LwpSpinCount *lwp_spin_site(const char *file, int line, const char *function);

/* After s_lock(), with the spinlock held. */
static inline void
lwp_spin_note(LwpSpinCount *count, int delays, uint64 ns)
{
	count->entries++;
	count->delays += (uint64) delays;
	count->time += ns;
}

/* What happened at a site since the last reset, in all slots. */
typedef struct LwpSpinRow
{
	char file[LWP_SPIN_NAME_MAX]; /* without directories */
	char function[LWP_SPIN_NAME_MAX];
	int line;
	uint64 entries;
	uint64 delays;
	uint64 time; /* ns */
} LwpSpinRow;

/* Sum up; rows has LWP_SPIN_SITES entries.  Returns how many sites there are; *lost see above. */
extern LWP_HIDDEN int lwp_spin_read(LwpSpinRow *rows, uint64 *lost);

#endif /* LWP_SPIN_H */
