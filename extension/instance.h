/*
 * instance.h
 *		Which LWLock of a tranche: the identity of one lock.
 *
 * A buffer's content lock is identified by the page it protects, taken while
 * the waiter has the buffer pinned, when the tag can't change.  Any other lock
 * in the main shared memory segment is identified by its address, which is
 * the same in every process and for as long as the server runs; what array it
 * is in, and at which place, is found out by the reader (places.h).  A lock in
 * a dynamic shared memory segment has a different address in each process: it
 * has no identity here.
 */
#ifndef LWP_INSTANCE_H
#define LWP_INSTANCE_H

#include "compat.h"

#include "slot.h"
#include "summary.h"

typedef enum LwpInstanceKind
{
	LWP_INSTANCE_UNKNOWN = 1, /* in dynamic shared memory */
	LWP_INSTANCE_ADDRESS,
	LWP_INSTANCE_BUFFER
} LwpInstanceKind;

/* What can be told about the page behind a buffer, once. */
typedef enum LwpPageKind
{
	LWP_PAGE_UNKNOWN,
	LWP_PAGE_NEW,
	LWP_PAGE_HEAP,
	LWP_PAGE_SEQUENCE,
	LWP_PAGE_BTREE_LEAF,
	LWP_PAGE_BTREE_ROOT,
	LWP_PAGE_BTREE_INTERNAL,
	LWP_PAGE_BTREE_META,
	LWP_PAGE_HASH,
	LWP_PAGE_GIST,
	LWP_PAGE_GIN,
	LWP_PAGE_SPGIST,
	LWP_PAGE_BRIN,
	LWP_PAGE_FSM,
	LWP_PAGE_VM,
	LWP_PAGE_OTHER
} LwpPageKind;

/* word[0] of the key of an instance. */
static inline uint64
lwp_instance_word0(LwpInstanceKind kind, int tranche_index)
{
	return ((uint64) kind << 32) | (uint32) tranche_index;
}

static inline LwpInstanceKind
lwp_instance_kind(const LwpSummaryKey *key)
{
	return (LwpInstanceKind) (key->word[0] >> 32);
}

static inline int
lwp_instance_tranche(const LwpSummaryKey *key)
{
	return (int) (uint32) key->word[0];
}

/* The page of a LWP_INSTANCE_BUFFER. */
typedef struct LwpPage
{
	Oid tablespace;
	Oid database; /* 0: shared relation */
	Oid relfilenode;
	ForkNumber fork;
	BlockNumber block;
} LwpPage;

extern LWP_HIDDEN LwpPage lwp_instance_page(const LwpSummaryKey *key);
extern LWP_HIDDEN uintptr_t lwp_instance_address(const LwpSummaryKey *key);

/*
 * The identity of the lock of a state word.  To be called by a process that
 * waits for that lock or holds it, so that a buffer is pinned.
 */
extern LWP_HIDDEN LwpSummaryKey lwp_instance_of(LwpWord word);

/* The kind of the page behind a buffer's content lock.  The caller holds the lock. */
extern LWP_HIDDEN LwpPageKind lwp_instance_page_kind(LwpWord word);

extern LWP_HIDDEN const char *lwp_page_kind_name(LwpPageKind kind);

#endif /* LWP_INSTANCE_H */
