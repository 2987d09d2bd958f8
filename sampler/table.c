/*
 * table.c
 *		A table of weights; the protocol is in table.h.
 */
#include "postgres.h"

#include "port/atomics.h"
#include "port/pg_bitutils.h"

#include "table.h"

#define WAYS       16
#define READ_TRIES 16

/* How many entries may be moved to make room for one. */
#define EVICTIONS_MAX 16

/* Half as many entries again as asked for: keys do not fill all buckets evenly. */
static uint32
buckets_for(int n)
{
	return pg_nextpower2_32((uint32) ((uint64) n * 3 / 2 / WAYS + 1));
}

static Size
entries_bytes(uint32 buckets)
{
	return sizeof(LwpTableEntry) * WAYS * (Size) buckets;
}

Size
lwp_table_size(int n)
{
	return offsetof(LwpTable, entries) + entries_bytes(buckets_for(n));
}

void
lwp_table_init(LwpTable *table, int n, bool may_evict)
{
	memset(table, 0, lwp_table_size(n));
	table->buckets = buckets_for(n);
	table->may_evict = may_evict;
}

void
lwp_table_clear(LwpTable *table, uint64 epoch)
{
	table->generation++;
	pg_write_barrier();
	memset(table->entries, 0, entries_bytes(table->buckets));
	table->lost = 0;
	table->lost_time = 0;
	table->evicted = 0;
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

static LwpTableEntry *
bucket_of(LwpTable *table, const LwpKey *key)
{
	uint64 h = key->word[0];

	for (int i = 1; i < LWP_KEY_WORDS; i++)
		h = mix64(h) + key->word[i];
	return &table->entries[(mix64(h) & (table->buckets - 1)) * WAYS];
}

static bool
same_key(const LwpKey *a, const LwpKey *b)
{
	return a->word[0] == b->word[0] && a->word[1] == b->word[1] && a->word[2] == b->word[2];
}

/* Step 1 of the protocol. */
static void
fill(LwpTableEntry *entry, const LwpKey *key, uint64 ns)
{
	volatile uint64 *first = &entry->key.word[0];

	*first = 0;
	pg_write_barrier();
	entry->key.word[1] = key->word[1];
	entry->key.word[2] = key->word[2];
	entry->time = ns;
	pg_write_barrier(); /* pairs with the one in copy_entry() */
	*first = key->word[0];
}

/* Add to the key's entry or a free one; false when the bucket is full of others. */
static bool
add_in_place(LwpTable *table, const LwpKey *key, uint64 ns)
{
	LwpTableEntry *bucket = bucket_of(table, key);

	for (int i = 0; i < WAYS; i++)
	{
		if (bucket[i].key.word[0] == 0)
		{
			fill(&bucket[i], key, ns);
			return true;
		}
		if (same_key(&bucket[i].key, key))
		{
			bucket[i].time += ns;
			return true;
		}
	}
	return false;
}

/* The lightest entry of a key's bucket that is not the rest of something; NULL if there is none. */
static LwpTableEntry *
lightest(LwpTable *table, const LwpKey *key)
{
	LwpTableEntry *bucket = bucket_of(table, key);
	LwpTableEntry *best = NULL;

	for (int i = 0; i < WAYS; i++)
		if (!lwp_key_is_rest(&bucket[i].key) && (best == NULL || bucket[i].time < best->time))
			best = &bucket[i];
	return best;
}

/*
 * Make room by replacing lighter entries: each one's time goes to its rest,
 * which may have to make room in turn.  The rests of what is in the table are
 * few, so this comes to an end soon; what is left then is lost.
 */
static void
add_by_eviction(LwpTable *table, LwpKey key, uint64 ns)
{
	for (int i = 0; i < EVICTIONS_MAX; i++)
	{
		LwpTableEntry *victim = lightest(table, &key);
		LwpKey rest;
		uint64 time;

		if (victim == NULL)
			break;
		rest = (LwpKey){{victim->key.word[0], LWP_KEY_REST, LWP_KEY_REST}};
		time = victim->time;
		fill(victim, &key, ns);
		table->evicted++;
		if (add_in_place(table, &rest, time))
			return;
		key = rest;
		ns = time;
	}
	table->lost++;
	table->lost_time += ns;
}

void
lwp_table_add(LwpTable *table, const LwpKey *key, uint64 ns)
{
	Assert(key->word[0] != 0);
	if (add_in_place(table, key, ns))
		return;
	if (table->may_evict)
		add_by_eviction(table, *key, ns);
	else
	{
		table->lost++;
		table->lost_time += ns;
	}
}

/* Step 3 of the protocol for one entry. */
static bool
copy_entry(const LwpTableEntry *entry, LwpTableEntry *copy)
{
	const volatile uint64 *first = &entry->key.word[0];
	uint64 word = *first;

	if (word == 0)
		return false;
	pg_read_barrier(); /* pairs with the one in fill() */
	*copy = *entry;
	pg_read_barrier();
	copy->key.word[0] = word;
	return *first == word;
}

int
lwp_table_read(LwpTable *table, uint64 epoch, LwpTableEntry **entries)
{
	uint32 capacity = table->buckets * WAYS;
	LwpTableEntry *copy = palloc(sizeof(LwpTableEntry) * (Size) capacity);

	*entries = copy;
	for (int try = 0; try < READ_TRIES; try++)
	{
		uint64 generation = table->generation;
		int n = 0;

		pg_read_barrier();
		if (table->epoch != epoch)
			return 0;
		for (uint32 i = 0; i < capacity; i++)
			n += copy_entry(&table->entries[i], &copy[n]) ? 1 : 0;
		pg_read_barrier();
		if ((generation & 1) == 0 && table->generation == generation)
			return n;
	}
	return 0;
}
