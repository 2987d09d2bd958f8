/*
 * shared.c
 *		Size and place of what the sampler writes.
 */
#include "postgres.h"

#include "../extension/guc.h"
#include "history.h"
#include "samples.h"
#include "shared.h"
#include "stacks.h"

LwpSamplerShared *lwp_sampler_shared = NULL;
LwpTable *lwp_tables[LWP_TABLES];
LwpTable *lwp_stacks_table = NULL;
LwpStacks *lwp_stacks = NULL;
LwpRing *lwp_samples = NULL;
LwpRing *lwp_history = NULL;

/* Room in a table, and whether it makes room when there is none. */
static int
table_entries(LwpTableId id)
{
	return id == LWP_TABLE_PROFILE || id == LWP_TABLE_WAITS ? lwp_profile_size
															: lwp_attribution_size;
}

static bool
table_evicts(LwpTableId id)
{
	return id != LWP_TABLE_PROFILE && id != LWP_TABLE_WAITS;
}

/*
 * Walk over the parts.  With base NULL only their sizes are added up; else the
 * pointers are set, and the contents unless somebody has initialised them.
 */
static Size
walk(char *base, bool found)
{
	Size end = 0;

#define PART(pointer, size)                                                                        \
	do                                                                                             \
	{                                                                                              \
		if (base != NULL)                                                                          \
			(pointer) = (void *) (base + end);                                                     \
		end += TYPEALIGN(LWP_CACHE_LINE, (size));                                                  \
	} while (0)

	PART(lwp_sampler_shared, sizeof(LwpSamplerShared));
	for (int id = 0; id < LWP_TABLES; id++)
		PART(lwp_tables[id], lwp_table_size(table_entries((LwpTableId) id)));
	PART(lwp_stacks_table, lwp_table_size(lwp_max_stacks));
	PART(lwp_stacks, lwp_stacks_size(lwp_max_stacks));
	PART(lwp_samples, lwp_ring_size(lwp_max_samples, sizeof(LwpSample)));
	PART(lwp_history, lwp_ring_size(lwp_history_records, sizeof(LwpHistoryRecord)));
#undef PART

	if (base != NULL && !found)
	{
		memset(lwp_sampler_shared, 0, sizeof(*lwp_sampler_shared));
		for (int id = 0; id < LWP_TABLES; id++)
			lwp_table_init(lwp_tables[id], table_entries((LwpTableId) id),
						   table_evicts((LwpTableId) id));
		lwp_table_init(lwp_stacks_table, lwp_max_stacks, true);
		lwp_stacks_init(lwp_stacks, lwp_max_stacks);
		lwp_ring_init(lwp_samples, lwp_max_samples, sizeof(LwpSample));
		lwp_ring_init(lwp_history, lwp_history_records, sizeof(LwpHistoryRecord));
	}
	return end;
}

Size
lwp_sampler_shmem_size(void)
{
	return walk(NULL, false);
}

void
lwp_sampler_shmem_attach(void *base, bool found)
{
	walk(base, found);
}
