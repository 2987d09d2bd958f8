/*
 * spin.h
 *		Spinlocks whose first try failed, by the place in the code that wanted one.
 *
 * The server's s_lock() returns with the spinlock held, so nothing is written
 * to shared memory there: the process keeps the last event to itself and adds
 * it to the shared table when it next comes by without holding a spinlock.
 */
#ifndef LWP_SPIN_H
#define LWP_SPIN_H

#include "postgres.h"

#include "port/atomics.h"

#include "slot.h"

#define LWP_SPIN_SITES    128
#define LWP_SPIN_NAME_MAX 48

/* A place in the code.  Counts since server start; the base is what they were at the last reset. */
typedef struct LwpSpinSite
{
	pg_atomic_uint32 state; /* 0 free, 1 being written, 2 valid: as in nametable.h */
	int32 line;
	char file[LWP_SPIN_NAME_MAX]; /* without directories */
	char function[LWP_SPIN_NAME_MAX];
	pg_atomic_uint64 entries;
	pg_atomic_uint64 delays; /* sleeps between tries */
	pg_atomic_uint64 time;   /* ns */
	uint64 base_entries;     /* guarded by lwp_shared->lock */
	uint64 base_delays;
	uint64 base_time;
} LwpSpinSite;

typedef struct LwpSpinTable
{
	pg_atomic_uint64 lost; /* events of sites that found no room */
	uint64 base_lost;      /* at the last reset */
	LwpSpinSite sites[LWP_SPIN_SITES];
} LwpSpinTable;

extern LWP_HIDDEN LwpSpinTable *lwp_spin;

extern LWP_HIDDEN Size lwp_spin_shmem_size(void);
extern LWP_HIDDEN void lwp_spin_attach(void *base, bool found);

/* Before s_lock(): write down what is pending, find the site.  NULL when there is no room for it. */
extern LWP_HIDDEN LwpSpinSite *lwp_spin_site(const char *file, int line, const char *function);

/* After s_lock(), with the spinlock held. */
extern LWP_HIDDEN void lwp_spin_note(LwpSpinSite *site, int delays, uint64 ns);

/* Write down what is pending.  Not to be called while a spinlock is held. */
extern LWP_HIDDEN void lwp_spin_flush(void);

/* For pg_lwprof_reset(), which holds lwp_shared->lock. */
extern LWP_HIDDEN void lwp_spin_reset(void);

/* What happened at a site since the last reset. */
typedef struct LwpSpinRow
{
	char file[LWP_SPIN_NAME_MAX];
	char function[LWP_SPIN_NAME_MAX];
	int line;
	uint64 entries;
	uint64 delays;
	uint64 time; /* ns */
} LwpSpinRow;

/* Copy the sites that were entered; rows has LWP_SPIN_SITES entries.  Takes lwp_shared->lock. */
extern LWP_HIDDEN int lwp_spin_read(LwpSpinRow *rows);

/* Events since the last reset of sites that found no room. */
extern LWP_HIDDEN uint64 lwp_spin_lost(void);

#endif /* LWP_SPIN_H */
