/*
 * result.h
 *		What a run has found out: input of all reports.
 *
 * Rates
 *	window  the common window: from when the last thread began to when the
 *	        first one ended, so that every thread was at work all the time.
 *	tps     transactions completed in the window / its length.  When the window
 *	        is empty (a thread had nothing to do), it is that of the whole time.
 *	elapsed from the start of measuring to the end of the last thread: what
 *	        pgbench divides by.  whole_tps is done / elapsed.
 */
#ifndef LWP_RESULT_H
#define LWP_RESULT_H

#include "options.h"
#include "stats.h"

/* One line of the per-second series; times in s since the start of measuring. */
typedef struct LwpSecond
{
	double from;
	double to;
	int64_t done;
	int64_t failed;
	int64_t skipped;
	double mean; /* ns */
	int64_t p50;
	int64_t p99;
	int64_t max;
} LwpSecond;

typedef struct LwpThreadResult
{
	int clients;
	int64_t done;
	double started; /* s since the start of measuring; may be negative (warm-up) */
	double ended;
	double cpu; /* s */
} LwpThreadResult;

typedef struct LwpResult
{
	int nclients;  /* asked for */
	int connected; /* took part */
	int nthreads;
	LwpStats total;
	LwpStats *script;  /* NULL with one script */
	LwpCmdStats **cmd; /* NULL without -r */

	double elapsed;
	double whole_tps;
	double window;
	int64_t window_done;
	double tps;

	double connect_wall; /* s from starting the threads to GO */
	LwpHist connect_time;
	double connect_sum; /* s spent connecting and disconnecting in the run (-C) */
	int connect_failed;
	char *connect_error; /* one reason, NULL when all connected */
	int64_t reconnects;

	double cpu;         /* s, of all worker threads */
	double busiest;     /* CPU / wall-clock time of the busiest thread, 0..1 */
	double process_cpu; /* s, of the whole process between GO and the end */
	double fairness;    /* Jain's index over the clients' transactions */
	LwpThreadResult *thread;

	int64_t log_lines;
	int64_t log_waited;
	double log_waited_s;
	int64_t log_dropped;
	int64_t log_lost;
	char *log_path; /* of the first log file, NULL without a log */

	LwpSecond *second;
	int nseconds;

	int signal;        /* that ended the run, 0 */
	int64_t abandoned; /* transactions it cut off */
	int aborted;       /* clients */
	int abort_thread;  /* --exit-on-abort: thread of the first abort, -1 */
	bool began;        /* GO was given */
	int exit_code;

	struct LwpProfile *profile; /* of the timed window, NULL without */
} LwpResult;

extern void lwp_result_free(LwpResult *r, const LwpOptions *o);

/* text.c: the report on standard output. */
extern void lwp_report_text(const LwpOptions *o, const LwpResult *r);

#endif
