/*
 * worker.h
 *		One thread's loop, and what the client's parts need of it.
 */
#ifndef LWP_WORKER_H
#define LWP_WORKER_H

#include "run.h"

/* What an epoll event is about, in the low bits of its data. */
enum
{
	LWP_EV_SOCKET = 0,
	LWP_EV_SHELL_OUT = 1,
	LWP_EV_SHELL_EXIT = 2,
	LWP_EV_MASK = 3
};

/* pthread start routine; arg is the LwpWorker. */
extern void *lwp_worker_main(void *arg);

/* Puts the client at the end of the list of those that can go on. */
extern void lwp_worker_ready(LwpWorker *w, LwpClient *c);

/*
 * Registers the connection's socket for these epoll events.  libpq may have
 * replaced the socket since the last call.
 */
extern void lwp_worker_watch(LwpWorker *w, LwpClient *c, uint32_t events);

/* Registers another descriptor of the client; ends the program on failure. */
extern void lwp_worker_watch_fd(LwpWorker *w, int fd, LwpClient *c, int what);

/* Calls advance for the client when this time has come. */
static inline void
lwp_worker_wake_at(LwpWorker *w, LwpClient *c, int64_t at)
{
	lwp_timers_set(&w->timers, &c->timer, at);
}

#endif
