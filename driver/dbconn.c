/*
 * dbconn.c
 *		Connections: what to connect to, and the blocking kind.
 */
#define _GNU_SOURCE
#include "dbconn.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "mem.h"
#include "message.h"

static void
fill(const LwpConnParams *p, const char **key, const char **value)
{
	int n = 0;

	key[n] = "host";
	value[n++] = p->host;
	key[n] = "port";
	value[n++] = p->port;
	key[n] = "user";
	value[n++] = p->user;
	key[n] = "password";
	value[n++] = p->password;
	key[n] = "dbname";
	value[n++] = p->dbname;
	key[n] = "fallback_application_name";
	value[n++] = p->app_name;
	key[n] = value[n] = NULL;
}

PGconn *
lwp_connect_begin(const LwpConnParams *p)
{
	const char *key[7];
	const char *value[7];

	fill(p, key, value);
	return PQconnectStartParams(key, value, 1);
}

/* one line from the terminal without echo, or from standard input */
static char *
ask_password(void)
{
	FILE *in = fopen("/dev/tty", "r");
	FILE *out = fopen("/dev/tty", "w");
	struct termios was;
	struct termios quiet;
	bool restore;
	char line[1024];

	if (in == NULL || out == NULL)
	{
		if (in != NULL)
			fclose(in);
		if (out != NULL)
			fclose(out);
		in = stdin;
		out = stderr;
	}
	restore = tcgetattr(fileno(in), &was) == 0;
	if (restore)
	{
		quiet = was;
		quiet.c_lflag &= ~(tcflag_t) ECHO;
		tcsetattr(fileno(in), TCSAFLUSH, &quiet);
	}
	fputs("Password: ", out);
	fflush(out);
	if (fgets(line, sizeof(line), in) == NULL)
		line[0] = '\0';
	if (restore)
	{
		tcsetattr(fileno(in), TCSAFLUSH, &was);
		fputs("\n", out);
	}
	if (in != stdin)
	{
		fclose(in);
		fclose(out);
	}
	line[strcspn(line, "\r\n")] = '\0';
	return lwp_strdup(line);
}

PGconn *
lwp_connect(LwpConnParams *p)
{
	for (;;)
	{
		const char *key[7];
		const char *value[7];
		PGconn *con;

		fill(p, key, value);
		con = PQconnectdbParams(key, value, 1);
		if (con == NULL)
		{
			lwp_error("connection to database \"%s\" failed", p->dbname);
			return NULL;
		}
		if (PQstatus(con) == CONNECTION_OK)
			return con;
		if (PQconnectionNeedsPassword(con) && p->password == NULL)
		{
			PQfinish(con);
			p->password = ask_password();
			continue;
		}
		lwp_error("%s", PQerrorMessage(con));
		PQfinish(con);
		return NULL;
	}
}

void
lwp_must_exec(PGconn *con, const char *sql)
{
	PGresult *res = PQexec(con, sql);

	if (PQresultStatus(res) != PGRES_COMMAND_OK && PQresultStatus(res) != PGRES_TUPLES_OK)
	{
		lwp_error("query failed: %s", PQerrorMessage(con));
		lwp_detail("Query was: %s", sql);
		PQclear(res);
		PQfinish(con);
		exit(1);
	}
	PQclear(res);
}

void
lwp_try_exec(PGconn *con, const char *sql)
{
	PGresult *res = PQexec(con, sql);

	if (PQresultStatus(res) != PGRES_COMMAND_OK)
	{
		lwp_error("%s", PQerrorMessage(con));
		lwp_detail("(ignoring this error and continuing anyway)");
	}
	PQclear(res);
}

char *
lwp_query_text(PGconn *con, const char *sql)
{
	PGresult *res = PQexec(con, sql);
	char *text = NULL;

	if (PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) > 0 && PQnfields(res) > 0 &&
		!PQgetisnull(res, 0, 0))
		text = lwp_strdup(PQgetvalue(res, 0, 0));
	PQclear(res);
	return text;
}

char *
lwp_os_user(void)
{
	struct passwd *pw;

	errno = 0;
	pw = getpwuid(geteuid());
	if (pw == NULL)
		lwp_fatal("could not look up effective user ID %ld: %s", (long) geteuid(),
				  errno ? strerror(errno) : "user does not exist");
	return lwp_strdup(pw->pw_name);
}
