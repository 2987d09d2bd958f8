/*
 * run.h
 *		One benchmark run: its threads, their clients, its clock.
 *
 * Who may touch what
 *	- LwpRun: set up before the threads start; go, measure_from and deadline
 *	  are written before GO is announced under the lock; the atomics by anyone.
 *	- LwpWorker and its clients: by its own thread from start to end.  The main
 *	  thread looks at stats (see stats.h) and, after joining, at everything.
 *
 * Life of a run
 *	1. every worker connects its clients, many at a time, without blocking;
 *	2. each reports at the barrier how many it has; nothing is counted yet;
 *	3. the main thread sets the clock and announces GO;
 *	4. workers run until the deadline, the transaction count or a stop, and
 *	   note when they began and ended;
 *	5. the main thread joins them and merges what they counted.
 */
#ifndef LWP_RUN_H
#define LWP_RUN_H

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>

#include "clock.h"
#include "logwriter.h"
#include "mem.h"
#include "options.h"
#include "stats.h"
#include "timers.h"

typedef enum LwpState
{
	/* getting a connection */
	LWP_ST_CONNECT_WAIT, /* for its turn, or until the next try */
	LWP_ST_CONNECTING,
	LWP_ST_SESSION_SQL, /* --init-sql is being executed */
	LWP_ST_CONNECTED,   /* waits for GO */
	/* running scripts */
	LWP_ST_CHOOSE,
	LWP_ST_THROTTLE, /* until the intended start */
	LWP_ST_START,
	LWP_ST_COMMAND,
	LWP_ST_PREPARE, /* waits for the answer to Parse */
	LWP_ST_RESULT,  /* waits for the answer to a query or a pipeline */
	LWP_ST_SLEEP,
	LWP_ST_SHELL,
	LWP_ST_COMMAND_END,
	/* after an error that does not end the client */
	LWP_ST_DRAIN, /* reads the rest of the answer */
	LWP_ST_ERROR,
	LWP_ST_DISCARD, /* reads up to the end of an aborted pipeline */
	LWP_ST_ROLLBACK,
	LWP_ST_END,
	/* final */
	LWP_ST_ABORTED,
	LWP_ST_FINISHED
} LwpState;

/* Outcome of a transaction so far. */
typedef enum LwpErr
{
	LWP_ERR_NONE = -1,
	LWP_ERR_SERIALIZATION = LWP_FAIL_SERIALIZATION,
	LWP_ERR_DEADLOCK = LWP_FAIL_DEADLOCK,
	LWP_ERR_OTHER_SQL = LWP_FAIL_OTHER,
	LWP_ERR_CONNECTION = LWP_FAIL_CONNECTION,
	LWP_ERR_META
} LwpErr;

/* A child process of \shell or \setshell. */
typedef struct LwpShell
{
	int pid;
	int pidfd;
	int out; /* read end of its standard output, -1 without */
	LwpStr text;
} LwpShell;

typedef struct LwpClient
{
	/* first: a timer is turned back into its client; threads share no cache line */
	_Alignas(64) LwpTimer timer;
	PGconn *con;
	LwpState state;
	int id;
	int script;
	int cmd;
	LwpErr err;
	bool io_ready;     /* there may be something to read */
	bool maybe_unread; /* the last read may have left something */
	bool want_write;   /* output waits for the socket */
	bool ssl;
	bool queued;  /* in the worker's list of runnable clients */
	bool waited;  /* for the network, in this transaction */
	bool initial; /* connecting before GO */
	bool resumed; /* back from PREPARE: the command has begun already */
	struct LwpClient *next_ready;

	LwpPrng rng;       /* of the script's functions */
	LwpPrng rng_saved; /* as it was when the transaction began */
	LwpVars vars;

	int64_t scheduled; /* intended start, monotonic ns */
	int64_t begin;     /* real start */
	int64_t cmd_begin;
	int64_t count; /* transactions, of any outcome */
	uint32_t tries;

	PGresult *held; /* a result whose successor is not known yet */
	int nresults;   /* of this command, seen so far */
	int syncs;      /* pipeline syncs without an answer */
	bool sync_seen;
	unsigned char *prepared; /* by number of statement */
	bool abort_after_drain;

	int fd;          /* as known to epoll; -1: not registered */
	uint32_t events; /* registered */
	int64_t connect_begin;
	int connect_tries;  /* failed in a row */
	int64_t connect_ns; /* the initial connection's; -1 without one */
	LwpShell *shell;
} LwpClient;

typedef struct LwpWorker
{
	/* hot, own thread only */
	struct LwpRun *run;
	const LwpOptions *o;
	LwpClient *client;
	int nclients;
	int id;
	int epfd;
	int wakefd; /* eventfd: a stop was asked for */
	int live;   /* clients that are not in a final state */
	LwpClient *ready_head;
	LwpClient *ready_tail;
	LwpTimers timers;
	LwpPrng rng_choose;
	LwpPrng rng_throttle;
	LwpPrng rng_sample;
	LwpArrivals arrivals;
	LwpLogRing *ring; /* NULL without log */
	LwpStr sql;       /* scratch */

	LwpStats stats;
	LwpStats *script_stats;  /* with several scripts */
	LwpCmdStats **cmd_stats; /* -r: [script][command] */

	/* connecting */
	int connecting;   /* tries under way */
	int waiting_turn; /* index of the next client that has not begun */
	int connect_limit;
	int initial_left;     /* clients without an outcome yet */
	int connect_failed;   /* clients that never got a connection */
	char *connect_error;  /* the last reason */
	int64_t reconnects;   /* --reconnect-on-failure: connections made anew */
	LwpHist connect_time; /* every connection made */
	int64_t connect_sum;  /* with -C: connecting and disconnecting, ns */

	/* time */
	int64_t started;     /* first instruction after GO */
	int64_t ended;       /* last client final */
	int64_t cpu_ns;      /* CPU used between the two */
	int64_t window_done; /* done when the first thread ended, see report */
	bool window_taken;
	int64_t abandoned; /* transactions cut off by a stop */
	bool stopping;
	int64_t stop_at;
	int aborted; /* clients */

	pthread_t thread;
} LwpWorker;

enum
{
	LWP_STOP_NONE,
	LWP_STOP_SOFT, /* let running transactions end, for a while */
	LWP_STOP_HARD  /* at once */
};

typedef struct LwpRun
{
	const LwpOptions *o;
	int nclients;
	int nthreads;
	LwpWorker **worker;
	LwpClient *client;
	LwpLogWriter *log; /* NULL without */

	/* monotonic ns; fixed before GO */
	int64_t begun; /* threads started */
	int64_t go;
	int64_t measure_from; /* go + warm-up */
	int64_t deadline;     /* 0 with -t */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	int notify;  /* eventfd: a worker has arrived or ended */
	int arrived; /* workers at the barrier */
	int over;    /* workers that have ended */
	bool go_announced;
	bool cancelled; /* before GO */

	_Alignas(64) _Atomic int stop; /* LWP_STOP_* */
	_Atomic int64_t first_end;     /* when the first thread ended in good order; 0 before */
	_Atomic int abort_thread;      /* thread of the abort that ended the run, -1 */
} LwpRun;

/* True when no further transaction is to begin. */
static inline bool
lwp_run_over(const LwpRun *r, int64_t *now)
{
	if (atomic_load_explicit(&r->stop, memory_order_relaxed) != LWP_STOP_NONE)
		return true;
	return r->deadline != 0 && lwp_now_lazy(now) >= r->deadline;
}

/* Asks all threads to stop; never takes a stop back. */
extern void lwp_run_stop(LwpRun *r, int how);

#endif
