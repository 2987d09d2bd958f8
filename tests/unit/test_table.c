/*
 * test_table.c
 *		The table of weights: adding, overflow, emptying, and reading meanwhile.
 */
#include "stubs.h"

#include <pthread.h>

#include "table.h"

#define ROOM UINT64CONST(100)

static LwpTable *table;

static int
setup(void **state)
{
	(void) state;
	table = malloc(lwp_table_size(ROOM));
	memset(table, 0xff, lwp_table_size(ROOM));
	lwp_table_init(table, ROOM);
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	free(table);
	return 0;
}

static LwpKey
key(uint64 a, uint64 b, uint64 c)
{
	LwpKey k = {{a, b, c}};

	return k;
}

static void
add(uint64 a, uint64 b, uint64 c, uint64 ns)
{
	LwpKey k = key(a, b, c);

	lwp_table_add(table, &k, ns);
}

/* The time under a key, or -1; *n is the number of entries. */
static int64
time_of(uint64 a, uint64 b, uint64 c, int *n)
{
	LwpTableEntry *entries;
	int64 time = -1;
	LwpKey k = key(a, b, c);

	*n = lwp_table_read(table, table->epoch, &entries);
	for (int i = 0; i < *n; i++)
		if (memcmp(&entries[i].key, &k, sizeof(k)) == 0)
			time = (int64) entries[i].time;
	pfree(entries);
	return time;
}

static void
new_table_is_empty(void **state)
{
	int n;

	(void) state;
	assert_int_equal(time_of(1, 1, 1, &n), -1);
	assert_int_equal(n, 0);
	assert_int_equal(table->lost, 0);
	assert_true(table->capacity >= ROOM);
	assert_int_equal(table->capacity & (table->capacity - 1), 0);
}

static void
same_key_adds_up(void **state)
{
	int n;

	(void) state;
	add(1, 2, 3, 10);
	add(1, 2, 3, 5);
	add(1, 2, 4, 7);
	add(1, 3, 3, 8);
	add(2, 2, 3, 9);
	assert_int_equal(time_of(1, 2, 3, &n), 15);
	assert_int_equal(n, 4);
	assert_int_equal(time_of(1, 2, 4, &n), 7);
	assert_int_equal(time_of(1, 3, 3, &n), 8);
	assert_int_equal(time_of(2, 2, 3, &n), 9);
	assert_int_equal(time_of(2, 2, 4, &n), -1);
}

/* At least the room asked for, and what is too much is counted, not dropped silently. */
static void
full_table_counts_losses(void **state)
{
	uint64 stored = 0;
	int n;

	(void) state;
	for (uint64 i = 1; i <= 2 * ROOM; i++)
		add(i, 0, i * i, 1);
	time_of(1, 0, 1, &n);
	assert_in_range(n, ROOM, 2 * ROOM - 1);
	assert_true((uint32) n < table->capacity); /* or a search for a new key would never end */
	assert_int_equal(n + table->lost, 2 * ROOM);
	assert_int_equal(table->lost_time, table->lost);
	assert_int_equal(table->used, n);

	/* known keys still find their entry */
	for (uint64 i = 1; i <= 2 * ROOM; i++)
		if (time_of(i, 0, i * i, &n) == 1)
		{
			add(i, 0, i * i, 10);
			assert_int_equal(time_of(i, 0, i * i, &n), 11);
			stored++;
		}
	assert_int_equal(stored, n);
}

/* Keys of the profile differ in few low bits; they must not pile up in one place. */
static void
hash_spreads_similar_keys(void **state)
{
	LwpTableEntry *entries;
	int longest = 0;
	int run = 0;

	(void) state;
	for (uint64 tranche = 1; tranche <= 10; tranche++)
		for (uint64 phase = 1; phase <= 5; phase++)
			add((phase << 48) | tranche, 5, 16384, 1);
	assert_int_equal(lwp_table_read(table, 0, &entries), 50);
	pfree(entries);
	for (uint32 i = 0; i < table->capacity; i++)
	{
		run = table->entries[i].key.word[0] != 0 ? run + 1 : 0;
		longest = Max(longest, run);
	}
	/* of 50 in 128, a run of 20 would be an accident of 1 in a million */
	assert_in_range(longest, 1, 20);
}

static void
emptying_begins_an_epoch(void **state)
{
	LwpTableEntry *entries;
	int n;

	(void) state;
	for (uint64 i = 1; i <= 2 * ROOM; i++)
		add(i, 0, 0, 1);
	lwp_table_clear(table, 5);
	assert_int_equal(table->generation % 2, 0);
	assert_int_equal(table->lost, 0);
	assert_int_equal(table->lost_time, 0);
	assert_int_equal(time_of(1, 0, 0, &n), -1);
	assert_int_equal(n, 0);
	add(1, 0, 0, 3);
	assert_int_equal(time_of(1, 0, 0, &n), 3);
	assert_int_equal(n, 1);

	/* contents of another epoch than the reader's are none of its business */
	assert_int_equal(lwp_table_read(table, 6, &entries), 0);
	pfree(entries);
	assert_int_equal(lwp_table_read(table, 4, &entries), 0);
	pfree(entries);
}

/* A writer that is stopped while it empties the table must not hang a reader. */
static void
reader_gives_up_on_a_stopped_writer(void **state)
{
	LwpTableEntry *entries;

	(void) state;
	add(1, 0, 0, 3);
	table->generation++;
	assert_int_equal(lwp_table_read(table, 0, &entries), 0);
	pfree(entries);
	table->generation++;
	assert_int_equal(lwp_table_read(table, 0, &entries), 1);
	pfree(entries);
}

/* --- reading while the writer works ------------------------------------------------- */

static volatile bool stop_writing;

/* Every key is (i, 3i, 7i), times are multiples of i; so a mix of two entries shows. */
static void *
writer(void *arg)
{
	uint64 epoch = 1;

	(void) arg;
	while (!stop_writing)
	{
		for (uint64 round = 0; round < 20; round++)
			for (uint64 i = 1; i <= 64; i++)
				add(i, 3 * i, 7 * i, i);
		lwp_table_clear(table, ++epoch);
	}
	return NULL;
}

static void
reader_sees_whole_entries(void **state)
{
	pthread_t thread;
	int not_empty = 0;

	(void) state;
	stop_writing = false;
	lwp_table_clear(table, 1);
	assert_int_equal(pthread_create(&thread, NULL, writer, NULL), 0);
	for (int i = 0; i < 20000; i++)
	{
		LwpTableEntry *entries;
		int n = lwp_table_read(table, table->epoch, &entries);
		bool seen[65] = {0};

		not_empty += n > 0;
		assert_in_range(n, 0, 64);
		for (int k = 0; k < n; k++)
		{
			uint64 a = entries[k].key.word[0];

			assert_in_range(a, 1, 64);
			assert_false(seen[a]);
			seen[a] = true;
			assert_int_equal(entries[k].key.word[1], 3 * a);
			assert_int_equal(entries[k].key.word[2], 7 * a);
			assert_int_equal(entries[k].time % a, 0);
			assert_in_range(entries[k].time, a, 20 * a);
		}
		pfree(entries);
	}
	stop_writing = true;
	pthread_join(thread, NULL);
	assert_true(not_empty > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(new_table_is_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(same_key_adds_up, setup, teardown),
		cmocka_unit_test_setup_teardown(full_table_counts_losses, setup, teardown),
		cmocka_unit_test_setup_teardown(hash_spreads_similar_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(emptying_begins_an_epoch, setup, teardown),
		cmocka_unit_test_setup_teardown(reader_gives_up_on_a_stopped_writer, setup, teardown),
		cmocka_unit_test_setup_teardown(reader_sees_whole_entries, setup, teardown),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
