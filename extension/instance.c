/*
 * instance.c
 *		Which LWLock of a tranche; see instance.h.
 */
#include "compat.h"

#include "access/brin_page.h"
#include "access/gist.h"
#include "access/hash.h"
#include "access/nbtree.h"
#include "access/spgist_private.h"
#include "storage/bufpage.h"

#include "instance.h"

/* SEQ_MAGIC in the server's sequence.c, which does not export it. */
#define SEQUENCE_MAGIC 0x1717

LwpPage
lwp_instance_page(const LwpSummaryKey *key)
{
	LwpPage page = {.tablespace = (Oid) (key->word[1] >> 32),
					.database = (Oid) key->word[1],
					.relfilenode = (Oid) (key->word[2] >> 32),
					.fork = (ForkNumber) (int32) key->word[2],
					.block = (BlockNumber) key->word[3]};

	return page;
}

uintptr_t
lwp_instance_address(const LwpSummaryKey *key)
{
	return (uintptr_t) key->word[1];
}

LwpSummaryKey
lwp_instance_of(LwpWord word)
{
	int tranche = lwp_word_tranche(word);
	uintptr_t addr = lwp_word_addr(word);
	LwpSummaryKey key = {{0}};
	LwpBufferPage page;

	if (!lwp_in_main_shmem(addr))
	{
		key.word[0] = lwp_instance_word0(LWP_INSTANCE_UNKNOWN, tranche);
		return key;
	}
	if (lwp_buffer_of_lock(addr, &page))
	{
		key.word[0] = lwp_instance_word0(LWP_INSTANCE_BUFFER, tranche);
		key.word[1] = ((uint64) page.tablespace << 32) | page.database;
		key.word[2] = ((uint64) page.relfilenode << 32) | (uint32) page.fork;
		key.word[3] = page.block;
		return key;
	}
	key.word[0] = lwp_instance_word0(LWP_INSTANCE_ADDRESS, tranche);
	key.word[1] = addr;
	return key;
}

/* By the flags of a btree page's special space. */
static LwpPageKind
btree_kind(uint16 flags)
{
	if (flags & BTP_META)
		return LWP_PAGE_BTREE_META;
	if (flags & BTP_ROOT)
		return LWP_PAGE_BTREE_ROOT;
	return (flags & BTP_LEAF) ? LWP_PAGE_BTREE_LEAF : LWP_PAGE_BTREE_INTERNAL;
}

/*
 * The server's own access methods tell their pages apart by the last two bytes
 * of the special space, as its documentation for pg_filedump asks of them.
 */
LwpPageKind
lwp_instance_page_kind(LwpWord word)
{
	LwpBufferPage where;
	const PageHeaderData *header;
	const char *special;
	Size special_size;
	uint16 id;

	if (!lwp_buffer_of_lock(lwp_word_addr(word), &where))
		return LWP_PAGE_UNKNOWN;
	if (where.fork == FSM_FORKNUM)
		return LWP_PAGE_FSM;
	if (where.fork == VISIBILITYMAP_FORKNUM)
		return LWP_PAGE_VM;
	header = (const PageHeaderData *) where.page;
	if (header->pd_upper == 0)
		return LWP_PAGE_NEW;
	if (header->pd_special < SizeOfPageHeaderData || header->pd_special > BLCKSZ)
		return LWP_PAGE_OTHER;
	special_size = BLCKSZ - header->pd_special;
	special = where.page + header->pd_special;
	if (special_size == 0)
		return LWP_PAGE_HEAP;
	memcpy(&id, where.page + BLCKSZ - sizeof(id), sizeof(id));
	if (special_size == MAXALIGN(sizeof(BTPageOpaqueData)))
	{
		if (id == HASHO_PAGE_ID)
			return LWP_PAGE_HASH;
		if (id == GIST_PAGE_ID)
			return LWP_PAGE_GIST;
		if (id <= MAX_BT_CYCLE_ID)
			return btree_kind(((const BTPageOpaqueData *) special)->btpo_flags);
	}
	if (special_size == 8)
	{
		if (id == SPGIST_PAGE_ID)
			return LWP_PAGE_SPGIST;
		if (id >= BRIN_PAGETYPE_META && id <= BRIN_PAGETYPE_REGULAR)
			return LWP_PAGE_BRIN;
		if (where.block == 0 && *(const uint32 *) special == SEQUENCE_MAGIC)
			return LWP_PAGE_SEQUENCE; /* block 0 of a GIN index has another flag set */
		return LWP_PAGE_GIN;
	}
	return LWP_PAGE_OTHER;
}

const char *
lwp_page_kind_name(LwpPageKind kind)
{
	static const char *const names[] = {
		[LWP_PAGE_NEW] = "new",
		[LWP_PAGE_HEAP] = "heap",
		[LWP_PAGE_SEQUENCE] = "sequence",
		[LWP_PAGE_BTREE_LEAF] = "btree leaf",
		[LWP_PAGE_BTREE_ROOT] = "btree root",
		[LWP_PAGE_BTREE_INTERNAL] = "btree internal",
		[LWP_PAGE_BTREE_META] = "btree meta",
		[LWP_PAGE_HASH] = "hash",
		[LWP_PAGE_GIST] = "gist",
		[LWP_PAGE_GIN] = "gin",
		[LWP_PAGE_SPGIST] = "spgist",
		[LWP_PAGE_BRIN] = "brin",
		[LWP_PAGE_FSM] = "free space map",
		[LWP_PAGE_VM] = "visibility map",
	};

	return (int) kind < (int) lengthof(names) ? names[kind] : NULL;
}
