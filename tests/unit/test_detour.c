/*
 * test_detour.c
 *		The transaction around a set of detours, on functions of this program:
 *		prepare, install, switch, remove, and every way it can be refused.
 *
 * The linker sends mprotect() of the files under test to __wrap_mprotect(),
 * which can be told to fail.
 */
#include "stubs.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "detour_parts.h"
#include "victims.h"

static int (*original_scale)(int x);
static int (*original_sum)(const int *values, int n);
static int (*original_choose)(int x, int a, int b);

static int
hook_scale(int x)
{
	return original_scale(x) + 1000;
}

static int
hook_sum(const int *values, int n)
{
	return -original_sum(values, n);
}

static int
hook_choose(int x, int a, int b)
{
	return original_choose(x, b, a); /* the other one */
}

#define DETOUR(function)                                                                           \
	{                                                                                              \
		.name = "victim_" #function, .target = (uint8 *) victim_##function,                        \
		.hook = hook_##function, .original = (void **) &original_##function                        \
	}

static const LwpDetour fresh[] = {DETOUR(scale), DETOUR(sum), DETOUR(choose)};

#define N ((int) lengthof(fresh))

static LwpDetour set[lengthof(fresh)];
static uint8 pristine[512]; /* the beginning of the victims */

/* --- mprotect ------------------------------------------------------------------------ */

extern int __real_mprotect(void *addr, size_t length, int protection);
extern int __wrap_mprotect(void *addr, size_t length, int protection);

static int protections; /* calls so far */
static int fail_from;   /* this call fails ... */
static int fail_calls;  /* ... and so many from there on */
static bool writable_and_executable;

int
__wrap_mprotect(void *addr, size_t length, int protection)
{
	int n = ++protections;

	if ((protection & PROT_WRITE) && (protection & PROT_EXEC))
		writable_and_executable = true;
	if (fail_from > 0 && n >= fail_from && n < fail_from + fail_calls)
	{
		errno = EACCES;
		return -1;
	}
	return __real_mprotect(addr, length, protection);
}

static void
fail_protection(int from, int calls)
{
	protections = 0;
	fail_from = from;
	fail_calls = calls;
}

/* --- helpers ------------------------------------------------------------------------- */

static int
setup(void **state)
{
	(void) state;
	memcpy(set, fresh, sizeof(set));
	memcpy(pristine, (void *) victim_scale, sizeof(pristine));
	fail_protection(0, 0);
	writable_and_executable = false;
	stub_slept_us = 0;
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	fail_protection(0, 0);
	lwp_detour_remove(set, N);
	return 0;
}

static void
victims_do_their_work(void)
{
	static const int values[] = {1, 20, 300};
	int calls = victim_calls;

	assert_int_equal(victim_scale(7), 21);
	assert_int_equal(victim_sum(values, 3), 321);
	assert_int_equal(victim_sum(values, 0), 0);
	assert_int_equal(victim_choose(-1, 5, 6), 5);
	assert_int_equal(victim_choose(1, 5, 6), 6);
	assert_int_equal(victim_calls, calls + 3);
}

static void
hooks_do_their_work(void)
{
	static const int values[] = {1, 20, 300};
	int calls = victim_calls;

	assert_int_equal(victim_scale(7), 1021);
	assert_int_equal(victim_sum(values, 3), -321);
	assert_int_equal(victim_sum(values, 0), 0);
	assert_int_equal(victim_choose(-1, 5, 6), 6);
	assert_int_equal(victim_choose(1, 5, 6), 5);
	assert_int_equal(victim_calls, calls + 3);
	assert_int_equal(original_scale(7), 21);
}

static void
text_is_pristine(void)
{
	assert_memory_equal(pristine, (void *) victim_scale, sizeof(pristine));
}

static void
must_be(const char *why, const char *reason)
{
	assert_non_null(why);
	if (strstr(why, reason) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", why, reason);
}

/* Protection of the mapping an address is in, such as "r-xp"; "" when there is none. */
static void
protection_of(const void *addr, char protection[5])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];

	protection[0] = '\0';
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps) != NULL)
	{
		unsigned long start;
		unsigned long end;
		char found[5];

		if (sscanf(line, "%lx-%lx %4s", &start, &end, found) == 3 && (uintptr_t) addr >= start &&
			(uintptr_t) addr < end)
			strlcpy(protection, found, 5);
	}
	fclose(maps);
}

static void
is_protected(const void *addr, const char *expected)
{
	char protection[5];

	protection_of(addr, protection);
	assert_string_equal(protection, expected);
}

static void
prepared(void)
{
	const char *why = lwp_detour_prepare(set, N);

	if (why != NULL)
		fail_msg("refused: %s", why);
}

static void
installed(void)
{
	const char *why;

	prepared();
	why = lwp_detour_install(set, N);
	if (why != NULL)
		fail_msg("refused: %s", why);
}

/* --- tests ---------------------------------------------------------------------------- */

static void
preparing_changes_nothing(void **state)
{
	(void) state;
	prepared();
	text_is_pristine();
	victims_do_their_work();
	assert_int_equal(original_scale(7), 21); /* the copy works already */
	for (int i = 0; i < N; i++)
	{
		assert_int_not_equal(set[i].size, 0);
		assert_false(set[i].installed);
	}
}

static void
installed_detours_can_be_switched(void **state)
{
	(void) state;
	installed();
	for (int i = 0; i < N; i++)
		assert_memory_not_equal(set[i].target + set[i].patch_at, set[i].saved, set[i].patch_len);
	victims_do_their_work(); /* not recording yet */
	for (int i = 0; i < 3; i++)
	{
		lwp_detour_switch(set, N, true);
		hooks_do_their_work();
		lwp_detour_switch(set, N, false);
		victims_do_their_work();
	}
}

/* A kernel uprobe or a debugger writes over the first byte, and puts the file's byte back. */
static void
first_byte_stays_when_it_can(void **state)
{
	int kept = 0;

	(void) state;
	installed();
	for (int i = 0; i < N; i++)
		if (set[i].patch_at > 0)
		{
			assert_memory_equal(set[i].target, pristine + (set[i].target - (uint8 *) victim_scale),
								set[i].patch_at);
			kept++;
		}
	assert_true(kept > 0); /* compiled with frame pointers, so that a push comes first */
}

static void
nothing_is_writable_and_executable(void **state)
{
	(void) state;
	installed();
	assert_false(writable_and_executable);
	is_protected(set[0].plain, "r-xp");
	is_protected((void *) original_scale, "r-xp");
	is_protected(set[0].route, "rw-p");
	is_protected(set[0].target, "r-xp");
}

static void
removing_puts_everything_back(void **state)
{
	void *plain;

	(void) state;
	installed();
	lwp_detour_switch(set, N, true);
	plain = set[0].plain;
	assert_true(lwp_detour_remove(set, N));
	text_is_pristine();
	victims_do_their_work();
	is_protected(plain, "");
	assert_true(lwp_detour_remove(set, N)); /* nothing left to do */

	/* and all over again */
	memcpy(set, fresh, sizeof(set));
	installed();
	lwp_detour_switch(set, N, true);
	hooks_do_their_work();
}

/*
 * Let every single mprotect() fail in turn.  Whatever the answer is, the
 * functions work, and after a refusal they are as they were.
 */
static void
any_refused_protection_is_survived(void **state)
{
	static const char *const reasons[] = {
		"text may not be made writable",               /* rehearsal */
		"text may not be made executable again",       /* rehearsal */
		"cannot make the near page executable",        /* seal */
		"text may not be made writable",         NULL, /* first victim */
		"text may not be made writable",         NULL, /* second */
		"text may not be made writable",         NULL, /* third */
	};

	(void) state;
	for (size_t i = 0; i < lengthof(reasons); i++)
	{
		const char *why;

		memcpy(set, fresh, sizeof(set));
		stub_slept_us = 0;
		fail_protection((int) i + 1, 1);
		if ((why = lwp_detour_prepare(set, N)) == NULL)
			why = lwp_detour_install(set, N);
		fail_protection(0, 0);
		if (reasons[i] == NULL)
		{
			/* without execute permission the end would be near, so it insists */
			assert_null(why);
			lwp_detour_switch(set, N, true);
			hooks_do_their_work();
			assert_true(lwp_detour_remove(set, N));
		}
		else
			must_be(why, reasons[i]);
		text_is_pristine();
		victims_do_their_work();
		is_protected(set[0].target, "r-xp");
	}
}

static void
insists_on_executable_text(void **state)
{
	const char *why;

	(void) state;
	prepared();
	fail_protection(2, 100);
	why = lwp_detour_install(set, N);
	assert_null(why);
	assert_int_equal(stub_slept_us, 99 * 1000);
	is_protected(set[0].target, "r-xp");
}

/* An entry that can't be put back leads to the server's own code for ever. */
static void
entry_that_stays_is_plain(void **state)
{
	(void) state;
	installed();
	lwp_detour_switch(set, N, true);
	hooks_do_their_work();
	fail_protection(1, 1);
	assert_false(lwp_detour_remove(set, N));
	fail_protection(0, 0);
	assert_true(set[0].installed);
	assert_false(set[1].installed);
	victims_do_their_work();
	is_protected(set[0].plain, "r-xp");
	assert_true(lwp_detour_remove(set, N)); /* another time it works */
	text_is_pristine();
}

static void
modified_function_is_refused(void **state)
{
	uint8 *last = (uint8 *) victim_choose;
	uint8 saved;

	(void) state;
	prepared();
	last += set[2].size - 1;
	assert_true(lwp_detour_remove(set, N));
	memcpy(set, fresh, sizeof(set));

	saved = *last;
	assert_null(lwp_text_write(last, (const uint8 *) "\x90", 1));
	must_be(lwp_detour_prepare(set, N), "victim_choose was already modified by somebody else");
	assert_null(lwp_text_write(last, &saved, 1));
	text_is_pristine();
	installed();
}

static void
only_functions_of_the_program_are_taken(void **state)
{
	(void) state;
	set[1].target++;
	must_be(lwp_detour_prepare(set, N), "victim_sum is not a symbol of the server");
	set[1] = fresh[1];
	set[1].target = (uint8 *) strtol; /* of the C library, or its stub here */
	must_be(lwp_detour_prepare(set, N), "victim_sum is not");
	text_is_pristine();
}

static void *
sleeper(void *until)
{
	while (!*(volatile bool *) until)
		sched_yield();
	return NULL;
}

static void
other_threads_are_refused(void **state)
{
	static volatile bool done;
	pthread_t thread;
	const char *why;

	(void) state;
	done = false;
	assert_int_equal(pthread_create(&thread, NULL, sleeper, (void *) &done), 0);
	why = lwp_detour_prepare(set, N);
	done = true;
	pthread_join(thread, NULL);
	must_be(why, "another library started a thread");
	text_is_pristine();
}

/* What is prepared is within reach of all functions, and the room is page by page. */
static void
near_page_is_near(void **state)
{
	LwpNearPage page;
	uintptr_t lo = (uintptr_t) victim_scale;
	uintptr_t hi = lo + ((uintptr_t) 8 << 20);

	(void) state;
	assert_null(lwp_near_map(&page, lo, hi, 5000, 3));
	assert_true(page.code_size >= 5000 && page.routes_size >= 3 * sizeof(void *));
	if ((uintptr_t) page.code < lo)
		assert_true(hi - (uintptr_t) page.code <= LWP_JUMP_REACH);
	else
		assert_true((uintptr_t) page.routes + page.routes_size - lo <= LWP_JUMP_REACH);
	page.code[0] = 1;
	page.routes[2] = &page;
	is_protected(page.code, "rw-p");
	assert_null(lwp_near_seal(&page));
	is_protected(page.code, "r-xp");
	is_protected(page.routes, "rw-p");
	lwp_near_unmap(&page);
	assert_null(page.code);

	/* no page can be near to everything */
	must_be(lwp_near_map(&page, lo, lo + 2 * LWP_JUMP_REACH, 5000, 3),
			"no free page within reach of the server's text");
	assert_null(page.code);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(preparing_changes_nothing),     CASE(installed_detours_can_be_switched),
		CASE(first_byte_stays_when_it_can),  CASE(nothing_is_writable_and_executable),
		CASE(removing_puts_everything_back), CASE(any_refused_protection_is_survived),
		CASE(insists_on_executable_text),    CASE(entry_that_stays_is_plain),
		CASE(modified_function_is_refused),  CASE(only_functions_of_the_program_are_taken),
		CASE(other_threads_are_refused),     CASE(near_page_is_near),
	};

	return cmocka_run_group_tests_name("detour", tests, NULL, NULL);
}
