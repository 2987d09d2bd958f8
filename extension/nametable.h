/*
 * nametable.h
 *		Numbered names in shared memory, entered by any process, never changed.
 *
 * Protocol of one entry (state 0 = free, 1 = being written, 2 = valid):
 *
 *	1.	A writer claims a free entry by compare-and-exchange 0 -> 1.
 *	2.	It writes the name, then a write barrier, then state 2.
 *	3.	A reader that sees state 2, then a read barrier, reads the name.
 *
 * Nobody waits: an entry being written is passed over, so at worst a name
 * stands in the table twice.  A writer that dies in step 2 takes the server
 * through a crash restart, which clears the table.
 */
#ifndef LWP_NAMETABLE_H
#define LWP_NAMETABLE_H

#include "postgres.h"

#include "slot.h"

typedef struct LwpNameTable LwpNameTable;

extern LWP_HIDDEN Size lwp_name_table_size(int n, int name_max);
extern LWP_HIDDEN void lwp_name_table_init(LwpNameTable *table, int n, int name_max);

/* Number of a name, entered if it is new; -1 (and an overflow is counted) when there is no room. */
extern LWP_HIDDEN int lwp_name_intern(LwpNameTable *table, const char *name);

/* Enter a name under a given number, unless that is taken. */
extern LWP_HIDDEN void lwp_name_set(LwpNameTable *table, int number, const char *name);

/* The name, NULL when there is none under this number. */
extern LWP_HIDDEN const char *lwp_name_get(LwpNameTable *table, int number);

extern LWP_HIDDEN uint64 lwp_name_overflows(LwpNameTable *table);

#endif /* LWP_NAMETABLE_H */
