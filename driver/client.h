/*
 * client.h
 *		The state machine of one client, split by what it deals with.
 *
 * A step function returns true when the client can go on at once (its state
 * has changed) and false when it has to wait for the network, a timer or a
 * child process; by then it has arranged to be woken.  *now is the time of the
 * step, 0 while nobody has looked at the clock.
 */
#ifndef LWP_CLIENT_H
#define LWP_CLIENT_H

#include "worker.h"

/* client.c: runs the client until it has to wait. */
extern void lwp_client_advance(LwpWorker *w, LwpClient *c);

/* Ends the client because of an error whose message was printed. */
extern bool lwp_client_abort(LwpWorker *w, LwpClient *c);
extern bool lwp_client_finish(LwpWorker *w, LwpClient *c);

/*
 * The connection is gone in the middle of a transaction.  what was printed or
 * is NULL.  Ends the client, or with --reconnect-on-failure the transaction.
 */
extern bool lwp_client_lost(LwpWorker *w, LwpClient *c, int64_t *now, const char *what);

/* Closes the connection and forgets what belonged to it. */
extern void lwp_client_close(LwpWorker *w, LwpClient *c);

/* "client 3 aborted in command 4 (SQL) of script 0; message" */
extern void lwp_client_complain(const LwpClient *c, const char *what, const char *message);

/* connect.c */
extern bool lwp_connect_start(LwpWorker *w, LwpClient *c, int64_t now);
extern bool lwp_connect_step(LwpWorker *w, LwpClient *c);
extern bool lwp_connect_timeout(LwpWorker *w, LwpClient *c);
extern bool lwp_session_sql_step(LwpWorker *w, LwpClient *c);

/* exec_sql.c */
extern bool lwp_sql_start(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, int64_t *now);
extern bool lwp_sql_prepare_pipeline(LwpWorker *w, LwpClient *c, bool *ready);
extern bool lwp_sql_prepared(LwpWorker *w, LwpClient *c, int64_t *now);
extern bool lwp_sql_result(LwpWorker *w, LwpClient *c, int64_t *now);
extern bool lwp_sql_drain(LwpWorker *w, LwpClient *c, int64_t *now);
extern bool lwp_sql_discard(LwpWorker *w, LwpClient *c, int64_t *now);
extern bool lwp_sql_rollback(LwpWorker *w, LwpClient *c, int64_t *now);

/*
 * Sends what libpq still holds back.  False when the connection failed; waits
 * in the background when the socket is full.
 */
extern bool lwp_sql_flush(LwpWorker *w, LwpClient *c);

/*
 * Reads until a result can be had: 1 when PQgetResult will not block, 0 when
 * more must arrive first, -1 when the connection is broken.
 */
extern int lwp_sql_pump(LwpWorker *w, LwpClient *c);

/* Text with the values of the variables that are defined, in w->sql. */
extern const char *lwp_sql_fill(LwpWorker *w, LwpClient *c, const LwpPiece *piece, int npieces);

/* exec_meta.c */
extern bool lwp_meta_start(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, int64_t *now);

/* shell.c */
extern bool lwp_shell_start(LwpWorker *w, LwpClient *c, const LwpCommand *cmd);
extern void lwp_shell_event(LwpWorker *w, LwpClient *c, int what);
extern bool lwp_shell_step(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, bool *ok);
extern void lwp_shell_kill(LwpClient *c);

/* transaction.c: the bookkeeping of ends. */
extern void lwp_xact_record(LwpWorker *w, LwpClient *c, int64_t *now, bool skipped);
extern bool lwp_xact_can_retry(const LwpWorker *w, const LwpClient *c, int64_t *now);
extern void lwp_xact_verbose(const LwpWorker *w, const LwpClient *c, int64_t *now, bool retry);

#endif
