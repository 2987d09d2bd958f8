/*
 * test_arch_detoured.c
 *		Entries of functions that can be detoured on x86-64, and what becomes of them.
 */
#include "arena.h"

#if defined(__x86_64__)

static void
first_push_stays(void **state)
{
	(void) state;
	FUNCTION("\x53"         /* push %rbx */
			 "\x89\xfb"     /* mov %edi,%ebx */
			 "\x8d\x43\x07" /* lea 7(%rbx),%eax */
			 "\x5b"         /* pop %rbx */
			 "\xc3");
	planned(1, 6);
	assert_true(detour.undo_first);
	behaves(ADDED);
}

static void
first_push_of_a_high_register_stays(void **state)
{
	(void) state;
	FUNCTION("\x41\x54"             /* push %r12 */
			 "\x41\x89\xfc"         /* mov %edi,%r12d */
			 "\x41\x8d\x44\x24\x07" /* lea 7(%r12),%eax */
			 "\x41\x5c"             /* pop %r12 */
			 "\xc3");
	planned(2, 8);
	assert_true(detour.undo_first);
	behaves(ADDED);
}

static void
first_endbr64_stays(void **state)
{
	(void) state;
	FUNCTION("\xf3\x0f\x1e\xfa" /* endbr64 */
			 "\x8d\x47\x07"     /* lea 7(%rdi),%eax */
			 "\x83\xc0\x00"     /* add $0,%eax */
			 "\xc3");
	planned(4, 6);
	assert_false(detour.undo_first);
	behaves(ADDED);
}

static void
first_load_of_a_scratch_register_stays(void **state)
{
	(void) state;
	FUNCTION("\xb8\x07\x00\x00\x00" /* mov $7,%eax */
			 "\x01\xf8"             /* add %edi,%eax */
			 "\x90\x90\x90\x90"
			 "\xc3");
	planned(5, 6);
	assert_false(detour.undo_first);
	behaves(ADDED);
}

/* Two bytes long like a push, but nothing to undo. */
static void
first_test_of_an_argument_stays(void **state)
{
	(void) state;
	FUNCTION("\x85\xff"     /* test %edi,%edi */
			 "\x0f\x95\xc0" /* setne %al */
			 "\x0f\xb6\xc0" /* movzbl %al,%eax */
			 "\x6b\xc0\x07" /* imul $7,%eax,%eax */
			 "\x01\xf8"     /* add %edi,%eax */
			 "\xc3");
	planned(2, 6);
	assert_false(detour.undo_first);
	behaves(0);
}

static void
first_clearing_of_a_scratch_register_stays(void **state)
{
	(void) state;
	FUNCTION("\x31\xc0"     /* xor %eax,%eax */
			 "\x83\xc0\x07" /* add $7,%eax */
			 "\x01\xf8"     /* add %edi,%eax */
			 "\x90"
			 "\xc3");
	planned(2, 6);
	assert_false(detour.undo_first);
	behaves(ADDED);
}

/* The copy of the first instruction in "original" must look at the same place. */
static void
first_load_from_memory_is_reaimed(void **state)
{
	(void) state;
	FUNCTION("\x8b\x05\x00\x00\x00\x00" /* mov data(%rip),%eax */
			 "\x01\xf8"                 /* add %edi,%eax */
			 "\x90\x90\x90\x90"
			 "\xc3");
	arena_put_rel32(2, 6, DATA_AT);
	planned(6, 6);
	behaves(ADDED);
}

static void
changing_an_argument_is_moved(void **state)
{
	(void) state;
	FUNCTION("\x83\xc7\x00" /* add $0,%edi */
			 "\x8d\x47\x07" /* lea 7(%rdi),%eax */
			 "\xc3");
	planned(0, 6);
	behaves(ADDED);
}

static void
stack_allocation_is_moved(void **state)
{
	(void) state;
	FUNCTION("\x48\x83\xec\x18" /* sub $24,%rsp */
			 "\x8d\x47\x07"     /* lea 7(%rdi),%eax */
			 "\x48\x83\xc4\x18" /* add $24,%rsp */
			 "\xc3");
	planned(0, 7);
	behaves(ADDED);
}

static void
moved_operand_is_reaimed(void **state)
{
	(void) state;
	FUNCTION("\x53"                     /* push %rbx */
			 "\x8b\x1d\x00\x00\x00\x00" /* mov data(%rip),%ebx */
			 "\x8d\x04\x3b"             /* lea (%rbx,%rdi),%eax */
			 "\x5b"                     /* pop %rbx */
			 "\xc3");
	arena_put_rel32(3, 7, DATA_AT);
	planned(1, 6);
	behaves(ADDED);
}

/* The displacement is not at the end of the instruction. */
static void
moved_operand_before_an_immediate_is_reaimed(void **state)
{
	(void) state;
	FUNCTION("\x81\x05\x00\x00\x00\x00\x0b\x00\x00\x00" /* addl $11,data(%rip) */
			 "\x8d\x47\x07"                             /* lea 7(%rdi),%eax */
			 "\xc3");
	arena_put_rel32(2, 10, DATA_AT);
	planned(0, 10);
	behaves(ADDED);
	/* the last call was of the detoured function */
	assert_int_equal(arena_data(), ADDED + 11);
}

static void
moved_jump_is_reaimed(void **state)
{
	(void) state;
	FUNCTION("\x53" /* push %rbx */
			 "\x5b" /* pop %rbx */
			 "\xe9\x00\x00\x00\x00" /* jmp tail */);
	arena_put_rel32(3, 7, TAIL_AT);
	planned(1, 6);
	behaves(ADDED);
}

/* Five bytes have no room for the indirect jump. */
static void
short_entry_gets_a_relay(void **state)
{
	(void) state;
	FUNCTION("\xf3\x0f\x1e\xfa" /* endbr64 */
			 "\xe9\x00\x00\x00\x00" /* jmp tail */);
	arena_put_rel32(5, 9, TAIL_AT);
	planned(4, 5);
	behaves(ADDED);
	assert_non_null(detour.relay);
}

static void
moved_conditional_jump_is_reaimed(void **state)
{
	(void) state;
	FUNCTION("\x53"                     /* push %rbx */
			 "\x5b"                     /* pop %rbx */
			 "\x85\xff"                 /* test %edi,%edi */
			 "\x0f\x84\x00\x00\x00\x00" /* je lost */
			 "\x8d\x47\x07"             /* lea 7(%rdi),%eax */
			 "\xc3");
	arena_put_rel32(6, 10, LOST_AT);
	planned(1, 9);
	behaves(99);
}

static void
moved_short_conditional_jump_is_widened(void **state)
{
	(void) state;
	FUNCTION("\x53"         /* push %rbx */
			 "\x85\xff"     /* test %edi,%edi */
			 "\x74\x05"     /* je 1f */
			 "\x8d\x47\x07" /* lea 7(%rdi),%eax */
			 "\x5b"         /* pop %rbx */
			 "\xc3"
			 "\xb8\x63\x00\x00\x00" /* 1: mov $99,%eax */
			 "\x5b"                 /* pop %rbx */
			 "\xc3");
	planned(1, 7);
	behaves(99);
}

static void
moved_short_jump_is_widened(void **state)
{
	(void) state;
	FUNCTION("\x53"         /* push %rbx */
			 "\x8d\x47\x07" /* lea 7(%rdi),%eax */
			 "\xeb\x02"     /* jmp 1f */
			 "\x0f\x0b"     /* ud2 */
			 "\x5b"         /* 1: pop %rbx */
			 "\xc3");
	planned(1, 5);
	behaves(ADDED);
	assert_non_null(detour.relay);
}

/* Going back to the very beginning, or to what follows the jump, does no harm. */
static void
branches_beside_the_jump_are_fine(void **state)
{
	(void) state;
	FUNCTION("\x53"         /* push %rbx */
			 "\x89\xfb"     /* mov %edi,%ebx */
			 "\x8d\x43\x07" /* lea 7(%rbx),%eax */
			 "\x5b"         /* 1: pop %rbx */
			 "\xc3"
			 "\x75\xf6"   /* jne 0 */
			 "\x75\xfb"); /* jne 1b + 1 */
	planned(1, 6);
	behaves(ADDED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(first_push_stays),
		CASE(first_push_of_a_high_register_stays),
		CASE(first_endbr64_stays),
		CASE(first_load_of_a_scratch_register_stays),
		CASE(first_test_of_an_argument_stays),
		CASE(first_clearing_of_a_scratch_register_stays),
		CASE(first_load_from_memory_is_reaimed),
		CASE(changing_an_argument_is_moved),
		CASE(stack_allocation_is_moved),
		CASE(moved_operand_is_reaimed),
		CASE(moved_operand_before_an_immediate_is_reaimed),
		CASE(moved_jump_is_reaimed),
		CASE(short_entry_gets_a_relay),
		CASE(moved_conditional_jump_is_reaimed),
		CASE(moved_short_conditional_jump_is_widened),
		CASE(moved_short_jump_is_widened),
		CASE(branches_beside_the_jump_are_fine),
	};

	return cmocka_run_group_tests_name("detoured entries", tests, NULL, NULL);
}

#else

int
main(void)
{
	print_message("1..0 # SKIP not x86-64\n");
	return 0;
}

#endif
