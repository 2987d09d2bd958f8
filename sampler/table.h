/*
 * table.h
 *		A table of weights: key -> time, with one writer and any number of readers.
 *
 * A set-associative table of fixed size in shared memory: a key can stand in
 * any entry of one bucket.  The sampler is the only writer.  Readers take no
 * lock:
 *
 *	1.	To fill an entry, the writer zeroes its first key word, write barrier,
 *		fills the rest, write barrier, then the first key word, which is never
 *		zero in use.
 *	2.	To empty the table, the writer makes generation odd, clears the entries,
 *		sets the epoch, and makes generation even.
 *	3.	A reader copies an entry between two looks at its first key word and
 *		takes it if that was not zero and is still the same.  If generation was
 *		odd or has changed by the end, the copies are worthless and it starts
 *		over; if the table belongs to an older reset epoch than the server's, it
 *		counts as empty.
 *
 * A writer killed in step 2 takes the server through a crash restart; one
 * that is stopped there makes a reader give up after a few tries with an
 * empty result, never hang.
 *
 * A table that may evict replaces the lightest entry of a full bucket
 * (Space-Saving within the bucket; see extension/summary.h), and moves the
 * time of the replaced one to the "rest" of its first key word, so that sums
 * over a first key word stay right.  In a table that may not, what finds no
 * room is lost, and counted as such.
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

/* The rest of a first key word: the other words have no such value otherwise. */
#define LWP_KEY_REST UINT64_MAX

static inline bool
lwp_key_is_rest(const LwpKey *key)
{
	return key->word[1] == LWP_KEY_REST && key->word[2] == LWP_KEY_REST;
}

typedef struct LwpTableEntry
{
	LwpKey key;
	volatile uint64 time; /* ns */
} LwpTableEntry;

typedef struct LwpTable
{
	volatile uint64 generation; /* odd while being emptied */
	volatile uint64 epoch;      /* reset epoch the contents belong to */
	volatile uint64 lost;       /* how often something found no room */
	volatile uint64 lost_time;  /* ns of that */
	volatile uint64 evicted;    /* how often an entry was replaced */
	uint32 buckets;             /* power of two */
	bool may_evict;
	LwpTableEntry entries[FLEXIBLE_ARRAY_MEMBER];
} LwpTable;

/* Bytes for a table with room for about n entries. */
extern LWP_HIDDEN Size lwp_table_size(int n);
extern LWP_HIDDEN void lwp_table_init(LwpTable *table, int n, bool may_evict);

/* Writer only. */
extern LWP_HIDDEN void lwp_table_clear(LwpTable *table, uint64 epoch);
extern LWP_HIDDEN void lwp_table_add(LwpTable *table, const LwpKey *key, uint64 ns);

/*
 * Copy the table as of a reset epoch into a palloc'd array; returns the number
 * of entries.
 */
extern LWP_HIDDEN int lwp_table_read(LwpTable *table, uint64 epoch, LwpTableEntry **entries);

#endif /* LWP_TABLE_H */
