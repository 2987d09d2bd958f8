/*
 * nametable.c
 *		Numbered names in shared memory; the protocol is in nametable.h.
 */
#include "postgres.h"

#include "port/atomics.h"

#include "nametable.h"

#define NAME_FREE    0
#define NAME_WRITING 1
#define NAME_VALID   2

typedef struct NameEntry
{
	pg_atomic_uint32 state;
	char name[FLEXIBLE_ARRAY_MEMBER];
} NameEntry;

struct LwpNameTable
{
	pg_atomic_uint64 overflows;
	int n;
	int name_max; /* bytes for a name, with its end */
	char entries[FLEXIBLE_ARRAY_MEMBER];
};

static Size
entry_size(int name_max)
{
	return MAXALIGN(offsetof(NameEntry, name) + (Size) name_max);
}

static NameEntry *
entry_at(LwpNameTable *table, int i)
{
	return (NameEntry *) (table->entries + entry_size(table->name_max) * (Size) i);
}

Size
lwp_name_table_size(int n, int name_max)
{
	return offsetof(LwpNameTable, entries) + entry_size(name_max) * (Size) n;
}

void
lwp_name_table_init(LwpNameTable *table, int n, int name_max)
{
	pg_atomic_init_u64(&table->overflows, 0);
	table->n = n;
	table->name_max = name_max;
	for (int i = 0; i < n; i++)
		pg_atomic_init_u32(&entry_at(table, i)->state, NAME_FREE);
}

void
lwp_name_set(LwpNameTable *table, int number, const char *name)
{
	NameEntry *entry = entry_at(table, number);
	uint32 expected = NAME_FREE;

	if (!pg_atomic_compare_exchange_u32(&entry->state, &expected, NAME_WRITING))
		return;
	strlcpy(entry->name, name, (Size) table->name_max);
	pg_write_barrier(); /* pairs with the one in lwp_name_get() */
	pg_atomic_write_u32(&entry->state, NAME_VALID);
}

const char *
lwp_name_get(LwpNameTable *table, int number)
{
	NameEntry *entry;

	if (number < 0 || number >= table->n)
		return NULL;
	entry = entry_at(table, number);
	if (pg_atomic_read_u32(&entry->state) != NAME_VALID)
		return NULL;
	pg_read_barrier(); /* pairs with the one in lwp_name_set() */
	return entry->name;
}

int
lwp_name_intern(LwpNameTable *table, const char *name)
{
	for (int i = 0; i < table->n; i++)
	{
		const char *known = lwp_name_get(table, i);

		if (known == NULL)
		{
			lwp_name_set(table, i, name);
			known = lwp_name_get(table, i);
		}
		if (known != NULL && strncmp(known, name, (Size) table->name_max - 1) == 0)
			return i;
	}
	pg_atomic_fetch_add_u64(&table->overflows, 1);
	return -1;
}

uint64
lwp_name_overflows(LwpNameTable *table)
{
	return pg_atomic_read_u64(&table->overflows);
}
