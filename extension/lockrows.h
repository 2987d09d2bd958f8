/*
 * lockrows.h
 *		Everything known about every lock, one row per wait_event.
 */
#ifndef LWP_LOCKROWS_H
#define LWP_LOCKROWS_H

#include "counters.h"
#include "details.h"

/*
 * Tranches of the same name are one row, as they are one wait_event in
 * pg_stat_activity.  Sampled times are nanoseconds; the foreground is client
 * backends and their parallel workers.
 */
typedef struct LwpLockRow
{
	const char *wait_event; /* NULL: the tranches beyond pg_lwprof.max_tranches */
	LwpTotal total;
	uint64 held;                        /* how many are held now */
	uint64 histogram[LWP_HIST_BUCKETS]; /* of wait times, all modes */
	uint64 waiting;                     /* sampled, all backends */
	uint64 waiting_foreground;
	uint64 holding_foreground;
} LwpLockRow;

typedef struct LwpLockRows
{
	int n;
	LwpLockRow *rows;
	uint64 active_foreground; /* sampled time of active foreground backends */
	uint64 observed;          /* wall-clock time the sampler has looked at */
	uint64 blocked;           /* of all rows together */
	uint64 unmatched_releases;
} LwpLockRows;

/* Read it all; palloc'd in the current context. */
extern LWP_HIDDEN LwpLockRows *lwp_lock_rows(void);

#endif /* LWP_LOCKROWS_H */
