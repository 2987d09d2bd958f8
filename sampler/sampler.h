/*
 * sampler.h
 *		The background worker that turns state flags into wall-clock shares.
 */
#ifndef LWP_SAMPLER_H
#define LWP_SAMPLER_H

#include "postgres.h"

#include "../extension/slot.h"

/* Register the worker; called from _PG_init. */
extern LWP_HIDDEN void lwp_sampler_register(void);

#endif /* LWP_SAMPLER_H */
