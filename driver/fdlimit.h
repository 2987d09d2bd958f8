/*
 * fdlimit.h
 *		The limit on open files.
 */
#ifndef LWP_FDLIMIT_H
#define LWP_FDLIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes room for so many open files and some more, raising the soft limit up to the hard
 * one (and that, where we may).  False after a message that names the limit.
 */
extern bool lwp_limits_allow(int64_t files);

#endif
