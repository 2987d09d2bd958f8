/*
 * fakeserver.c
 *		A stand-in for a PostgreSQL server: speaks just enough of protocol 3.
 *
 * One thread, epoll, no storage: every query returns one row "1".  It serves
 * thousands of connections at a cost that leaves the CPU to the driver, and it
 * misbehaves on demand.
 *
 * usage: fakeserver DIR [option...]
 *	listens on DIR/.s.PGSQL.5432 until it gets SIGTERM
 *	--fail-after=N      FATAL and close at each connection's N-th query
 *	--close-after=N     close without a word at each connection's N-th query
 *	--garbage-after=N   answer that query with bytes that are no protocol
 *	--hang-after=N      never answer that query
 *	--refuse=N          refuse the first N connections: too many clients
 *	--refuse-after=N    refuse all connections after N were accepted
 *	--silent-connect=N  accept connections after N but never answer them
 *	--delay-us=N        answer queries this much later
 *	--rows=N            rows per answer (default 1)
 *	--pad=N             bytes per row (default 1)
 *	--error-every=N     every N-th query of a connection fails with 40001
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

typedef struct Buf
{
	char *data;
	size_t len;
	size_t cap;
} Buf;

typedef struct Conn
{
	int fd;
	bool started;
	bool silent;
	bool failed; /* in a failed pipeline or transaction: skip until Sync */
	bool in_block;
	long queries;
	Buf in;
	Buf out;
	size_t sent;
	int64_t due; /* when out may be sent; 0: now */
	struct Conn *next_due;
} Conn;

static struct
{
	long fail_after, close_after, garbage_after, hang_after, refuse, refuse_after, silent_connect;
	long delay_us, rows, pad, error_every;
} opt = {.rows = 1, .pad = 1, .refuse_after = -1, .silent_connect = -1};

static int ep;
static long accepted;
static Conn *due_head, *due_tail;

static int64_t
now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

static void
need(Buf *b, size_t n)
{
	if (b->len + n <= b->cap)
		return;
	b->cap = (b->len + n) * 2;
	b->data = realloc(b->data, b->cap);
	if (b->data == NULL)
		abort();
}

static void
add(Buf *b, const void *p, size_t n)
{
	need(b, n);
	memcpy(b->data + b->len, p, n);
	b->len += n;
}

static void
add32(Buf *b, uint32_t v)
{
	unsigned char c[4] = {v >> 24, v >> 16, v >> 8, v};

	add(b, c, 4);
}

static void
message(Buf *b, char type, const void *body, size_t n)
{
	add(b, &type, 1);
	add32(b, (uint32_t) n + 4);
	add(b, body, n);
}

static void
parameter(Buf *b, const char *name, const char *value)
{
	char body[256];
	size_t n = strlen(name) + 1;

	memcpy(body, name, n);
	memcpy(body + n, value, strlen(value) + 1);
	message(b, 'S', body, n + strlen(value) + 1);
}

static void
ready(Conn *c)
{
	char s = c->failed && c->in_block ? 'E' : c->in_block ? 'T' : 'I';

	message(&c->out, 'Z', &s, 1);
}

static void
error(Conn *c, const char *severity, const char *state, const char *text)
{
	char body[512];
	int n = snprintf(body, sizeof(body), "S%s%cV%s%cC%s%cM%s%c", severity, 0, severity, 0, state, 0,
					 text, 0);

	body[n] = '\0';
	message(&c->out, 'E', body, (size_t) n + 1);
}

static void
forget(Conn *c)
{
	close(c->fd);
	c->fd = -1;
	free(c->in.data);
	free(c->out.data);
	memset(&c->in, 0, sizeof(c->in));
	memset(&c->out, 0, sizeof(c->out));
}

static void
row_description(Conn *c)
{
	static const char body[] = "\0\1x\0\0\0\0\0\0\0\0\0\0\31\377\377\377\377\377\377\0\0";

	message(&c->out, 'T', body, sizeof(body) - 1);
}

static void
rows(Conn *c)
{
	size_t n = (size_t) opt.pad;
	char *body = malloc(6 + n);

	body[0] = 0;
	body[1] = 1;
	body[2] = (char) (n >> 24);
	body[3] = (char) (n >> 16);
	body[4] = (char) (n >> 8);
	body[5] = (char) n;
	memset(body + 6, '1', n);
	for (long i = 0; i < opt.rows; i++)
		message(&c->out, 'D', body, 6 + n);
	free(body);
}

static void
complete(Conn *c, const char *sql)
{
	if (strncasecmp(sql, "begin", 5) == 0)
	{
		c->in_block = true;
		message(&c->out, 'C', "BEGIN", 6);
	}
	else if (strncasecmp(sql, "end", 3) == 0 || strncasecmp(sql, "commit", 6) == 0)
	{
		c->in_block = false;
		message(&c->out, 'C', "COMMIT", 7);
	}
	else if (strncasecmp(sql, "rollback", 8) == 0)
	{
		c->in_block = c->failed = false;
		message(&c->out, 'C', "ROLLBACK", 9);
	}
	else
		message(&c->out, 'C', "SELECT 1", 9);
}

/* false when the connection is gone */
static bool
misbehave(Conn *c)
{
	c->queries++;
	if (opt.fail_after && c->queries == opt.fail_after)
	{
		error(c, "FATAL", "57P01", "terminating connection due to administrator command");
		if (write(c->fd, c->out.data, c->out.len) < 0)
			errno = 0;
		forget(c);
		return false;
	}
	if (opt.close_after && c->queries == opt.close_after)
	{
		forget(c);
		return false;
	}
	if (opt.garbage_after && c->queries == opt.garbage_after)
		add(&c->out, "\377\376garbage that is no protocol at all\0\1\2\3", 40);
	return true;
}

static bool
is_command(const char *sql)
{
	return strncasecmp(sql, "begin", 5) == 0 || strncasecmp(sql, "end", 3) == 0 ||
		   strncasecmp(sql, "commit", 6) == 0 || strncasecmp(sql, "rollback", 8) == 0;
}

static bool
fails(Conn *c)
{
	if (!opt.error_every || c->queries % opt.error_every != 0)
		return false;
	error(c, "ERROR", "40001", "could not serialize access");
	c->failed = true;
	return true;
}

/* one message of type with n bytes of body; false when the connection is gone */
static bool
handle(Conn *c, char type, const char *body, size_t n)
{
	switch (type)
	{
		case 'Q':
			if (!misbehave(c))
				return false;
			if (opt.hang_after && c->queries >= opt.hang_after)
				return true;
			if (!fails(c))
			{
				if (!is_command(body))
				{
					row_description(c);
					rows(c);
				}
				complete(c, body);
			}
			ready(c);
			if (!c->in_block)
				c->failed = false;
			break;
		case 'P':
			if (!c->failed)
				message(&c->out, '1', "", 0);
			break;
		case 'B':
			if (!misbehave(c))
				return false;
			if (!c->failed && !fails(c))
				message(&c->out, '2', "", 0);
			break;
		case 'D':
			if (!c->failed)
				row_description(c);
			break;
		case 'E':
			if (!c->failed)
			{
				rows(c);
				complete(c, "select");
			}
			break;
		case 'S':
			if (opt.hang_after && c->queries >= opt.hang_after)
				return true;
			ready(c);
			c->failed = false;
			break;
		case 'X':
			forget(c);
			return false;
		default:
			break;
	}
	(void) n;
	return true;
}

static uint32_t
get32(const char *p)
{
	const unsigned char *u = (const unsigned char *) p;

	return (uint32_t) u[0] << 24 | (uint32_t) u[1] << 16 | (uint32_t) u[2] << 8 | u[3];
}

static bool
startup(Conn *c, uint32_t code)
{
	if (code == 80877103 || code == 80877104)
	{
		add(&c->out, "N", 1);
		return true;
	}
	if (code == 80877102)
	{
		forget(c);
		return false;
	}
	c->started = true;
	accepted++;
	if (accepted <= opt.refuse || (opt.refuse_after >= 0 && accepted > opt.refuse_after))
	{
		error(c, "FATAL", "53300", "sorry, too many clients already");
		if (write(c->fd, c->out.data, c->out.len) < 0)
			errno = 0;
		forget(c);
		return false;
	}
	if (opt.silent_connect >= 0 && accepted > opt.silent_connect)
	{
		c->silent = true;
		return true;
	}
	message(&c->out, 'R', "\0\0\0\0", 4);
	parameter(&c->out, "server_version", "15.0 (fake)");
	parameter(&c->out, "client_encoding", "UTF8");
	parameter(&c->out, "standard_conforming_strings", "on");
	message(&c->out, 'K', "\0\0\0\1\0\0\0\2", 8);
	ready(c);
	return true;
}

static bool
parse(Conn *c)
{
	size_t at = 0;

	while (c->in.len - at >= 5 || (!c->started && c->in.len - at >= 8))
	{
		const char *p = c->in.data + at;
		size_t head = c->started ? 1 : 0;
		uint32_t len = get32(p + head);

		if (c->in.len - at < head + len)
			break;
		at += head + len;
		if (c->silent)
			continue;
		if (!c->started)
		{
			if (!startup(c, get32(p + 4)))
				return false;
		}
		else if (!handle(c, p[0], p + 5, len - 4))
			return false;
	}
	memmove(c->in.data, c->in.data + at, c->in.len - at);
	c->in.len -= at;
	return true;
}

static void
send_out(Conn *c)
{
	while (c->sent < c->out.len)
	{
		ssize_t n = write(c->fd, c->out.data + c->sent, c->out.len - c->sent);

		if (n < 0)
		{
			if (errno == EAGAIN)
			{
				struct epoll_event ev = {.events = EPOLLIN | EPOLLOUT, .data.ptr = c};

				epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &ev);
				return;
			}
			forget(c);
			return;
		}
		c->sent += (size_t) n;
	}
	c->out.len = c->sent = 0;
}

static void
input(Conn *c)
{
	ssize_t n;

	need(&c->in, 8192);
	n = read(c->fd, c->in.data + c->in.len, c->in.cap - c->in.len);
	if (n <= 0)
	{
		if (n < 0 && errno == EAGAIN)
			return;
		forget(c);
		return;
	}
	c->in.len += (size_t) n;
	if (!parse(c) || c->out.len == 0)
		return;
	if (opt.delay_us == 0)
	{
		send_out(c);
		return;
	}
	if (c->due != 0)
		return;
	c->due = now_us() + opt.delay_us;
	c->next_due = NULL;
	if (due_tail != NULL)
		due_tail->next_due = c;
	else
		due_head = c;
	due_tail = c;
}

static void
send_due(void)
{
	while (due_head != NULL && due_head->due <= now_us())
	{
		Conn *c = due_head;

		due_head = c->next_due;
		if (due_head == NULL)
			due_tail = NULL;
		c->due = 0;
		if (c->fd >= 0)
			send_out(c);
	}
}

int
main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		long *value;
	} options[] = {{"fail-after", &opt.fail_after},
				   {"close-after", &opt.close_after},
				   {"garbage-after", &opt.garbage_after},
				   {"hang-after", &opt.hang_after},
				   {"refuse", &opt.refuse},
				   {"refuse-after", &opt.refuse_after},
				   {"silent-connect", &opt.silent_connect},
				   {"delay-us", &opt.delay_us},
				   {"rows", &opt.rows},
				   {"pad", &opt.pad},
				   {"error-every", &opt.error_every}};
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	struct epoll_event ev[512];
	struct rlimit r;
	int l;

	if (argc < 2)
		return 2;
	for (int i = 2; i < argc; i++)
	{
		bool known = false;

		for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++)
		{
			size_t n = strlen(options[k].name);

			if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, options[k].name, n) == 0 &&
				argv[i][2 + n] == '=')
			{
				*options[k].value = atol(argv[i] + 3 + n);
				known = true;
			}
		}
		if (!known)
		{
			fprintf(stderr, "unknown option \"%s\"\n", argv[i]);
			return 2;
		}
	}
	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	signal(SIGPIPE, SIG_IGN);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/.s.PGSQL.5432", argv[1]);
	unlink(a.sun_path);
	l = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bind(l, (struct sockaddr *) &a, sizeof(a)) != 0 || listen(l, 4096) != 0)
	{
		perror(a.sun_path);
		return 1;
	}
	ep = epoll_create1(EPOLL_CLOEXEC);
	ev[0] = (struct epoll_event){.events = EPOLLIN, .data.ptr = NULL};
	epoll_ctl(ep, EPOLL_CTL_ADD, l, &ev[0]);
	for (;;)
	{
		int n = epoll_wait(ep, ev, 512, due_head != NULL ? 1 : -1);

		for (int i = 0; i < n; i++)
		{
			Conn *c = ev[i].data.ptr;

			if (c == NULL)
			{
				int fd;

				while ((fd = accept4(l, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
				{
					struct epoll_event add_ev;

					c = calloc(1, sizeof(Conn));
					c->fd = fd;
					add_ev = (struct epoll_event){.events = EPOLLIN, .data.ptr = c};
					epoll_ctl(ep, EPOLL_CTL_ADD, fd, &add_ev);
				}
			}
			else
			{
				if (ev[i].events & EPOLLOUT)
				{
					struct epoll_event in_ev = {.events = EPOLLIN, .data.ptr = c};

					epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &in_ev);
					send_out(c);
				}
				if (c->fd >= 0 && (ev[i].events & ~EPOLLOUT))
					input(c);
			}
		}
		send_due();
	}
}
