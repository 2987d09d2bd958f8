/*
 * logwriter.h
 *		The thread that turns log records into files.
 *
 * It writes pgbench's per-transaction lines, or with an interval pgbench's
 * aggregate lines, either into one file in order of time (the default of
 * lwbench) or into one file per thread (--log-per-thread, and the default
 * under the name pgbench).
 *
 * A write that fails is reported once; the lines lost from then on are counted
 * and the run's exit code is 2.
 */
#ifndef LWP_LOGWRITER_H
#define LWP_LOGWRITER_H

#include <pthread.h>
#include <stdio.h>

#include "logring.h"
#include "stats.h"

typedef struct LwpLogConfig
{
	const char *prefix; /* files are prefix.pid and prefix.pid.thread */
	bool per_thread;
	bool drop_when_full;
	int agg_interval;  /* s; 0 writes one line per transaction */
	bool agg_partial;  /* write the last, unfinished interval too */
	bool with_lag;     /* -R */
	bool with_limit;   /* -L */
	bool with_retries; /* --max-tries is not 1 */
	bool detailed;     /* --failures-detailed */
	bool with_other;   /* columns of --continue-on-error (pgbench 19) */
} LwpLogConfig;

/* Sums of one aggregate interval, in microseconds as pgbench writes them. */
typedef struct LwpAggregate
{
	int64_t start; /* Unix s */
	int64_t done;
	int64_t skipped;
	int64_t retried;
	int64_t retries;
	int64_t failed[LWP_NFAILURES];
	double lat[4]; /* sum, sum of squares, min, max */
	double lag[4];
	bool any;
} LwpAggregate;

typedef struct LwpLogFile
{
	int fd;
	char *path;
	char *buf;
	size_t len;
	LwpAggregate agg;
	int64_t lines; /* handed to the system */
} LwpLogFile;

typedef struct LwpLogWriter
{
	LwpLogConfig cfg;
	LwpLogRing *ring; /* one per worker thread */
	int nrings;
	LwpLogFile *file; /* one, or one per ring */
	int nfiles;
	int64_t agg_origin; /* monotonic ns of GO; 0 before */

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	_Atomic int sleeping;
	_Atomic int finish; /* producers are done: write the rest and end */
	_Atomic int broken; /* a write failed */
	int64_t lost;       /* lines not written because of that */
	char error[512];
} LwpLogWriter;

/*
 * Opens the files (false after a message) and starts the thread.  pid is part
 * of the names.
 */
extern bool lwp_logwriter_start(LwpLogWriter *w, const LwpLogConfig *cfg, int nthreads, int pid);

/* GO at this monotonic time: the first aggregate interval begins here. */
extern void lwp_logwriter_go(LwpLogWriter *w, int64_t go);

/* Writes what is left and closes.  The producers have ended. */
extern void lwp_logwriter_stop(LwpLogWriter *w);
extern void lwp_logwriter_free(LwpLogWriter *w);

/* "skipped", "failed" or the kind of failure, as it stands in the log. */
extern const char *lwp_log_result_name(int result, bool detailed);

/* One line of each kind, for the writer and its tests; out has 512 bytes. */
extern size_t
lwp_log_format(char *out, const LwpLogConfig *cfg, const LwpLogRecord *rec, int64_t epoch_shift);
extern size_t lwp_log_format_aggregate(char *out, const LwpLogConfig *cfg, const LwpAggregate *a);

#endif
