/*
 * dbconn.h
 *		Connections: what to connect to, and the blocking kind.
 *
 * Benchmark clients connect without blocking (connect.c); this is for the one
 * connection used before and beside a run, and for what both have in common.
 */
#ifndef LWP_DBCONN_H
#define LWP_DBCONN_H

#include <libpq-fe.h>
#include <stdbool.h>

typedef struct LwpConnParams
{
	const char *host;
	const char *port;
	const char *user;
	const char *dbname; /* or a connection string */
	const char *app_name;
	char *password; /* asked for on the first connection that wants one */
} LwpConnParams;

/* The PQconnectStartParams call with these parameters; NULL without memory. */
extern PGconn *lwp_connect_begin(const LwpConnParams *p);

/*
 * Waits until connected, asking for a password on the terminal if one is
 * needed.  NULL after a message.
 */
extern PGconn *lwp_connect(LwpConnParams *p);

/* Runs sql, which must return no rows; on failure prints and exits with 1. */
extern void lwp_must_exec(PGconn *con, const char *sql);

/* The same, but an error is only printed and ignored. */
extern void lwp_try_exec(PGconn *con, const char *sql);

/* First column of the first row, owned by the caller; NULL if there is none. */
extern char *lwp_query_text(PGconn *con, const char *sql);

/* Operating system user running this, for the default database. */
extern char *lwp_os_user(void);

#endif
