/*
 * slot.c
 *		Finding this process's slot.
 *
 * A process binds to the slot of its PGPROC at its first lock call after it
 * got one.  Until then lwp_slot is "unbound", which is never in phase 0, so
 * that the hooks take their slow path, and that keeps its books in a private
 * slot that nobody reads; the postmaster does so for ever.  There is no unbinding: the
 * PGPROC loses its owner when the process leaves, and a slot counts as live
 * only while its pid equals lwp_proc_pid().
 */
#include "compat.h"

#include "names.h"
#include "slot.h"

static LwpSlot unbound = {.level = LWP_PHASE_RELEASING};

LwpSlot *lwp_slot = &unbound;
uint32 lwp_max_tranches_used = 0;

static LwpSlot *private_slot = NULL;
static char *slots_base = NULL;
static Size slot_size = 0;
static int slots_n = 0;

/* Allocate the private slot.  Called once, in the postmaster, before any detour is live. */
void
lwp_slot_init_private(int max_tranches)
{
	Size size = lwp_slot_size(max_tranches);
	void *mem = NULL;

	if (posix_memalign(&mem, LWP_CACHE_LINE, size) != 0)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	memset(mem, 0, size);
	private_slot = mem;
	lwp_max_tranches_used = (uint32) max_tranches;
}

LwpSlot *
lwp_slot_private(void)
{
	return private_slot;
}

/* Tell this process where the shared slots are.  Called whenever shared memory is (re)created. */
void
lwp_slot_attach(void *base, int nslots, int max_tranches)
{
	slots_base = base;
	slots_n = nslots;
	slot_size = lwp_slot_size(max_tranches);
	lwp_slot = &unbound;
}

bool
lwp_slot_is_bound(void)
{
	return lwp_slot != &unbound;
}

int
lwp_slot_count(void)
{
	return slots_n;
}

LwpSlot *
lwp_slot_get(int procno)
{
	Assert(procno >= 0 && procno < slots_n);
	return (LwpSlot *) (slots_base + slot_size * (Size) procno);
}

/*
 * The slot this process keeps its books in: the shared one as soon as it has a PGPROC, the
 * private one before.  Called from inside the lock functions: must not raise
 * an error, allocate, or touch an LWLock.
 */
LwpSlot *
lwp_slot_bind(void)
{
	LwpSlot *slot;
	int procno;

	if (lwp_slot_is_bound())
		return lwp_slot;
	if (slots_base == NULL || MyProc == NULL)
		return private_slot;
	procno = lwp_proc_number(MyProc);
	if (procno < 0 || procno >= slots_n)
		return private_slot;

	slot = lwp_slot_get(procno);
	slot->level = 0;
	slot->wait_start = 0;
	slot->caller = 0;
	slot->wait_seq = (slot->wait_seq + 1) & ~1U;
	slot->backend_type = lwp_name_my_backend_type();
	slot->binds++;
	pg_write_barrier(); /* the fields above before the pid that makes them valid */
	slot->pid = MyProcPid;
	lwp_slot = slot;
	return slot;
}

/*
 * Drop what the slot says about the present, keep the counters.  For the
 * moment recording is switched on or off, when the process holds no lock.
 */
void
lwp_slot_forget_locks(void)
{
	LwpSlot *slot = lwp_slot;

	if (!lwp_slot_is_bound())
		return;
	slot->level = 0;
	slot->wait_start = 0;
}
