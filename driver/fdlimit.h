/*
 * fdlimit.h
 *		The limit on open files.
 */
#ifndef LWP_FDLIMIT_H
#define LWP_FDLIMIT_H

#include <stdbool.h>

/*
 * Makes room for so many connections, raising the soft limit up to the hard
 * one (and that, where we may).  False after a message that names the limit.
 */
extern bool lwp_limits_allow(int nclients);

#endif
