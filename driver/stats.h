/*
 * stats.h
 *		What is counted while scripts run.
 *
 * Each thread has its own set and nobody else writes to it, so no event is
 * ever lost; sets are merged after the threads have ended, and added up while
 * they run for progress reports (see hist.h for what a reader sees).
 *
 * Identities (asserted by tests):
 *	transactions started or due = done + skipped + sum of failed[]
 *	latency.count == done, service.count == done (when kept)
 *	retries >= retried
 */
#ifndef LWP_STATS_H
#define LWP_STATS_H

#include "hist.h"

/* Why a transaction failed without ending its client. */
typedef enum LwpFailure
{
	LWP_FAIL_SERIALIZATION,
	LWP_FAIL_DEADLOCK,
	LWP_FAIL_OTHER,      /* --continue-on-error */
	LWP_FAIL_CONNECTION, /* --reconnect-on-failure */
	LWP_NFAILURES
} LwpFailure;

typedef struct LwpStats
{
	_Atomic int64_t done;    /* completed with success */
	_Atomic int64_t skipped; /* not begun, more than the latency limit late */
	_Atomic int64_t retried; /* transactions that needed another try */
	_Atomic int64_t retries; /* those further tries */
	_Atomic int64_t late;    /* done, but above the latency limit */
	_Atomic int64_t failed[LWP_NFAILURES];
	LwpHist latency; /* from the intended start (the real one without a schedule) */
	LwpHist service; /* from the real start; kept with a schedule only */
	LwpHist lag;     /* real start - intended start; kept with a schedule only */
	bool scheduled;
} LwpStats;

extern void lwp_stats_init(LwpStats *s, bool scheduled);
extern void lwp_stats_free(LwpStats *s);
extern void lwp_stats_clear(LwpStats *s);
extern void lwp_stats_merge(LwpStats *into, const LwpStats *from);

/* As merge, while from is still written to (see lwp_hist_snapshot). */
extern void lwp_stats_snapshot(LwpStats *into, const LwpStats *from);
extern int64_t lwp_stats_failures(const LwpStats *s);

/* done + skipped + failed: every transaction that was due. */
extern int64_t lwp_stats_all(const LwpStats *s);

/* Per command, with -r. */
typedef struct LwpCmdStats
{
	LwpHist time;
	int64_t failures; /* transactions that failed here for good */
	int64_t retries;  /* tries that ended here and were repeated */
} LwpCmdStats;

/*
 * Jain's fairness index of n shares: (sum x)^2 / (n * sum x^2), 1 when all are
 * equal, 1/n when one has everything (R. Jain, D. Chiu, W. Hawe, DEC-TR-301,
 * 1984).  1 for no shares or all zero.
 */
extern double lwp_jain(const int64_t *x, int n);

#endif
