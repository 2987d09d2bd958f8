/*
 * names.c
 *		Shared tables of tranche names and backend types; see names.h.
 */
#include "compat.h"

#include "postmaster/bgworker.h"
#include "storage/shmem.h"

#include "names.h"

#define NAME_FREE    0
#define NAME_WRITING 1
#define NAME_VALID   2

typedef struct NameEntry
{
	pg_atomic_uint32 state;
	char name[NAMEDATALEN > BGW_MAXLEN ? NAMEDATALEN : BGW_MAXLEN];
} NameEntry;

typedef struct NameTables
{
	pg_atomic_uint64 overflows; /* backend types that found no room */
	NameEntry backend_types[LWP_BACKEND_TYPES_MAX];
	NameEntry tranches[FLEXIBLE_ARRAY_MEMBER];
} NameTables;

/* bgw_type of the workers of a parallel query. */
#define PARALLEL_WORKER_TYPE "parallel worker"

/* Types below this are the server's BackendType values, above it background worker types. */
#define FIXED_BACKEND_TYPES 32

StaticAssertDecl(B_LOGGER < FIXED_BACKEND_TYPES, "BackendType values must fit the fixed range");

static NameTables *names = NULL;
static int names_tranches = 0;

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
	return MAXALIGN(offsetof(NameTables, tranches) + sizeof(NameEntry) * (Size) max_tranches);
}

void
lwp_names_attach(void *base, int max_tranches, bool found)
{
	names = base;
	names_tranches = max_tranches;
	if (found)
		return;
	pg_atomic_init_u64(&names->overflows, 0);
	for (int i = 0; i < LWP_BACKEND_TYPES_MAX; i++)
		pg_atomic_init_u32(&names->backend_types[i].state, NAME_FREE);
	for (int i = 0; i < max_tranches; i++)
		pg_atomic_init_u32(&names->tranches[i].state, NAME_FREE);
}

/* Steps 1 and 2 of the protocol; false when somebody else has the entry. */
static bool
entry_claim(NameEntry *entry, const char *name)
{
	uint32 expected = NAME_FREE;

	if (!pg_atomic_compare_exchange_u32(&entry->state, &expected, NAME_WRITING))
		return false;
	strlcpy(entry->name, name, sizeof(entry->name));
	pg_write_barrier(); /* pairs with the one in entry_name() */
	pg_atomic_write_u32(&entry->state, NAME_VALID);
	return true;
}

/* Step 3. */
static const char *
entry_name(NameEntry *entry)
{
	if (pg_atomic_read_u32(&entry->state) != NAME_VALID)
		return NULL;
	pg_read_barrier(); /* pairs with the one in entry_claim() */
	return entry->name;
}

void
lwp_name_note_tranche(uint32 tranche_index)
{
	const char *name;

	if (names == NULL || tranche_index >= (uint32) names_tranches ||
		lwp_tranche_is_builtin((int) tranche_index) ||
		pg_atomic_read_u32(&names->tranches[tranche_index].state) != NAME_FREE)
		return;
	name = GetLWLockIdentifier(PG_WAIT_LWLOCK, (uint16) tranche_index);
	if (strcmp(name, "extension") != 0)
		entry_claim(&names->tranches[tranche_index], name);
}

const char *
lwp_name_tranche(uint32 tranche_index)
{
	const char *name = NULL;

	if (names == NULL || tranche_index >= (uint32) names_tranches)
		return NULL;
	if (!lwp_tranche_is_builtin((int) tranche_index))
	{
		lwp_name_note_tranche(tranche_index);
		name = entry_name(&names->tranches[tranche_index]);
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
intern_backend_type(const char *type)
{
	for (int i = FIXED_BACKEND_TYPES; i < LWP_BACKEND_TYPES_MAX; i++)
	{
		const char *known = entry_name(&names->backend_types[i]);

		if (known == NULL && entry_claim(&names->backend_types[i], type))
			return (uint32) i;
		known = entry_name(&names->backend_types[i]);
		if (known != NULL && strcmp(known, type) == 0)
			return (uint32) i;
	}
	pg_atomic_fetch_add_u64(&names->overflows, 1);
	return B_BG_WORKER;
}

uint32
lwp_name_my_backend_type(void)
{
	if (MyBackendType != B_BG_WORKER || MyBgworkerEntry == NULL || names == NULL)
		return MyBackendType;
	return intern_backend_type(MyBgworkerEntry->bgw_type);
}

uint32
lwp_name_parallel_worker(void)
{
	return intern_backend_type(PARALLEL_WORKER_TYPE);
}

const char *
lwp_name_backend_type(uint32 index)
{
	if (index < FIXED_BACKEND_TYPES)
		return GetBackendTypeDesc((BackendType) index);
	if (names == NULL || index >= LWP_BACKEND_TYPES_MAX)
		return NULL;
	return entry_name(&names->backend_types[index]);
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
	return names ? pg_atomic_read_u64(&names->overflows) : 0;
}
