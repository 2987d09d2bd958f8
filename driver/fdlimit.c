/*
 * fdlimit.c
 *		The limit on open files.
 */
#include "fdlimit.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "message.h"

/* besides the clients' and the threads': standard files, logs, control connection */
#define SPARE_FILES 64

bool
lwp_limits_allow(int64_t files)
{
	struct rlimit r;
	rlim_t need = (rlim_t) files + SPARE_FILES;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0)
	{
		lwp_error("getrlimit failed: %s", strerror(errno));
		return false;
	}
	if (r.rlim_cur >= need)
		return true;
	if (r.rlim_max >= need)
	{
		r.rlim_cur = need;
		if (setrlimit(RLIMIT_NOFILE, &r) == 0)
			return true;
	}
	else
	{
		struct rlimit more = {.rlim_cur = need, .rlim_max = need};

		/* only a privileged user gets away with this */
		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			return true;
	}
	lwp_error("need at least %llu open files, but system limit is %llu", (unsigned long long) need,
			  (unsigned long long) r.rlim_max);
	lwp_hint("Reduce number of clients, or use limit/ulimit to increase the system limit (hard "
			 "limit of open files, RLIMIT_NOFILE).");
	return false;
}
