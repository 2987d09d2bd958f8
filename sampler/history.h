/*
 * history.h
 *		What every second was like: per lock, and for all active backends together.
 *
 * A ring of records.  Each second that was looked at begins with a header
 * (tranche LWP_NO_TRANCHE), followed by one record per lock that was used or
 * waited for in it.  A second without a header was not looked at: the sampler
 * was stopped, or recording was off.  A second in which nothing happened has a
 * header and no locks.
 */
#ifndef LWP_HISTORY_H
#define LWP_HISTORY_H

#include "postgres.h"

#include "../extension/counters.h"
#include "keys.h"
#include "observe.h"

/* Times in nanoseconds.  "Foreground" is client backends and their parallel workers. */
typedef struct LwpHistoryRecord
{
	int64 second;   /* seconds since 1970-01-01 UTC */
	uint32 tranche; /* index, or LWP_NO_TRANCHE for the header */
	uint32 locks;   /* header: how many records follow */
	union
	{
		struct
		{
			uint64 observed;
			uint64 unobserved;
			uint64 active; /* of all backends */
			uint64 active_foreground;
			uint64 passes;
			bool exact; /* detours: the exact counts are known */
		} all;
		struct
		{
			uint64 waiting;
			uint64 waiting_foreground;
			uint64 acquiring;
			uint64 holding_foreground;
			uint64 blocked; /* exact, like the next two */
			uint64 wait_time;
			uint64 acquires;
		} lock;
	};
} LwpHistoryRecord;

/* What a pass tells the history about: sums since the second began. */
typedef struct LwpSecond
{
	uint64 observed;
	uint64 unobserved;
	uint64 active;
	uint64 active_foreground;
	uint64 passes;
	struct LwpSecondLock
	{
		uint64 waiting;
		uint64 waiting_foreground;
		uint64 acquiring;
		uint64 holding_foreground;
	} * lock; /* by tranche index, max_tranches + 1 */
} LwpSecond;

/* Set up in the current memory context. */
extern LWP_HIDDEN LwpSecond *lwp_history_begin(void);

/* If a second is over, write it down and begin the next. */
extern LWP_HIDDEN void lwp_history_tick(LwpSecond *second, const LwpObserver *observer);

/* Forget what the second under way was like. */
extern LWP_HIDDEN void lwp_history_forget(LwpSecond *second);

#endif /* LWP_HISTORY_H */
