/*
 * test_slot.c
 *		State words, levels, and the layout and life of slots.
 */
#include "stubs.h"

#include "compat.h"
#include "names.h"
#include "slot.h"

#define MAX_TRANCHES 160
#define NSLOTS       5

static uint32 my_backend_type = 7;

uint32
lwp_name_my_backend_type(void)
{
	return my_backend_type;
}

/* --- words ---------------------------------------------------------------------- */

static void
word_keeps_all_parts(void **state)
{
	static const uintptr_t addrs[] = {0, 4, 0x80, 0x7f0012345678, 0x7ffffffffffc, 0xfffffffffffc};
	static const uint32 tranches[] = {0, 1, 65, 159, 160, 255, 256, LWP_TRANCHES_LIMIT};

	(void) state;
	for (size_t a = 0; a < lengthof(addrs); a++)
		for (size_t t = 0; t < lengthof(tranches); t++)
			for (uint32 mode = 0; mode <= LWP_MODE_UNKNOWN; mode++)
				for (LwpPhase phase = LWP_PHASE_NONE; phase <= LWP_PHASE_RELEASING; phase++)
				{
					LwpWord word = lwp_word((void *) addrs[a], tranches[t], mode, phase);

					assert_int_equal(lwp_word_addr(word), addrs[a]);
					assert_int_equal(lwp_word_tranche(word), tranches[t]);
					assert_int_equal(lwp_word_mode(word), mode);
					assert_int_equal(lwp_word_phase(word), phase);
				}
}

static void
word_changes_phase_only(void **state)
{
	LwpWord word =
		lwp_word((void *) 0x7f00deadbeec, LWP_TRANCHES_LIMIT, LW_SHARED, LWP_PHASE_RELEASING);

	(void) state;
	for (LwpPhase phase = LWP_PHASE_NONE; phase <= LWP_PHASE_RELEASING; phase++)
	{
		LwpWord other = lwp_word_in_phase(word, phase);

		assert_int_equal(lwp_word_phase(other), phase);
		assert_int_equal(lwp_word_in_phase(other, LWP_PHASE_RELEASING), word);
		assert_true(lwp_word_same_lock(other, word));
	}
}

static void
word_tells_locks_apart(void **state)
{
	LwpWord a =
		lwp_word((void *) 0x7f0000001000, LWP_TRANCHES_LIMIT, LWP_MODE_UNKNOWN, LWP_PHASE_WAITING);

	(void) state;
	assert_true(
		lwp_word_same_lock(a, lwp_word((void *) 0x7f0000001000, 0, LW_EXCLUSIVE, LWP_PHASE_NONE)));
	assert_false(lwp_word_same_lock(a, lwp_word((void *) 0x7f0000001004, LWP_TRANCHES_LIMIT,
												LWP_MODE_UNKNOWN, LWP_PHASE_WAITING)));
	assert_false(lwp_word_same_lock(a, lwp_word((void *) 0xff0000001000, LWP_TRANCHES_LIMIT,
												LWP_MODE_UNKNOWN, LWP_PHASE_WAITING)));
}

/* The hot path counts through the low bits of the word, whatever the phase above them. */
static void
word_finds_its_counters(void **state)
{
	LwpHot *hot = calloc(MAX_TRANCHES + 1, sizeof(LwpHot));

	(void) state;
	for (uint32 t = 0; t <= MAX_TRANCHES; t++)
		for (uint32 mode = LW_EXCLUSIVE; mode <= LW_SHARED; mode++)
		{
			LwpWord word = lwp_word((void *) 0xfffffffffffc, t, mode, LWP_PHASE_NONE);

			assert_ptr_equal(lwp_acquires_of((uint64 *) hot, word), &hot[t].acquires[mode]);
			assert_ptr_equal(lwp_releases_of((uint64 *) hot, word), &hot[t].releases[mode]);
		}
	free(hot);
}

/* --- levels ------------------------------------------------------------------------ */

static void
level_keeps_depth_and_phase(void **state)
{
	(void) state;
	for (uint64 depth = 0; depth <= LWP_STACK_SIZE; depth++)
		for (LwpPhase phase = LWP_PHASE_NONE; phase <= LWP_PHASE_RELEASING; phase++)
		{
			assert_int_equal(lwp_level_depth(lwp_level(depth, phase)), depth);
			assert_int_equal(lwp_level_phase(lwp_level(depth, phase)), phase);
		}
	/* what a reader makes of rubbish stays within the stack */
	assert_int_equal(lwp_level_depth(UINT64_MAX), LWP_STACK_SIZE);
}

/* --- slots ------------------------------------------------------------------------- */

static char *
new_slots(void)
{
	Size size = lwp_slots_size(NSLOTS, MAX_TRANCHES);
	char *base = aligned_alloc(LWP_CACHE_LINE, TYPEALIGN(LWP_CACHE_LINE, size));

	assert_non_null(base);
	memset(base, 0, size);
	lwp_slot_attach(base, NSLOTS, MAX_TRANCHES, false);
	return base;
}

/* As in another process. */
static void
forget_binding(char *base)
{
	lwp_slot_attach(base, NSLOTS, MAX_TRANCHES, true);
}

static int
setup(void **state)
{
	if (lwp_slot_private() == NULL)
		lwp_slot_init_private(MAX_TRANCHES);
	MyProc = NULL;
	*state = new_slots();
	return 0;
}

static int
teardown(void **state)
{
	free(*state);
	return 0;
}

static void
fill(void *part, Size size, int c)
{
	memset(part, c, size);
}

static void
holds(const void *part, Size size, int c)
{
	const unsigned char *bytes = part;

	for (Size i = 0; i < size; i++)
		if (bytes[i] != c)
			fail_msg("byte %zu is %d, not %d", i, bytes[i], c);
}

/* Fill every part of every slot with a pattern of its own; all must survive, inside the memory. */
static void
parts_do_not_overlap(void **state)
{
	char *base = *state;
	char *end = base + lwp_slots_size(NSLOTS, MAX_TRANCHES);
	Size hot = sizeof(LwpHot) * (MAX_TRANCHES + 1);
	Size cold = sizeof(LwpCold) * (MAX_TRANCHES + 1);
	LwpSlot saved[NSLOTS];

	for (int i = 0; i < NSLOTS; i++)
	{
		LwpSlot *slot = lwp_slot_get(i);

		saved[i] = *slot;
		assert_int_equal((uintptr_t) slot->front % LWP_CACHE_LINE, 0);
		assert_int_equal((uintptr_t) slot->hot % LWP_CACHE_LINE, 0);
		assert_int_equal((uintptr_t) slot->cold % LWP_CACHE_LINE, 0);
		assert_true((char *) slot->front > base && (char *) slot->cold + cold <= end);
		if (i > 0)
			assert_ptr_equal(slot->front, lwp_slot_get(i - 1)->front + 1); /* side by side */
	}
	for (int i = 0; i < NSLOTS; i++)
	{
		fill(saved[i].front, sizeof(LwpFront), 10 + i);
		fill(saved[i].hot, hot, 20 + i);
		fill(saved[i].cold, cold, 30 + i);
		fill(lwp_slot_get(i), sizeof(LwpSlot), 40 + i);
	}
	for (int i = 0; i < NSLOTS; i++)
	{
		holds(saved[i].front, sizeof(LwpFront), 10 + i);
		holds(saved[i].hot, hot, 20 + i);
		holds(saved[i].cold, cold, 30 + i);
		holds(lwp_slot_get(i), sizeof(LwpSlot), 40 + i);
	}
	assert_int_equal(lwp_slot_bind_count(), 0); /* the header is untouched, too */
}

static void
slot_is_small_enough(void **state)
{
	(void) state;
	assert_in_range(lwp_slot_size(MAX_TRANCHES), 1, 24 * 1024);
}

static void
stack_goes_on_behind_the_front(void **state)
{
	LwpSlot *slot = lwp_slot_get(2);
	LwpWord held[LWP_STACK_SIZE];

	(void) state;
	for (uint64 i = 0; i < LWP_STACK_SIZE; i++)
		*lwp_slot_entry(slot, i) =
			lwp_word((void *) (0x1000 + 8 * i), (uint32) i % MAX_TRANCHES, LW_SHARED, 0);
	assert_ptr_equal(lwp_slot_entry(slot, LWP_FRONT_ENTRIES - 1),
					 &slot->front->stack[LWP_FRONT_ENTRIES - 1]);
	assert_ptr_equal(lwp_slot_entry(slot, LWP_FRONT_ENTRIES), &slot->deep[0]);
	assert_ptr_equal(lwp_slot_entry(slot, LWP_STACK_SIZE - 1),
					 &slot->deep[LWP_STACK_SIZE - LWP_FRONT_ENTRIES - 1]);

	for (uint64 depth = 0; depth <= LWP_STACK_SIZE; depth += 51)
	{
		slot->front->level = lwp_level(depth, LWP_PHASE_NONE);
		assert_int_equal(lwp_slot_state(slot), 0);
		assert_int_equal(lwp_slot_held(slot, held), depth);
		for (uint64 i = 0; i < depth; i++)
			assert_int_equal(lwp_word_addr(held[i]), 0x1000 + 8 * i);
	}
}

/* The top entry is what is being done, and is held only in phase 0. */
static void
top_is_the_state(void **state)
{
	LwpSlot *slot = lwp_slot_get(0);
	LwpWord held[LWP_STACK_SIZE];

	(void) state;
	*lwp_slot_entry(slot, 0) = lwp_word((void *) 0x1000, 3, LW_EXCLUSIVE, 0);
	*lwp_slot_entry(slot, 1) = lwp_word((void *) 0x2000, 4, LW_SHARED, 0);
	for (LwpPhase phase = LWP_PHASE_ACQUIRING; phase <= LWP_PHASE_RELEASING; phase++)
	{
		slot->front->level = lwp_level(2, phase);
		assert_int_equal(lwp_slot_state(slot), lwp_word((void *) 0x2000, 4, LW_SHARED, phase));
		assert_int_equal(lwp_slot_held(slot, held), 1);
		assert_int_equal(lwp_word_addr(held[0]), 0x1000);
	}
	slot->front->level = lwp_level(0, LWP_PHASE_RELEASING); /* "unbound" */
	assert_int_equal(lwp_slot_state(slot), 0);
	assert_int_equal(lwp_slot_held(slot, held), 0);
}

static void
sums_are_of_all_tranches(void **state)
{
	LwpSlot *slot = lwp_slot_get(1);
	LwpSlotSums sums;

	(void) state;
	slot->hot[0].acquires[LW_EXCLUSIVE] = 1;
	slot->hot[MAX_TRANCHES].acquires[LW_SHARED] = 10;
	slot->hot[5].releases[LW_SHARED] = 1000;
	slot->cold[0].blocked[LW_EXCLUSIVE] = 1;
	slot->cold[1].blocked[LW_SHARED] = 2;
	slot->cold[2].group_waits = 4;
	slot->cold[MAX_TRANCHES].var_waits = 8;
	slot->cold[3].conditional_failures = 1000;
	slot->cold[0].wait_time = 5;
	slot->cold[MAX_TRANCHES].wait_time = 50;
	sums = lwp_slot_sums(slot);
	assert_int_equal(sums.acquires, 11);
	assert_int_equal(sums.blocked, 15);
	assert_int_equal(sums.wait_time, 55);
}

/* --- binding --------------------------------------------------------------------- */

static void
no_proc_no_slot(void **state)
{
	PGPROC prepared = {.pgprocno = NSLOTS}; /* the dummy of a prepared transaction */

	(void) state;
	assert_ptr_equal(lwp_slot_bind(), lwp_slot_private());
	assert_null(lwp_slot);
	MyProc = &prepared;
	assert_ptr_equal(lwp_slot_bind(), lwp_slot_private());
	assert_null(lwp_slot);
	assert_int_equal(lwp_slot_bind_count(), 0);
	/* the quick path must not run */
	assert_int_not_equal(lwp_level_phase(lwp_front->level), LWP_PHASE_NONE);
}

static void
binding_takes_over_a_slot(void **state)
{
	PGPROC proc = {.pgprocno = 3};
	LwpSlot *slot = lwp_slot_get(3);

	MyProc = &proc;
	MyProcPid = 101;
	my_backend_type = 9;
	/* left by a predecessor that was killed in the middle of things */
	slot->front->level = lwp_level(4, LWP_PHASE_WAITING);
	slot->wait_start = 12345;
	slot->wait_seq = 7;
	slot->hot[8].acquires[LW_SHARED] = 30;

	assert_ptr_equal(lwp_slot_bind(), slot);
	assert_ptr_equal(lwp_slot, slot);
	assert_ptr_equal(lwp_front, slot->front);
	assert_ptr_equal(lwp_hot_counters, slot->hot);
	assert_int_equal(slot->front->level, 0);
	assert_int_equal(slot->wait_start, 0);
	assert_int_equal(slot->wait_seq, 8); /* even again, so that readers don't wait */
	assert_int_equal(slot->pid, 101);
	assert_int_equal(slot->backend_type, 9);
	assert_int_equal(slot->at_bind.acquires, 30); /* counters go on, but are not this one's */
	assert_int_equal(slot->hot[8].acquires[LW_SHARED], 30);
	assert_int_equal(slot->binds, 1);
	assert_int_equal(lwp_slot_bind_count(), 1);

	assert_ptr_equal(lwp_slot_bind(), slot); /* once per process */
	assert_int_equal(lwp_slot_bind_count(), 1);

	forget_binding(*state);
	MyProcPid = 102;
	assert_ptr_equal(lwp_slot_bind(), slot);
	assert_int_equal(slot->pid, 102);
	assert_int_equal(slot->binds, 2);
	assert_int_equal(lwp_slot_bind_count(), 2);
}

static void
forgetting_locks_keeps_counters(void **state)
{
	PGPROC proc = {.pgprocno = 0};
	LwpSlot *slot;

	(void) state;
	lwp_slot_forget_locks(); /* nothing to forget: must not crash */
	MyProc = &proc;
	slot = lwp_slot_bind();
	slot->front->level = lwp_level(2, LWP_PHASE_NONE);
	slot->wait_start = 5;
	slot->hot[1].acquires[LW_SHARED] = 6;
	lwp_slot_forget_locks();
	assert_int_equal(slot->front->level, 0);
	assert_int_equal(slot->wait_start, 0);
	assert_int_equal(slot->hot[1].acquires[LW_SHARED], 6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(word_keeps_all_parts),
		cmocka_unit_test(word_changes_phase_only),
		cmocka_unit_test(word_tells_locks_apart),
		cmocka_unit_test(word_finds_its_counters),
		cmocka_unit_test(level_keeps_depth_and_phase),
		cmocka_unit_test(slot_is_small_enough),
		cmocka_unit_test_setup_teardown(parts_do_not_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(stack_goes_on_behind_the_front, setup, teardown),
		cmocka_unit_test_setup_teardown(top_is_the_state, setup, teardown),
		cmocka_unit_test_setup_teardown(sums_are_of_all_tranches, setup, teardown),
		cmocka_unit_test_setup_teardown(no_proc_no_slot, setup, teardown),
		cmocka_unit_test_setup_teardown(binding_takes_over_a_slot, setup, teardown),
		cmocka_unit_test_setup_teardown(forgetting_locks_keeps_counters, setup, teardown),
	};

	return cmocka_run_group_tests_name("slot", tests, NULL, NULL);
}
