/*
 * main.c
 *		lwbench: reads options, then initialises, runs or sweeps.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "execute.h"
#include "init.h"
#include "json_report.h"
#include "message.h"
#include "profile.h"
#include "setup.h"
#include "sweep.h"

/* what the reports leave out on purpose: the run has no summary worth printing */
static void
finish_single(const LwpOptions *o, LwpResult *res)
{
	if (res->abort_thread >= 0 && res->signal == 0)
	{
		lwp_error("Run was aborted due to an error in thread %d", res->abort_thread);
		return;
	}
	lwp_report_text(o, res);
	if (o->json_path != NULL && !lwp_json_write(o, res) && res->exit_code == 0)
		res->exit_code = 1;
	if (res->aborted > 0)
		lwp_error("Run was aborted; the above results are incomplete.");
}

static int
run_once(LwpOptions *o)
{
	LwpProfile *profile = o->profile ? lwp_profile_open(o) : NULL;
	LwpRunHooks hooks = {NULL, NULL, profile};
	LwpResult res;
	int code;

	if (profile != NULL)
	{
		hooks.at_go = lwp_profile_start;
		hooks.at_end = lwp_profile_stop;
	}
	if (lwp_execute(o, &hooks, &res))
	{
		res.profile = profile;
		finish_single(o, &res);
	}
	code = res.exit_code;
	lwp_result_free(&res, o);
	if (!lwp_profile_close(profile) && code == 0)
		code = 1;
	return code;
}

/*
 * A closed standard file would have its number given to the next socket, which
 * the report would then be written to.
 */
static void
open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int
main(int argc, char **argv)
{
	static LwpOptions o;
	int code;

	open_standard_files();
	lwp_message_init(argv[0]);
	lwp_clock_init();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	lwp_options_parse(&o, argc, argv);
	if (o.init)
	{
		lwp_init_run(&o);
		lwp_options_free(&o);
		return 0;
	}
	lwp_setup(&o);
	lwp_signals_init();
	code = o.nsweep > 0 ? lwp_sweep(&o) : run_once(&o);
	lwp_options_free(&o);
	if (fflush(stdout) != 0 || ferror(stdout))
	{
		lwp_error("could not write to standard output: %s", strerror(errno));
		if (code == 0)
			code = 1;
	}
	return code;
}
