/*
 * places.c
 *		Where an LWLock is; see places.h.
 *
 * The arrays of the server that are padded to a cache line each are recognised
 * by walking back from the lock, one element at a time, for as long as there
 * is a lock of the same tranche.
 */
#include "compat.h"

#include "places.h"

static bool
is_lock_of(uintptr_t addr, int tranche)
{
	return lwp_in_main_shmem(addr) && ((const LWLock *) addr)->tranche == tranche;
}

static int
index_in_array(uintptr_t addr, int tranche)
{
	int n = 0;

	while (is_lock_of(addr - LWLOCK_PADDED_SIZE, tranche))
	{
		addr -= LWLOCK_PADDED_SIZE;
		n++;
	}
	return n;
}

static LwpPlace
in_a_proc(uintptr_t addr)
{
	uintptr_t first = (uintptr_t) ProcGlobal->allProcs;
	uintptr_t n = (addr - first) / sizeof(PGPROC);
	LwpPlace place = {LWP_PLACE_ADDRESS, -1};

	if (addr >= first && n < ProcGlobal->allProcCount)
	{
		place.kind = LWP_PLACE_BACKEND;
		place.number = lwp_proc_pid(&ProcGlobal->allProcs[n]);
	}
	return place;
}

LwpPlace
lwp_place_of(uintptr_t addr, int tranche)
{
	LwpPlace place = {LWP_PLACE_ADDRESS, -1};
	LwpTrancheArray array = lwp_tranche_array(tranche);

	switch (array)
	{
		case LWP_ARRAY_SINGLE:
			place.kind = LWP_PLACE_SINGLE;
			return place;
		case LWP_ARRAY_PROC:
			return in_a_proc(addr);
		case LWP_ARRAY_PARTITIONS:
			place.kind = LWP_PLACE_PARTITION;
			break;
		case LWP_ARRAY_WAL_INSERT:
			place.kind = LWP_PLACE_SLOT;
			break;
		case LWP_ARRAY_SLRU:
			place.kind = LWP_PLACE_BUFFER;
			break;
		case LWP_ARRAY_NAMED:
			if (!lwp_tranche_is_requested(tranche))
				return place; /* its owner alone knows how its locks lie */
			place.kind = LWP_PLACE_ELEMENT;
			break;
		case LWP_ARRAY_OTHER:
			return place;
	}
	place.number = index_in_array(addr, tranche);
	return place;
}

const char *
lwp_place_kind_name(LwpPlaceKind kind)
{
	switch (kind)
	{
		case LWP_PLACE_SINGLE:
			return "lock";
		case LWP_PLACE_PARTITION:
			return "partition";
		case LWP_PLACE_SLOT:
			return "insertion lock";
		case LWP_PLACE_BUFFER:
			return "slru buffer";
		case LWP_PLACE_BACKEND:
			return "backend";
		case LWP_PLACE_ELEMENT:
			return "element";
		case LWP_PLACE_ADDRESS:
			return "address";
	}
	return NULL;
}
