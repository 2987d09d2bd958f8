/*
 * pg_lwprof.c
 *		Entry point of the module.
 *
 * Everything happens in the postmaster while it reads
 * shared_preload_libraries: settings, detours, shared memory, the sampler.
 * Loaded any other way, the module does nothing, and its SQL functions say so.
 */
#include "compat.h"

#include "fmgr.h"
#include "storage/ipc.h"

#include "guc.h"
#include "mode.h"
#include "shmem.h"
#include "slot.h"

#include "../sampler/sampler.h"

PG_MODULE_MAGIC;

void _PG_init(void);

static shmem_request_hook_type previous_shmem_request = NULL;
static shmem_startup_hook_type previous_shmem_startup = NULL;

static void
shmem_request(void)
{
	if (previous_shmem_request)
		previous_shmem_request();
	lwp_shmem_request();
}

static void
shmem_startup(void)
{
	if (previous_shmem_startup)
		previous_shmem_startup();
	lwp_shmem_startup();
}

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;

	lwp_guc_define();
	lwp_slot_init_private(lwp_max_tranches);
	lwp_mode_decide();

	previous_shmem_request = shmem_request_hook;
	shmem_request_hook = shmem_request;
	previous_shmem_startup = shmem_startup_hook;
	shmem_startup_hook = shmem_startup;

	lwp_sampler_register();
}
