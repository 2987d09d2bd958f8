/*
 * setup.h
 *		What happens on one connection before a run.
 */
#ifndef LWP_SETUP_H
#define LWP_SETUP_H

#include "options.h"

/*
 * Connects, prints the version line, finds scale and partitions of the
 * standard tables, initialises workloads if asked to and vacuums.  Ends the
 * program with code 1 after a message on errors.
 */
extern void lwp_setup(LwpOptions *o);

#endif
