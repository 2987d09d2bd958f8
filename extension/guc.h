/*
 * guc.h
 *		The settings, pg_lwprof.*.
 */
#ifndef LWP_GUC_H
#define LWP_GUC_H

#include "slot.h"

typedef enum LwpInstrumentation
{
	LWP_INSTRUMENTATION_AUTO,
	LWP_INSTRUMENTATION_DETOUR,
	LWP_INSTRUMENTATION_WAIT_EVENT
} LwpInstrumentation;

extern LWP_HIDDEN bool lwp_enabled;           /* record anything at all */
extern LWP_HIDDEN bool lwp_track_wait_time;   /* time every sleep exactly */
extern LWP_HIDDEN bool lwp_track_hold_time;   /* time every acquisition */
extern LWP_HIDDEN bool lwp_track_stacks;      /* walk the stack before every sleep */
extern LWP_HIDDEN int lwp_instrumentation;    /* LwpInstrumentation */
extern LWP_HIDDEN double lwp_sample_interval; /* ms between sampling passes */
extern LWP_HIDDEN int lwp_max_tranches;       /* tranches counted one by one */
extern LWP_HIDDEN int lwp_attribution_size;   /* entries each for queries, holders and chains */
extern LWP_HIDDEN int lwp_max_stacks;         /* different call stacks */
extern LWP_HIDDEN int lwp_max_samples;        /* waiting samples kept */
extern LWP_HIDDEN int lwp_history_records;    /* records of the per-second history */
extern LWP_HIDDEN int lwp_profile_size;       /* entries of the sampled profile */

extern LWP_HIDDEN void lwp_guc_define(void);

#endif /* LWP_GUC_H */
