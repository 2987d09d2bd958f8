/*
 * progress.h
 *		What is shown and kept while a run goes on.
 *
 * The main thread adds up the threads' counters (stats.h says what it may see)
 * at each tick; the difference between two ticks is a line of --progress, an
 * entry of the per-second series or a step of the bar.
 */
#ifndef LWP_PROGRESS_H
#define LWP_PROGRESS_H

#include "result.h"
#include "run.h"

typedef struct LwpProgress
{
	const LwpOptions *o;
	const LwpRun *run;
	LwpResult *res;

	bool lines;  /* --progress */
	bool series; /* --json */
	bool bar;
	LwpStats line_last;
	LwpStats second_last;
	LwpStats now;
	LwpHist diff;
	int64_t line_at; /* monotonic ns of the last line */
	int64_t second_at;
	int64_t next_line;
	int64_t next_second;
	int64_t next_bar;
	bool bar_shown;
} LwpProgress;

/* At GO. */
extern void lwp_progress_begin(LwpProgress *p, const LwpRun *run, LwpResult *res);

/* When it wants to be called next, monotonic ns; INT64_MAX: never. */
extern int64_t lwp_progress_next(const LwpProgress *p);
extern void lwp_progress_tick(LwpProgress *p, int64_t now);

/* After the threads have ended: the rest of the series; removes the bar. */
extern void lwp_progress_end(LwpProgress *p, int64_t now);

#endif
