/*
 * names.h
 *		Names of tranches and of backend types, shared between processes.
 *
 * The server knows the name of an extension's tranche only in the processes
 * that registered it, and the type of a background worker only in that worker
 * and the postmaster.  Both are therefore noted in shared memory by a process
 * that knows them, so that every reader spells them the same way.
 */
#ifndef LWP_NAMES_H
#define LWP_NAMES_H

#include "nametable.h"
#include "slot.h"

extern LWP_HIDDEN Size lwp_names_shmem_size(int max_tranches);
extern LWP_HIDDEN void lwp_names_attach(void *base, int max_tranches, bool found);

/* Note the name of a tranche, if this process knows it.  Safe inside a lock function. */
extern LWP_HIDDEN void lwp_name_note_tranche(uint32 tranche_index);

/*
 * wait_event of a tranche as pg_stat_activity spells it, or NULL for the
 * overflow entry.  The result lives as long as the server.
 */
extern LWP_HIDDEN const char *lwp_name_tranche(uint32 tranche_index);

/* The traditional name of the three locks everybody knows, else NULL. */
extern LWP_HIDDEN const char *lwp_name_classic(const char *wait_event);

/* 'exclusive', 'shared', 'until_free' (a wait that does not end in holding the lock), or NULL. */
extern LWP_HIDDEN const char *lwp_name_mode(int mode);

/* Index of this process's backend type; that of any background worker when the table is full. */
extern LWP_HIDDEN uint32 lwp_name_my_backend_type(void);

/* Index of the type of parallel workers. */
extern LWP_HIDDEN uint32 lwp_name_parallel_worker(void);

/* backend_type as pg_stat_activity spells it; NULL when unknown. */
extern LWP_HIDDEN const char *lwp_name_backend_type(uint32 index);

/* Indexes of the types whose time makes up wait_pct. */
extern LWP_HIDDEN bool lwp_name_is_foreground(uint32 index);

/* Backend types that found no room. */
extern LWP_HIDDEN uint64 lwp_names_overflows(void);

#endif /* LWP_NAMES_H */
