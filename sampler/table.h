/*
 * table.h
 *		A table of weights: key -> time, with one writer and any number of readers.
 *
 * Open addressing with linear probing in a fixed array in shared memory.  The
 * sampler is the only writer.  Entries are only added, except when a reset
 * empties the whole table, so readers take no lock:
 *
 *	1.	To add, the writer fills all of the entry but the first key word, then
 *		a write barrier, then the first key word, which is never zero.
 *	2.	To empty, the writer makes generation odd, clears the entries, sets the
 *		epoch, and makes generation even.
 *	3.	A reader copies the entries whose first key word is not zero (read
 *		barrier before the rest).  If generation was odd or has changed by the
 *		end, the copy is worthless and it starts over; if the table belongs to
 *		an older reset epoch than the server's, it counts as empty.
 *
 * A writer killed in step 2 takes the server through a crash restart; one
 * that is stopped there makes a reader give up after a few tries with an
 * empty result, never hang.
 */
#ifndef LWP_TABLE_H
#define LWP_TABLE_H

#include "postgres.h"

#include "../extension/slot.h"

#define LWP_KEY_WORDS 3

typedef struct LwpKey
{
	uint64 word[LWP_KEY_WORDS]; /* word[0] is not zero */
} LwpKey;

typedef struct LwpTableEntry
{
	LwpKey key;
	volatile uint64 time; /* ns */
} LwpTableEntry;

typedef struct LwpTable
{
	volatile uint64 generation; /* odd while being emptied */
	volatile uint64 epoch;      /* reset epoch the contents belong to */
	volatile uint64 lost_time;  /* ns that found no room */
	volatile uint64 lost;       /* how often that happened */
	uint32 capacity;            /* power of two */
	volatile uint32 used;
	LwpTableEntry entries[FLEXIBLE_ARRAY_MEMBER];
} LwpTable;

/* Bytes for a table with room for at least n entries. */
extern LWP_HIDDEN Size lwp_table_size(int n);
extern LWP_HIDDEN void lwp_table_init(LwpTable *table, int n);

/* Writer only. */
extern LWP_HIDDEN void lwp_table_clear(LwpTable *table, uint64 epoch);
extern LWP_HIDDEN void lwp_table_add(LwpTable *table, const LwpKey *key, uint64 ns);

/*
 * Copy the table as of reset epoch into a palloc'd array; returns the number
 * of entries.
 */
extern LWP_HIDDEN int lwp_table_read(LwpTable *table, uint64 epoch, LwpTableEntry **entries);

#endif /* LWP_TABLE_H */
