/*
 * profile.h
 *		The server's lock profile of the timed window, from pg_lwprof.
 *
 * Two readings of pg_lwprof's cumulative views, at the start and at the end of
 * measuring, and their difference.  A figure the server does not know (NULL,
 * in wait_event mode) stays unknown.
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

/* A reading; the second of a run makes the difference. */
extern void lwp_profile_start(void *profile);
extern void lwp_profile_stop(void *profile);

extern void lwp_profile_print(const LwpProfile *p);

/* A new reference, for the JSON document. */
extern json_t *lwp_profile_json(const LwpProfile *p);
extern void lwp_profile_close(LwpProfile *p);

#endif
