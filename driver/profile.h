/*
 * profile.h
 *		The server's lock profile of the timed window, from pg_lwprof.
 *
 * Two readings of pg_lwprof's cumulative views, at the start and at the end of
 * measuring, and their difference.  A figure the server does not know (NULL,
 * in wait_event mode) stays unknown: it is printed as "-" and is null in JSON.
 */
#ifndef LWP_PROFILE_H
#define LWP_PROFILE_H

#include <jansson.h>

#include "options.h"

typedef struct LwpProfile LwpProfile;

/*
 * Opens the connection the readings are taken on and looks whether pg_lwprof
 * is there; NULL after one line that says why it is not.
 */
extern LwpProfile *lwp_profile_open(LwpOptions *o);

/* The readings; profile is a LwpProfile (these are LwpRunHooks functions). */
extern void lwp_profile_start(void *profile);
extern void lwp_profile_stop(void *profile);

/* The latest window: on standard output, and as a new JSON reference. */
extern void lwp_profile_print(const LwpProfile *p);
extern json_t *lwp_profile_json(const LwpProfile *p);

/*
 * Writes all windows to the file of --profile, if one was named, and closes.
 * False after a message when that failed.  p may be NULL.
 */
extern bool lwp_profile_close(LwpProfile *p);

#endif
