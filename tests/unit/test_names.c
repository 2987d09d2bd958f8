/*
 * test_names.c
 *		Tranche names and backend types in shared memory.
 */
#include "stubs.h"

#include "compat.h"
#include "names.h"
#include "postmaster/bgworker.h"

#define TRANCHES 100

static const char *known_tranche_name; /* what this process knows of tranche 90; else "extension" */

const char *
GetLWLockIdentifier(uint32 classId, uint16 eventId)
{
	assert_int_equal(classId, PG_WAIT_LWLOCK);
	if (eventId < LWTRANCHE_FIRST_USER_DEFINED)
		return "Builtin";
	return eventId == 90 && known_tranche_name ? known_tranche_name : "extension";
}

const char *
GetBackendTypeDesc(BackendType type)
{
	return type == B_BACKEND ? "client backend" : "something else";
}

static int
setup(void **state)
{
	*state = malloc(lwp_names_shmem_size(TRANCHES));
	lwp_names_attach(*state, TRANCHES, false);
	known_tranche_name = NULL;
	MyBackendType = B_BACKEND;
	MyBgworkerEntry = NULL;
	return 0;
}

static int
teardown(void **state)
{
	free(*state);
	return 0;
}

/* One process knows the name, another asks for it. */
static void
tranche_name_is_shared(void **state)
{
	(void) state;
	assert_string_equal(lwp_name_tranche(90), "extension");
	known_tranche_name = "my_tranche";
	lwp_name_note_tranche(90);
	known_tranche_name = NULL;
	assert_string_equal(lwp_name_tranche(90), "my_tranche");

	/* the first name stays, whoever registers another later */
	known_tranche_name = "other";
	lwp_name_note_tranche(90);
	assert_string_equal(lwp_name_tranche(90), "my_tranche");
}

static void
builtin_and_overflow_tranches_are_not_noted(void **state)
{
	(void) state;
	assert_string_equal(lwp_name_tranche(3), "Builtin");
	assert_null(lwp_name_tranche(TRANCHES));
	lwp_name_note_tranche(TRANCHES); /* must not write beyond the table */
}

static void
classic_names(void **state)
{
	(void) state;
	assert_string_equal(lwp_name_classic("WALInsert"), "WALInsertLock");
	assert_string_equal(lwp_name_classic("ProcArray"), "ProcArrayLock");
	assert_string_equal(lwp_name_classic("XactSLRU"), "CLogControlLock");
	assert_null(lwp_name_classic("BufferMapping"));
	assert_null(lwp_name_classic(NULL));
}

static uint32
index_of_worker(const char *type)
{
	static BackgroundWorker worker;

	MyBackendType = B_BG_WORKER;
	MyBgworkerEntry = &worker;
	strlcpy(worker.bgw_type, type, BGW_MAXLEN);
	return lwp_name_my_backend_type();
}

static void
workers_have_their_own_type(void **state)
{
	uint32 parallel;
	uint32 other;

	(void) state;
	assert_int_equal(lwp_name_my_backend_type(), B_BACKEND);
	parallel = index_of_worker("parallel worker");
	other = index_of_worker("logical replication worker");
	assert_int_not_equal(parallel, other);
	assert_int_equal(index_of_worker("parallel worker"), parallel);
	assert_int_equal(lwp_name_parallel_worker(), parallel);
	assert_string_equal(lwp_name_backend_type(parallel), "parallel worker");
	assert_string_equal(lwp_name_backend_type(other), "logical replication worker");
	assert_string_equal(lwp_name_backend_type(B_BACKEND), "client backend");

	assert_true(lwp_name_is_foreground(B_BACKEND));
	assert_true(lwp_name_is_foreground(parallel));
	assert_false(lwp_name_is_foreground(other));
	assert_false(lwp_name_is_foreground(B_CHECKPOINTER));
}

static void
too_many_types_are_counted(void **state)
{
	uint32 first = index_of_worker("worker 0");
	int found = 1;
	char type[BGW_MAXLEN];

	(void) state;
	for (int i = 1; i < 2 * LWP_BACKEND_TYPES_MAX; i++)
	{
		uint32 index;

		snprintf(type, sizeof(type), "worker %d", i);
		index = index_of_worker(type);
		if (index == B_BG_WORKER)
			continue;
		assert_string_equal(lwp_name_backend_type(index), type);
		found++;
	}
	assert_in_range(found, 64, LWP_BACKEND_TYPES_MAX);
	assert_int_equal(lwp_names_overflows(), 2 * LWP_BACKEND_TYPES_MAX - found);
	assert_int_equal(index_of_worker("worker 0"), first); /* the known ones still are */
	assert_null(lwp_name_backend_type(LWP_BACKEND_TYPES_MAX));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tranche_name_is_shared, setup, teardown),
		cmocka_unit_test_setup_teardown(builtin_and_overflow_tranches_are_not_noted, setup,
										teardown),
		cmocka_unit_test(classic_names),
		cmocka_unit_test_setup_teardown(workers_have_their_own_type, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_types_are_counted, setup, teardown),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
