/*
 * test_pass.c
 *		What a sampling pass charges to whom.  The observer is made of cardboard.
 */
#include "stubs.h"

#include "miscadmin.h"

#include "pass.h"
#include "profile.h"

#define MS UINT64CONST(1000000)
#define N  4

struct LwpTable *lwp_profile;

/* The processes there are, and what lwp_observe() says of them. */
static LwpFront fronts[N];
static LwpSlot slots[N];
static LwpProcCache procs[N];
static LwpObservation observations[N];
static bool quiet[N];
static LwpObserver observer = {.detoured = true, .n = N, .procs = procs};
static int followed;

void
lwp_observer_follow(LwpObserver *o)
{
	assert_ptr_equal(o, &observer);
	followed++;
}

bool
lwp_observe(LwpObserver *o, int i, bool idle_too, LwpObservation *out)
{
	assert_ptr_equal(o, &observer);
	assert_false(idle_too);
	*out = observations[i];
	return !quiet[i];
}

static int
setup(void **state)
{
	(void) state;
	lwp_profile = malloc(lwp_table_size(100));
	lwp_table_init(lwp_profile, 100);
	memset(slots, 0, sizeof(slots));
	memset(fronts, 0, sizeof(fronts));
	for (int i = 0; i < N; i++)
	{
		int pid = 100 + i;

		quiet[i] = true;
		slots[i].front = &fronts[i];
		slots[i].pid = pid;
		procs[i] = (LwpProcCache){.pid = pid, .slot = &slots[i], .front = &fronts[i]};
		observations[i] = (LwpObservation){
			.pid = pid, .backend_type = 4, .database = 16384, .tranche = -1, .proc = &procs[i]};
	}
	followed = 0;
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	free(lwp_profile);
	return 0;
}

/* Sampled time of one row; 0 if there is none. */
static uint64
charged(int tranche, LwpProfilePhase phase, int mode, uint32 backend_type, Oid database)
{
	LwpKey key = lwp_profile_key(tranche, phase, mode, backend_type, database);
	LwpTableEntry *entries;
	uint64 time = 0;
	int n = lwp_table_read(lwp_profile, 0, &entries);

	for (int i = 0; i < n; i++)
		if (memcmp(&entries[i].key, &key, sizeof(key)) == 0)
			time = entries[i].time;
	pfree(entries);
	return time;
}

static int
rows(void)
{
	LwpTableEntry *entries;
	int n = lwp_table_read(lwp_profile, 0, &entries);

	pfree(entries);
	return n;
}

/* Process i does this about a lock. */
static void
does(int i, int tranche, int mode, LwpPhase phase)
{
	quiet[i] = false;
	observations[i].active = true;
	observations[i].word = lwp_word((void *) 0x1000, (uint32) tranche, (uint32) mode, phase);
	observations[i].phase = phase;
	observations[i].tranche = phase == LWP_PHASE_NONE ? -1 : tranche;
}

/* Process i holds one more lock. */
static void
holds(int i, int tranche, int mode)
{
	uint64 depth = lwp_level_depth(fronts[i].level);

	*lwp_slot_entry(&slots[i], depth) =
		lwp_word((void *) (0x1000 + 8 * depth), (uint32) tranche, (uint32) mode, 0);
	fronts[i].level = lwp_level(depth + 1, LWP_PHASE_NONE);
}

static void
nobody_works_nothing_is_charged(void **state)
{
	(void) state;
	lwp_pass(&observer, 10);
	assert_int_equal(rows(), 0);
	assert_int_equal(followed, 1); /* newcomers are looked for in every pass */
}

static void
every_phase_has_its_row(void **state)
{
	(void) state;
	does(0, 8, LW_EXCLUSIVE, LWP_PHASE_WAITING);
	does(1, 8, LW_SHARED, LWP_PHASE_ACQUIRING);
	does(2, 9, LW_SHARED, LWP_PHASE_RELEASING);
	does(3, 0, 0, LWP_PHASE_NONE);
	observations[3].database = 5;
	lwp_pass(&observer, 10);
	lwp_pass(&observer, 7);
	assert_int_equal(charged(8, LWP_PROFILE_WAITING, LW_EXCLUSIVE, 4, 16384), 17);
	assert_int_equal(charged(8, LWP_PROFILE_ACQUIRING, LW_SHARED, 4, 16384), 17);
	assert_int_equal(charged(9, LWP_PROFILE_RELEASING, LW_SHARED, 4, 16384), 17);
	assert_int_equal(charged(0, LWP_PROFILE_ACTIVE, 0, 4, 16384), 3 * 17);
	assert_int_equal(charged(0, LWP_PROFILE_ACTIVE, 0, 4, 5), 17);
	assert_int_equal(rows(), 5);
}

/* However many partitions of a lock a backend holds, its time is its time. */
static void
holding_counts_once_per_tranche_and_mode(void **state)
{
	(void) state;
	does(0, 0, 0, LWP_PHASE_NONE);
	for (int i = 0; i < 12; i++)
		holds(0, 7, LW_SHARED);
	holds(0, 7, LW_EXCLUSIVE);
	holds(0, 8, LW_SHARED);
	lwp_pass(&observer, 10);
	assert_int_equal(charged(7, LWP_PROFILE_HOLDING, LW_SHARED, 4, 16384), 10);
	assert_int_equal(charged(7, LWP_PROFILE_HOLDING, LW_EXCLUSIVE, 4, 16384), 10);
	assert_int_equal(charged(8, LWP_PROFILE_HOLDING, LW_SHARED, 4, 16384), 10);
	assert_int_equal(charged(0, LWP_PROFILE_ACTIVE, 0, 4, 16384), 10);
	assert_int_equal(rows(), 4);
}

static void
waiter_holds_what_is_below(void **state)
{
	(void) state;
	does(0, 8, LW_EXCLUSIVE, LWP_PHASE_WAITING);
	holds(0, 7, LW_SHARED);
	holds(0, 8, LW_EXCLUSIVE);
	fronts[0].level += LWP_PHASE_WAITING;
	lwp_pass(&observer, 10);
	assert_int_equal(charged(8, LWP_PROFILE_WAITING, LW_EXCLUSIVE, 4, 16384), 10);
	assert_int_equal(charged(7, LWP_PROFILE_HOLDING, LW_SHARED, 4, 16384), 10);
	assert_int_equal(charged(8, LWP_PROFILE_HOLDING, LW_EXCLUSIVE, 4, 16384), 0);
}

/* A slot that its PGPROC's present owner has not taken over yet says nothing about that one. */
static void
slot_of_a_predecessor_is_not_read(void **state)
{
	(void) state;
	does(0, 0, 0, LWP_PHASE_NONE);
	holds(0, 7, LW_SHARED);
	slots[0].pid = 999;
	lwp_pass(&observer, 10);
	assert_int_equal(charged(7, LWP_PROFILE_HOLDING, LW_SHARED, 4, 16384), 0);
	assert_int_equal(charged(0, LWP_PROFILE_ACTIVE, 0, 4, 16384), 10);
}

static void
sampler_leaves_itself_out(void **state)
{
	(void) state;
	does(1, 8, LW_SHARED, LWP_PHASE_WAITING);
	observations[1].pid = MyProcPid;
	lwp_pass(&observer, 10);
	assert_int_equal(rows(), 0);
}

/* Without detours there is no slot, and a mode nobody knows. */
static void
wait_event_mode_needs_no_slot(void **state)
{
	(void) state;
	does(0, 8, LWP_MODE_UNKNOWN, LWP_PHASE_WAITING);
	procs[0].slot = NULL;
	procs[0].front = NULL;
	lwp_pass(&observer, 10);
	assert_int_equal(charged(8, LWP_PROFILE_WAITING, LWP_MODE_UNKNOWN, 4, 16384), 10);
	assert_int_equal(charged(0, LWP_PROFILE_ACTIVE, 0, 4, 16384), 10);
}

static void
weight_is_the_time_since_the_last_pass(void **state)
{
	(void) state;
	assert_int_equal(lwp_pass_weight(0, MS), 0);
	assert_int_equal(lwp_pass_weight(MS / 2, MS), MS / 2);
	assert_int_equal(lwp_pass_weight(17 * MS, MS), 17 * MS); /* a few late ticks are nothing */
	assert_int_equal(lwp_pass_weight(1999 * MS, 1000 * MS), 1999 * MS);
}

static void
weight_of_a_long_gap_is_bounded(void **state)
{
	(void) state;
	assert_int_equal(lwp_pass_weight(2000 * MS, MS), 100 * MS);
	assert_int_equal(lwp_pass_weight(2000 * MS, 10 * MS), 100 * MS);
	assert_int_equal(lwp_pass_weight(101 * MS, 50 * MS), 100 * MS);
	assert_int_equal(lwp_pass_weight(2001 * MS, 1000 * MS), 2000 * MS);
	assert_int_equal(lwp_pass_weight(UINT64_MAX, 10000 * MS), 20000 * MS);
}

static void
profile_key_keeps_all_parts(void **state)
{
	(void) state;
	for (int tranche = 0; tranche <= LWP_TRANCHES_LIMIT; tranche += 4096)
		for (int phase = LWP_PROFILE_ACQUIRING; phase <= LWP_PROFILE_ACTIVE; phase++)
			for (int mode = 0; mode <= LWP_MODE_UNKNOWN; mode++)
			{
				LwpKey key = lwp_profile_key(tranche, phase, mode, 127, 4294967295U);

				assert_int_not_equal(key.word[0], 0);
				assert_int_equal(lwp_profile_tranche(&key), tranche);
				assert_int_equal(lwp_profile_phase(&key), phase);
				assert_int_equal(lwp_profile_mode(&key), mode);
				assert_int_equal(lwp_profile_backend_type(&key), 127);
				assert_int_equal(lwp_profile_database(&key), 4294967295U);
			}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_works_nothing_is_charged, setup, teardown),
		cmocka_unit_test_setup_teardown(every_phase_has_its_row, setup, teardown),
		cmocka_unit_test_setup_teardown(holding_counts_once_per_tranche_and_mode, setup, teardown),
		cmocka_unit_test_setup_teardown(waiter_holds_what_is_below, setup, teardown),
		cmocka_unit_test_setup_teardown(slot_of_a_predecessor_is_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(sampler_leaves_itself_out, setup, teardown),
		cmocka_unit_test_setup_teardown(wait_event_mode_needs_no_slot, setup, teardown),
		cmocka_unit_test(weight_is_the_time_since_the_last_pass),
		cmocka_unit_test(weight_of_a_long_gap_is_bounded),
		cmocka_unit_test(profile_key_keeps_all_parts),
	};

	return cmocka_run_group_tests_name("pass", tests, NULL, NULL);
}
