/*
 * test_arch_refused.c
 *		Entries of functions that a detour on x86-64 is not for, and the reasons given.
 */
#include "arena.h"

#if defined(__x86_64__)

#include <sys/mman.h>

static void
calls_are_refused(void **state)
{
	(void) state;
	FUNCTION("\x53\xe8\x00\x00\x00\x00\x5b\xc3");
	refused("begins with a branch that can't be moved (call");
	FUNCTION("\x53\xff\xd0\x5b\xc3\x90\x90\x90");
	refused("begins with an instruction that can't be moved (call");
}

static void
returns_are_refused(void **state)
{
	(void) state;
	FUNCTION("\x53\x5b\xc3\x90\x90\x90\x90\x90");
	refused("begins with an instruction that can't be moved (ret");
	FUNCTION("\xc3\x90\x90\x90\x90\x90\x90\x90");
	refused("begins with an instruction that can't be moved (ret");
}

static void
breakpoints_are_refused(void **state)
{
	(void) state;
	FUNCTION("\xcc\x89\xfb\x8d\x43\x07\x5b\xc3");
	refused("has a breakpoint in its entry");
	FUNCTION("\x53\xcc\xfb\x8d\x43\x07\x5b\xc3");
	refused("has a breakpoint in its entry");
}

static void
indirect_jumps_are_refused(void **state)
{
	(void) state;
	FUNCTION("\x53\xff\xe0\x90\x90\x90\x90\xc3");
	refused("begins with an instruction that can't be moved (jmp");
	FUNCTION("\x53\xff\x25\x00\x00\x00\x00\xc3");
	refused("begins with an instruction that can't be moved (jmp");
}

/* There is no wider form of these. */
static void
loops_are_refused(void **state)
{
	(void) state;
	FUNCTION("\x53\xe3\x04\x8d\x47\x07\x5b\xc3");
	refused("begins with a branch that can't be moved (jrcxz");
	FUNCTION("\x53\xe2\x04\x8d\x47\x07\x5b\xc3");
	refused("begins with a branch that can't be moved (loop");
}

static void
addresses_of_32_bits_are_refused(void **state)
{
	(void) state;
	FUNCTION("\x53\x67\x8b\x1d\x00\x00\x00\x00\x8d\x04\x3b\x5b\xc3"); /* mov 0(%eip),%ebx */
	refused("begins with an operand that can't be re-aimed (mov");
}

static void
short_functions_are_refused(void **state)
{
	(void) state;
	FUNCTION("\x53\x8d\x47\x07\x5b"); /* falls into what follows */
	refused("cannot decode the entry");
	FUNCTION("\x53\xeb\x02\x0f\x0b\x5b\x90\x90\xc3");
	refused("is too short");
	detour.size = 0;
	refused("cannot decode the entry");
}

static void
rubbish_is_refused(void **state)
{
	(void) state;
	FUNCTION("\x06\x06\x06\x06\x06\x06\x06\x06\x06\x06");
	refused("cannot decode the entry");
	FUNCTION("\x53\x06\x06\x06\x06\x06\x06\x06\x06\x06");
	refused("cannot decode the entry");
}

static void
branches_into_the_jump_are_refused(void **state)
{
	(void) state;
	for (int to = 1; to < 7; to++)
	{
		FUNCTION("\x53"         /* push %rbx */
				 "\x89\xfb"     /* mov %edi,%ebx */
				 "\x8d\x43\x07" /* lea 7(%rbx),%eax */
				 "\x5b"         /* pop %rbx */
				 "\xc3"
				 "\x75\x00");
		arena[9] = (uint8) (to - 10);
		refused("branches into its own entry");
	}
	/* a wide one, behind something that is no instruction */
	FUNCTION("\x53\x89\xfb\x8d\x43\x07\x5b\xc3"
			 "\x06\x06\x0f\x84\x00\x00\x00\x00\xc3");
	arena_put_rel32(12, 16, 3);
	refused("branches into its own entry");
	/* the jump begins at the entry itself: coming back there is fine, into it is not */
	FUNCTION("\x83\xc7\x00\x8d\x47\x07\xc3\x75\xf7");
	planned(0, 6);
	FUNCTION("\x83\xc7\x00\x8d\x47\x07\xc3\x75\xfa");
	refused("branches into its own entry");
}

/* A near page that is not near: everything in the moved code must still be reached. */
static void
out_of_reach_is_refused(void **state)
{
	uint8 *far = mmap(arena + ((Size) 64 << 30), PAGE, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8 *end;
	const char *why;

	(void) state;
	assert_true(far != MAP_FAILED);
	if (far < arena + ((Size) 3 << 30) && far > arena - ((Size) 3 << 30))
		skip();
	FUNCTION("\x53\x8b\x1d\x00\x00\x00\x00\x8d\x04\x3b\x5b\xc3");
	arena_put_rel32(3, 7, DATA_AT);
	planned(1, 6);
	why = lwp_arch_emit(&detour, far, &end);
	assert_non_null(why);
	assert_non_null(strstr(why, "victim refers to something out of reach of the near page"));
	munmap(far, PAGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(calls_are_refused),
		CASE(returns_are_refused),
		CASE(breakpoints_are_refused),
		CASE(indirect_jumps_are_refused),
		CASE(loops_are_refused),
		CASE(addresses_of_32_bits_are_refused),
		CASE(short_functions_are_refused),
		CASE(rubbish_is_refused),
		CASE(branches_into_the_jump_are_refused),
		CASE(out_of_reach_is_refused),
	};

	return cmocka_run_group_tests_name("refused entries", tests, NULL, NULL);
}

#else

int
main(void)
{
	print_message("1..0 # SKIP not x86-64\n");
	return 0;
}

#endif
