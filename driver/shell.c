/*
 * shell.c
 *		Child processes of \shell and \setshell.
 *
 * The shell runs beside the thread: its end is an event like any other, so
 * one client's slow command holds up nobody else.
 */
#define _GNU_SOURCE
#include "client.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"

extern char **environ;

/* words with variables put in; false after a message */
static bool
build_command(LwpWorker *w, LwpClient *c, const LwpCommand *cmd)
{
	LwpStr *s = &w->sql;
	int first = cmd->kind == LWP_CMD_SHELL ? 1 : 2;

	lwp_str_reset(s);
	for (int i = first; i < cmd->argc; i++)
	{
		const char *word = cmd->argv[i];

		if (cmd->arg_slot[i] >= 0)
		{
			word = lwp_var_text(&c->vars.v[cmd->arg_slot[i]]);
			if (word == NULL)
			{
				lwp_error("%s: undefined variable \"%s\"", cmd->argv[first], cmd->argv[i]);
				return false;
			}
		}
		else if (word[0] == ':')
			word++;
		if (i > first)
			lwp_str_addc(s, ' ');
		lwp_str_adds(s, word);
	}
	return true;
}

static bool
spawn(const char *command, int out, pid_t *pid)
{
	char *argv[] = {"sh", "-c", (char *) command, NULL};
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t none;
	sigset_t dfl;
	int rc;

	posix_spawn_file_actions_init(&fa);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	sigemptyset(&none);
	sigemptyset(&dfl);
	sigaddset(&dfl, SIGINT);
	sigaddset(&dfl, SIGTERM);
	sigaddset(&dfl, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &dfl);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawn(pid, "/bin/sh", &fa, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&attr);
	errno = rc;
	return rc == 0;
}

bool
lwp_shell_start(LwpWorker *w, LwpClient *c, const LwpCommand *cmd)
{
	int pipefd[2] = {-1, -1};
	LwpShell *sh;
	pid_t pid;
	const char *name = cmd->argv[cmd->kind == LWP_CMD_SHELL ? 1 : 2];

	if (!build_command(w, c, cmd))
		return false;
	fflush(stdout);
	if (cmd->kind == LWP_CMD_SETSHELL && pipe2(pipefd, O_CLOEXEC) != 0)
	{
		lwp_error("%s: could not launch shell command", name);
		return false;
	}
	if (!spawn(w->sql.data, pipefd[1], &pid))
	{
		lwp_error("%s: could not launch shell command", name);
		if (pipefd[0] >= 0)
		{
			close(pipefd[0]);
			close(pipefd[1]);
		}
		return false;
	}
	sh = lwp_calloc(1, sizeof(LwpShell));
	sh->pid = pid;
	sh->pidfd = pidfd_open(pid, 0);
	sh->out = pipefd[0];
	lwp_str_init(&sh->text);
	c->shell = sh;
	if (sh->pidfd < 0)
	{
		lwp_error("%s: could not watch shell command: %s", name, strerror(errno));
		lwp_shell_kill(c);
		return false;
	}
	if (sh->out >= 0)
	{
		close(pipefd[1]);
		fcntl(sh->out, F_SETFL, O_NONBLOCK);
		lwp_worker_watch_fd(w, sh->out, c, LWP_EV_SHELL_OUT);
	}
	lwp_worker_watch_fd(w, sh->pidfd, c, LWP_EV_SHELL_EXIT);
	return true;
}

/* reads what there is; a closed pipe is closed here too */
static void
read_output(LwpShell *sh)
{
	char chunk[512];
	ssize_t n;

	while (sh->out >= 0 && (n = read(sh->out, chunk, sizeof(chunk))) != 0)
	{
		if (n < 0)
		{
			if (errno == EINTR)
				continue;
			return;
		}
		/* only the first line is looked at */
		if (sh->text.len < 4096)
			lwp_str_add(&sh->text, chunk, (size_t) n);
	}
	if (sh->out >= 0)
		close(sh->out);
	sh->out = -1;
}

void
lwp_shell_event(LwpWorker *w, LwpClient *c, int what)
{
	if (c->shell == NULL)
		return;
	if (what == LWP_EV_SHELL_OUT)
		read_output(c->shell);
	else if (c->state == LWP_ST_SHELL)
		lwp_client_advance(w, c);
}

static void
forget(LwpClient *c)
{
	LwpShell *sh = c->shell;

	if (sh->out >= 0)
		close(sh->out);
	if (sh->pidfd >= 0)
		close(sh->pidfd);
	lwp_str_free(&sh->text);
	free(sh);
	c->shell = NULL;
}

void
lwp_shell_kill(LwpClient *c)
{
	int status;

	kill(c->shell->pid, SIGKILL);
	while (waitpid(c->shell->pid, &status, 0) < 0 && errno == EINTR)
		;
	forget(c);
}

/* the first line of the output as an integer into the variable */
static bool
store_output(LwpClient *c, const LwpCommand *cmd, char *text)
{
	const char *name = cmd->argv[2];
	char *newline = strchr(text, '\n');
	char *end;
	long long v;

	if (*text == '\0')
	{
		lwp_error("%s: could not read result of shell command", name);
		return false;
	}
	if (newline != NULL)
		newline[1] = '\0';
	errno = 0;
	v = strtoll(text, &end, 10);
	while (isspace((unsigned char) *end))
		end++;
	if (end == text || *end != '\0' || errno != 0)
	{
		lwp_error("%s: shell command must return an integer (not \"%s\")", name, text);
		return false;
	}
	if (cmd->set_slot < 0)
	{
		lwp_error("setshell: invalid variable name: \"%s\"", cmd->argv[1]);
		return false;
	}
	lwp_var_set(&c->vars.v[cmd->set_slot], lwp_int(v));
	lwp_debug("%s: shell parameter name: \"%s\", value: \"%s\"", name, cmd->argv[1], text);
	return true;
}

bool
lwp_shell_step(LwpWorker *w, LwpClient *c, const LwpCommand *cmd, bool *ok)
{
	LwpShell *sh = c->shell;
	int status = 0;
	pid_t r = waitpid(sh->pid, &status, WNOHANG);

	(void) w;
	if (r == 0 || (r < 0 && errno == EINTR))
		return false;
	*ok = true;
	if (cmd->kind == LWP_CMD_SHELL)
	{
		if (r < 0 || status != 0)
		{
			lwp_error("%s: could not launch shell command", cmd->argv[1]);
			*ok = false;
		}
	}
	else
	{
		read_output(sh);
		*ok = store_output(c, cmd, sh->text.data);
	}
	forget(c);
	return true;
}
