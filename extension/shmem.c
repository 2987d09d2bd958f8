/*
 * shmem.c
 *		The module's shared memory, sized and initialised here and nowhere else.
 *
 * One block, laid out as
 *
 *		LwpShared | names | code modules | spin | hold | baseline hot | baseline cold |
 *		baseline unmatched | sampler | slots
 *
 * each part aligned to a cache line.  After a crash the postmaster recreates
 * the block and calls lwp_shmem_startup() again, so all counting begins anew.
 */
#include "compat.h"

#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "clock.h"
#include "code.h"
#include "guc.h"
#include "hold.h"
#include "names.h"
#include "shmem.h"
#include "spin.h"

#include "../sampler/shared.h"

LwpShared *lwp_shared = NULL;
LwpHot *lwp_baseline_hot = NULL;
LwpCold *lwp_baseline_cold = NULL;
uint64 *lwp_baseline_unmatched = NULL;

/* Offsets of the parts. */
typedef struct Layout
{
	Size names;
	Size code;
	Size spin;
	Size hold;
	Size baseline_hot;
	Size baseline_cold;
	Size baseline_unmatched;
	Size sampler;
	Size slots;
	Size total;
} Layout;

/* The place of a part of the given size; moves the end behind it. */
static Size
place(Size *end, Size size)
{
	Size at = TYPEALIGN(LWP_CACHE_LINE, *end);

	*end = add_size(at, size);
	return at;
}

static Layout
layout(void)
{
	Layout l;
	Size end = sizeof(LwpShared);
	Size rows = (Size) lwp_max_tranches + 1;

	l.names = place(&end, lwp_names_shmem_size(lwp_max_tranches));
	l.code = place(&end, lwp_code_shmem_size());
	l.spin = place(&end, lwp_spin_shmem_size());
	l.hold = place(&end, lwp_hold_shmem_size(lwp_max_tranches));
	l.baseline_hot = place(&end, mul_size(sizeof(LwpHot), rows));
	l.baseline_cold = place(&end, mul_size(sizeof(LwpCold), rows));
	l.baseline_unmatched = place(&end, sizeof(uint64));
	l.sampler = place(&end, lwp_sampler_shmem_size());
	l.slots = place(&end, lwp_slots_size(LWP_NUM_PROCS(), lwp_max_tranches));
	l.total = add_size(end, LWP_CACHE_LINE);
	return l;
}

void
lwp_shmem_request(void)
{
	RequestAddinShmemSpace(layout().total);
	RequestNamedLWLockTranche("pg_lwprof", 1);
}

void
lwp_shmem_startup(void)
{
	Layout l = layout();
	bool found;
	char *base;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	base = ShmemInitStruct("pg_lwprof", l.total, &found);
	base = (char *) TYPEALIGN(LWP_CACHE_LINE, base);

	lwp_shared = (LwpShared *) base;
	lwp_baseline_hot = (LwpHot *) (base + l.baseline_hot);
	lwp_baseline_cold = (LwpCold *) (base + l.baseline_cold);
	lwp_baseline_unmatched = (uint64 *) (base + l.baseline_unmatched);
	if (!found)
	{
		memset(base, 0, l.total - LWP_CACHE_LINE);
		pg_atomic_init_u64(&lwp_shared->reset_epoch, 1);
		lwp_shared->lock = &GetNamedLWLockTranche("pg_lwprof")->lock;
		lwp_shared->reset_at = GetCurrentTimestamp();
		lwp_shared->reset_at_ns = lwp_clock_ns();
		lwp_shared->max_tranches = lwp_max_tranches;
		lwp_shared->nslots = LWP_NUM_PROCS();
		lwp_shared->total_size = l.total;
	}
	lwp_sampler_shmem_attach(base + l.sampler, found);
	lwp_names_attach(base + l.names, lwp_max_tranches, found);
	lwp_code_attach(base + l.code, found);
	lwp_spin_attach(base + l.spin, found);
	lwp_hold_attach(base + l.hold, lwp_max_tranches, found);
	lwp_slot_attach(base + l.slots, lwp_shared->nslots, lwp_max_tranches, found);
	LWLockRelease(AddinShmemInitLock);
}

void
lwp_require_loaded(void)
{
	if (lwp_shared == NULL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("pg_lwprof must be loaded via \"shared_preload_libraries\"")));
}
