/*
 * names.c
 *		Shared tables of tranche names and backend types; see names.h.
 */
#include "compat.h"

#include "postmaster/bgworker.h"
#include "storage/shmem.h"

#include "names.h"

/* bgw_type of the workers of a parallel query. */
#define PARALLEL_WORKER_TYPE "parallel worker"

/* Types below this are the server's BackendType values, above it background worker types. */
#define FIXED_BACKEND_TYPES 32

#define WORKER_TYPES_MAX 96

StaticAssertDecl(B_LOGGER < FIXED_BACKEND_TYPES, "BackendType values must fit the fixed range");

static LwpNameTable *worker_types = NULL;
static LwpNameTable *tranches = NULL;
static int tranches_n = 0;

static const struct
{
	const char *wait_event;
	const char *classic_name;
} classic_names[] = {
	{"WALInsert", "WALInsertLock"},
	{"ProcArray", "ProcArrayLock"},
	{"XactSLRU", "CLogControlLock"},
};

Size
lwp_names_shmem_size(int max_tranches)
{
	return MAXALIGN(lwp_name_table_size(WORKER_TYPES_MAX, BGW_MAXLEN)) +
		   MAXALIGN(lwp_name_table_size(max_tranches, NAMEDATALEN));
}

void
lwp_names_attach(void *base, int max_tranches, bool found)
{
	worker_types = base;
	tranches = (LwpNameTable *) ((char *) base +
								 MAXALIGN(lwp_name_table_size(WORKER_TYPES_MAX, BGW_MAXLEN)));
	tranches_n = max_tranches;
	if (found)
		return;
	lwp_name_table_init(worker_types, WORKER_TYPES_MAX, BGW_MAXLEN);
	lwp_name_table_init(tranches, max_tranches, NAMEDATALEN);
}

void
lwp_name_note_tranche(uint32 tranche_index)
{
	const char *name;

	if (tranches == NULL || tranche_index >= (uint32) tranches_n ||
		lwp_tranche_is_builtin((int) tranche_index) ||
		lwp_name_get(tranches, (int) tranche_index) != NULL)
		return;
	name = GetLWLockIdentifier(PG_WAIT_LWLOCK, (uint16) tranche_index);
	if (strcmp(name, "extension") != 0)
		lwp_name_set(tranches, (int) tranche_index, name);
}

const char *
lwp_name_tranche(uint32 tranche_index)
{
	const char *name = NULL;

	if (tranches == NULL || tranche_index >= (uint32) tranches_n)
		return NULL;
	if (!lwp_tranche_is_builtin((int) tranche_index))
	{
		lwp_name_note_tranche(tranche_index);
		name = lwp_name_get(tranches, (int) tranche_index);
	}
	return name ? name : GetLWLockIdentifier(PG_WAIT_LWLOCK, (uint16) tranche_index);
}

const char *
lwp_name_classic(const char *wait_event)
{
	for (int i = 0; wait_event && i < (int) lengthof(classic_names); i++)
		if (strcmp(wait_event, classic_names[i].wait_event) == 0)
			return classic_names[i].classic_name;
	return NULL;
}

const char *
lwp_name_mode(int mode)
{
	switch (mode)
	{
		case LW_EXCLUSIVE:
			return "exclusive";
		case LW_SHARED:
			return "shared";
		case LW_WAIT_UNTIL_FREE:
			return "until_free";
		default:
			return NULL;
	}
}

/* Index of a background worker type, entered if it is new. */
static uint32
worker_type(const char *type)
{
	int number = lwp_name_intern(worker_types, type);

	return number < 0 ? (uint32) B_BG_WORKER : (uint32) (FIXED_BACKEND_TYPES + number);
}

uint32
lwp_name_my_backend_type(void)
{
	if (MyBackendType != B_BG_WORKER || MyBgworkerEntry == NULL || worker_types == NULL)
		return MyBackendType;
	return worker_type(MyBgworkerEntry->bgw_type);
}

uint32
lwp_name_parallel_worker(void)
{
	return worker_type(PARALLEL_WORKER_TYPE);
}

const char *
lwp_name_backend_type(uint32 index)
{
	if (index < FIXED_BACKEND_TYPES)
		return GetBackendTypeDesc((BackendType) index);
	return worker_types ? lwp_name_get(worker_types, (int) index - FIXED_BACKEND_TYPES) : NULL;
}

bool
lwp_name_is_foreground(uint32 index)
{
	const char *name;

	if (index == B_BACKEND)
		return true;
	if (index < FIXED_BACKEND_TYPES)
		return false;
	name = lwp_name_backend_type(index);
	return name != NULL && strcmp(name, PARALLEL_WORKER_TYPE) == 0;
}

uint64
lwp_names_overflows(void)
{
	return worker_types ? lwp_name_overflows(worker_types) : 0;
}
