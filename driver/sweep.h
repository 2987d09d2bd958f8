/*
 * sweep.h
 *		--sweep-clients: one run for each number of clients.
 */
#ifndef LWP_SWEEP_H
#define LWP_SWEEP_H

#include "options.h"

/* Runs, prints the table and the fit; the exit code. */
extern int lwp_sweep(LwpOptions *o);

#endif
