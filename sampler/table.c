/*
 * table.c
 *		A table of weights; the protocol is in table.h.
 */
#include "postgres.h"

#include "port/atomics.h"
#include "port/pg_bitutils.h"

#include "table.h"

#define READ_TRIES 16

/* Entries are kept at most this full, so that probing stays short. */
#define FILL_NUMERATOR   7
#define FILL_DENOMINATOR 8

static uint32
capacity_for(int n)
{
	return pg_nextpower2_32((uint32) ((uint64) n * FILL_DENOMINATOR / FILL_NUMERATOR + 1));
}

Size
lwp_table_size(int n)
{
	return offsetof(LwpTable, entries) + sizeof(LwpTableEntry) * (Size) capacity_for(n);
}

void
lwp_table_init(LwpTable *table, int n)
{
	memset(table, 0, lwp_table_size(n));
	table->capacity = capacity_for(n);
}

void
lwp_table_clear(LwpTable *table, uint64 epoch)
{
	table->generation++;
	pg_write_barrier();
	memset(table->entries, 0, sizeof(LwpTableEntry) * (Size) table->capacity);
	table->used = 0;
	table->lost = 0;
	table->lost_time = 0;
	table->epoch = epoch;
	pg_write_barrier();
	table->generation++;
}

/* Finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators). */
static uint64
mix64(uint64 z)
{
	z = (z ^ (z >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint32
key_hash(const LwpKey *key)
{
	uint64 h = key->word[0];

	for (int i = 1; i < LWP_KEY_WORDS; i++)
		h = mix64(h) + key->word[i];
	return (uint32) mix64(h);
}

void
lwp_table_add(LwpTable *table, const LwpKey *key, uint64 ns)
{
	uint32 mask = table->capacity - 1;
	uint32 i = key_hash(key) & mask;

	Assert(key->word[0] != 0);
	for (; table->entries[i].key.word[0] != 0; i = (i + 1) & mask)
	{
		if (memcmp(&table->entries[i].key, key, sizeof(LwpKey)) == 0)
		{
			table->entries[i].time += ns;
			return;
		}
	}
	if ((uint64) table->used * FILL_DENOMINATOR >= (uint64) table->capacity * FILL_NUMERATOR)
	{
		table->lost++;
		table->lost_time += ns;
		return;
	}
	memcpy(&table->entries[i].key.word[1], &key->word[1], sizeof(uint64) * (LWP_KEY_WORDS - 1));
	table->entries[i].time = ns;
	pg_write_barrier(); /* pairs with the one in lwp_table_read() */
	*(volatile uint64 *) &table->entries[i].key.word[0] = key->word[0];
	table->used++;
}

int
lwp_table_read(LwpTable *table, uint64 epoch, LwpTableEntry **entries)
{
	LwpTableEntry *copy = palloc(sizeof(LwpTableEntry) * (Size) table->capacity);

	*entries = copy;
	for (int try = 0; try < READ_TRIES; try++)
	{
		uint64 generation = table->generation;
		int n = 0;

		pg_read_barrier();
		if (table->epoch != epoch)
			return 0;
		for (uint32 i = 0; i < table->capacity; i++)
		{
			LwpTableEntry *entry = &table->entries[i];
			uint64 first = *(volatile uint64 *) &entry->key.word[0];

			if (first == 0)
				continue;
			pg_read_barrier(); /* pairs with the one in lwp_table_add() */
			copy[n] = *entry;
			copy[n].key.word[0] = first;
			n++;
		}
		pg_read_barrier();
		if ((generation & 1) == 0 && table->generation == generation)
			return n;
	}
	return 0;
}
