/*
 * spin.c
 *		Spinlocks whose first try failed; see spin.h.
 */
#include "postgres.h"

#include "storage/lwlock.h"

#include "shmem.h"
#include "spin.h"

#define SITE_FREE    0
#define SITE_WRITING 1
#define SITE_VALID   2

LwpSpinTable *lwp_spin = NULL;

/* The events of this process not yet in the table: all of one site. */
static struct
{
	LwpSpinSite *site;
	uint64 entries;
	uint64 delays;
	uint64 time;
} pending;

/* The site looked for last, by its strings' addresses. */
static struct
{
	const char *file;
	int line;
	LwpSpinSite *site;
} last;

Size
lwp_spin_shmem_size(void)
{
	return sizeof(LwpSpinTable);
}

void
lwp_spin_attach(void *base, bool found)
{
	lwp_spin = base;
	memset(&pending, 0, sizeof(pending));
	memset(&last, 0, sizeof(last));
	if (found)
		return;
	pg_atomic_init_u64(&lwp_spin->lost, 0);
	lwp_spin->base_lost = 0;
	for (int i = 0; i < LWP_SPIN_SITES; i++)
	{
		LwpSpinSite *site = &lwp_spin->sites[i];

		memset(site, 0, sizeof(*site));
		pg_atomic_init_u32(&site->state, SITE_FREE);
		pg_atomic_init_u64(&site->entries, 0);
		pg_atomic_init_u64(&site->delays, 0);
		pg_atomic_init_u64(&site->time, 0);
	}
}

static const char *
base_name(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	return slash ? slash + 1 : (file ? file : "?");
}

/* Is this the site's entry?  Claims it if it is free. */
static bool
is_site(LwpSpinSite *site, const char *file, int line, const char *function)
{
	uint32 expected = SITE_FREE;

	if (pg_atomic_read_u32(&site->state) == SITE_FREE &&
		pg_atomic_compare_exchange_u32(&site->state, &expected, SITE_WRITING))
	{
		site->line = line;
		strlcpy(site->file, file, sizeof(site->file));
		strlcpy(site->function, function ? function : "?", sizeof(site->function));
		pg_write_barrier();
		pg_atomic_write_u32(&site->state, SITE_VALID);
		return true;
	}
	if (pg_atomic_read_u32(&site->state) != SITE_VALID)
		return false;
	pg_read_barrier();
	return site->line == line && strncmp(site->file, file, sizeof(site->file) - 1) == 0;
}

LwpSpinSite *
lwp_spin_site(const char *file, int line, const char *function)
{
	const char *name = base_name(file);

	lwp_spin_flush();
	if (lwp_spin == NULL)
		return NULL;
	if (last.site != NULL && last.file == file && last.line == line)
		return last.site;
	for (int i = 0; i < LWP_SPIN_SITES; i++)
	{
		if (!is_site(&lwp_spin->sites[i], name, line, function))
			continue;
		last.file = file;
		last.line = line;
		last.site = &lwp_spin->sites[i];
		return last.site;
	}
	pg_atomic_fetch_add_u64(&lwp_spin->lost, 1);
	return NULL;
}

void
lwp_spin_note(LwpSpinSite *site, int delays, uint64 ns)
{
	pending.site = site;
	pending.entries++;
	pending.delays += (uint64) delays;
	pending.time += ns;
}

void
lwp_spin_flush(void)
{
	if (pending.site == NULL)
		return;
	pg_atomic_fetch_add_u64(&pending.site->entries, (int64) pending.entries);
	pg_atomic_fetch_add_u64(&pending.site->delays, (int64) pending.delays);
	pg_atomic_fetch_add_u64(&pending.site->time, (int64) pending.time);
	memset(&pending, 0, sizeof(pending));
}

void
lwp_spin_reset(void)
{
	lwp_spin->base_lost = pg_atomic_read_u64(&lwp_spin->lost);
	for (int i = 0; i < LWP_SPIN_SITES; i++)
	{
		LwpSpinSite *site = &lwp_spin->sites[i];

		site->base_entries = pg_atomic_read_u64(&site->entries);
		site->base_delays = pg_atomic_read_u64(&site->delays);
		site->base_time = pg_atomic_read_u64(&site->time);
	}
}

int
lwp_spin_read(LwpSpinRow *rows)
{
	int n = 0;

	lwp_spin_flush();
	LWLockAcquire(lwp_shared->lock, LW_SHARED);
	for (int i = 0; i < LWP_SPIN_SITES; i++)
	{
		LwpSpinSite *site = &lwp_spin->sites[i];
		LwpSpinRow *row = &rows[n];

		row->entries = pg_atomic_read_u64(&site->entries) - site->base_entries;
		if (row->entries == 0)
			continue;
		memcpy(row->file, site->file, sizeof(row->file));
		memcpy(row->function, site->function, sizeof(row->function));
		row->line = site->line;
		row->delays = pg_atomic_read_u64(&site->delays) - site->base_delays;
		row->time = pg_atomic_read_u64(&site->time) - site->base_time;
		n++;
	}
	LWLockRelease(lwp_shared->lock);
	return n;
}

uint64
lwp_spin_lost(void)
{
	return pg_atomic_read_u64(&lwp_spin->lost) - lwp_spin->base_lost;
}
