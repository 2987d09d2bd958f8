/*
 * slot.c
 *		Finding this process's slot.
 *
 * A process binds to the slot of its PGPROC at its first lock call after it
 * got one.  Until then lwp_front is "unbound", which is never in phase 0, so
 * that the hooks take their slow path, and that keeps its books in a private
 * slot that nobody reads; the postmaster does so for ever.  There is no
 * unbinding: the PGPROC loses its owner when the process leaves, and a slot
 * counts as live only while its pid equals lwp_proc_pid().
 */
#include "compat.h"

#include "details.h"
#include "names.h"
#include "slot.h"
#include "spin.h"

/* The beginning of the slots in shared memory. */
typedef struct SlotsHeader
{
	pg_atomic_uint64 binds;
	char pad[LWP_CACHE_LINE - sizeof(pg_atomic_uint64)];
} SlotsHeader;

StaticAssertDecl(LWP_COLD_ROWS < 255, "cold_row is one byte");

static LwpFront unbound = {.level = LWP_PHASE_RELEASING};

LwpFront *lwp_front = &unbound;
uint64 *lwp_hot_counters = NULL;
LwpSlot *lwp_slot = NULL;
uint32 lwp_max_tranches_used = 0;

static LwpSlot *private_slot = NULL;
static SlotsHeader *header = NULL;
static LwpSlot *slots = NULL;
static int slots_n = 0;

/* Sizes of the four arrays, rounded up to cache lines. */
static Size
rounded(Size size)
{
	return TYPEALIGN(LWP_CACHE_LINE, size);
}

static Size
hot_size(int max_tranches)
{
	return rounded(sizeof(LwpHot) * ((Size) max_tranches + 1));
}

#define COLD_SIZE (sizeof(LwpCold) * (LWP_COLD_ROWS + 1))

/* The rest of a slot, in one piece, as nobody but its owner touches it often. */
static Size
rare_size(int max_tranches)
{
	return rounded(COLD_SIZE + sizeof(LwpDetails) + sizeof(LwpAsleep) + sizeof(LwpSpinCounts) +
				   MAXALIGN(sizeof(uint8) * ((Size) max_tranches + 1)));
}

/* Bytes that belong to one slot. */
Size
lwp_slot_size(int max_tranches)
{
	return sizeof(LwpFront) + rounded(sizeof(LwpSlot)) + hot_size(max_tranches) +
		   rare_size(max_tranches);
}

Size
lwp_slots_size(int nslots, int max_tranches)
{
	return add_size(sizeof(SlotsHeader), mul_size(lwp_slot_size(max_tranches), (Size) nslots));
}

/* Lay nslots slots out at base, a cache line's beginning; returns the first. */
static LwpSlot *
lay_out(char *base, int nslots, int max_tranches, bool found)
{
	char *fronts = base;
	char *rest = fronts + sizeof(LwpFront) * (Size) nslots;
	char *hot = rest + rounded(sizeof(LwpSlot) * (Size) nslots);
	char *rare = hot + hot_size(max_tranches) * (Size) nslots;
	LwpSlot *first = (LwpSlot *) rest;

	for (int i = 0; i < nslots && !found; i++)
	{
		first[i].front = (LwpFront *) (fronts + sizeof(LwpFront) * (Size) i);
		first[i].hot = (LwpHot *) (hot + hot_size(max_tranches) * (Size) i);
		first[i].cold = (LwpCold *) (rare + rare_size(max_tranches) * (Size) i);
		first[i].details = (LwpDetails *) ((char *) first[i].cold + COLD_SIZE);
		first[i].asleep = (LwpAsleep *) (first[i].details + 1);
		first[i].spins = (LwpSpinCounts *) (first[i].asleep + 1);
		first[i].cold_row = (uint8 *) (first[i].spins + 1);
	}
	return first;
}

/* Allocate the private slot.  Called once, in the postmaster, before any detour is live. */
void
lwp_slot_init_private(int max_tranches)
{
	Size size = lwp_slot_size(max_tranches);
	void *mem = NULL;

	if (posix_memalign(&mem, LWP_CACHE_LINE, size) != 0)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	memset(mem, 0, size);
	private_slot = lay_out(mem, 1, max_tranches, false);
	lwp_max_tranches_used = (uint32) max_tranches;
}

LwpSlot *
lwp_slot_private(void)
{
	return private_slot;
}

/*
 * Tell this process where the shared slots are, and lay them out unless
 * somebody has (found).  Called whenever shared memory is (re)created.
 */
void
lwp_slot_attach(void *base, int nslots, int max_tranches, bool found)
{
	header = base;
	if (!found)
		pg_atomic_init_u64(&header->binds, 0);
	slots = lay_out((char *) base + sizeof(SlotsHeader), nslots, max_tranches, found);
	slots_n = nslots;
	lwp_front = &unbound;
	lwp_slot = NULL;
}

int
lwp_slot_count(void)
{
	return slots_n;
}

uint64
lwp_slot_bind_count(void)
{
	return pg_atomic_read_u64(&header->binds);
}

LwpSlot *
lwp_slot_get(int procno)
{
	Assert(procno >= 0 && procno < slots_n);
	return &slots[procno];
}

LwpCold *
lwp_slot_cold_for_update(LwpSlot *slot, int tranche_index)
{
	if (slot->cold_row[tranche_index] == 0)
	{
		if (slot->cold_used >= LWP_COLD_ROWS)
			return &slot->cold[LWP_COLD_ROWS];
		slot->cold_row[tranche_index] = (uint8) ++slot->cold_used;
	}
	return lwp_slot_cold(slot, tranche_index);
}

/* Add up the counters of a slot.  Plain reads; safe inside a lock function. */
LwpSlotSums
lwp_slot_sums(LwpSlot *slot)
{
	LwpSlotSums sums = {0};

	for (uint32 t = 0; t <= lwp_max_tranches_used; t++)
		sums.acquires += slot->hot[t].acquires[LW_EXCLUSIVE] + slot->hot[t].acquires[LW_SHARED];
	for (int i = 0; i <= LWP_COLD_ROWS; i++)
	{
		const LwpCold *cold = &slot->cold[i];

		sums.blocked += cold->blocked[LW_EXCLUSIVE] + cold->blocked[LW_SHARED] + cold->group_waits +
						cold->var_waits;
		sums.wait_time += cold->wait_time;
	}
	return sums;
}

/*
 * The slot this process keeps its books in: the shared one as soon as it has a
 * PGPROC, the private one before.  Called from inside the lock functions: must
 * not raise an error, allocate, or touch an LWLock.
 */
LwpSlot *
lwp_slot_bind(void)
{
	LwpSlot *slot;
	int procno;

	if (lwp_slot != NULL)
		return lwp_slot;
	if (slots == NULL || MyProc == NULL)
		return private_slot;
	procno = lwp_proc_number(MyProc);
	if (procno < 0 || procno >= slots_n)
		return private_slot;

	slot = &slots[procno];
	slot->front->level = 0;
	slot->wait_start = 0;
	slot->caller = 0;
	slot->wait_seq = (slot->wait_seq + 1) & ~1U;
	slot->backend_type = lwp_name_my_backend_type();
	slot->at_bind = lwp_slot_sums(slot);
	slot->binds++;
	pg_write_barrier(); /* the fields above before the pid that makes them valid */
	slot->pid = MyProcPid;
	pg_atomic_fetch_add_u64(&header->binds, 1);

	lwp_slot = slot;
	lwp_hot_counters = (uint64 *) slot->hot;
	lwp_front = slot->front;
	return slot;
}

/*
 * Drop what the slot says about the present, keep the counters.  For the
 * moment recording is switched on or off, when the process holds no lock.
 */
void
lwp_slot_forget_locks(void)
{
	if (lwp_slot == NULL)
		return;
	lwp_slot->front->level = 0;
	lwp_slot->wait_start = 0;
}
