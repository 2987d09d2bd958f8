/*
 * spin.c
 *		Spinlocks whose first try failed; see spin.h.
 */
#include "postgres.h"

#include "shmem.h"
#include "spin.h"

#define SITE_FREE    0
#define SITE_WRITING 1
#define SITE_VALID   2

/* Name of a place in the code.  Entered once, never changed: the protocol of nametable.h. */
typedef struct Site
{
	pg_atomic_uint32 state;
	int32 line;
	char file[LWP_SPIN_NAME_MAX];
	char function[LWP_SPIN_NAME_MAX];
} Site;

static Site *sites = NULL;

/* The site looked for last, by its strings' addresses. */
static struct
{
	const char *file;
	int line;
	int number;
} last;

Size
lwp_spin_shmem_size(void)
{
	return sizeof(Site) * LWP_SPIN_SITES;
}

void
lwp_spin_attach(void *base, bool found)
{
	sites = base;
	memset(&last, 0, sizeof(last));
	for (int i = 0; i < LWP_SPIN_SITES && !found; i++)
		pg_atomic_init_u32(&sites[i].state, SITE_FREE);
}

static const char *
base_name(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	return slash ? slash + 1 : (file ? file : "?");
}

/* Is this the site's entry?  Claims it if it is free. */
static bool
is_site(Site *site, const char *file, int line, const char *function)
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

/* Number of a site, -1 when the table is full. */
static int
site_number(const char *file, int line, const char *function)
{
	const char *name;

	if (sites == NULL)
		return -1;
	if (last.file == file && last.line == line)
		return last.number;
	name = base_name(file);
	for (int i = 0; i < LWP_SPIN_SITES; i++)
	{
		if (!is_site(&sites[i], name, line, function))
			continue;
		last.file = file;
		last.line = line;
		last.number = i;
		return i;
	}
	return -1;
}

LwpSpinCount *
lwp_spin_site(const char *file, int line, const char *function)
{
	LwpSpinCounts *counts = lwp_slot_bind()->spins;
	uint64 epoch = lwp_reset_epoch();
	int number = site_number(file, line, function);

	if (counts->epoch != epoch)
	{
		memset(counts, 0, sizeof(*counts));
		pg_write_barrier();
		counts->epoch = epoch;
	}
	for (int i = 0; i < LWP_SPIN_SLOT_SITES && number >= 0; i++)
	{
		LwpSpinCount *count = &counts->sites[i];

		if (count->site == 0)
			count->site = (uint32) number + 1;
		if (count->site == (uint32) number + 1)
			return count;
	}
	counts->lost++;
	return NULL;
}

/* Add one slot's counts to the sums by site number. */
static void
add_slot(const LwpSlot *slot, uint64 epoch, LwpSpinCount *sums, uint64 *lost)
{
	LwpSpinCounts copy;

	if (slot->spins->epoch != epoch)
		return;
	pg_read_barrier();
	copy = *slot->spins;
	pg_read_barrier();
	if (slot->spins->epoch != epoch)
		return;
	*lost += copy.lost;
	for (int i = 0; i < LWP_SPIN_SLOT_SITES; i++)
	{
		LwpSpinCount *sum;

		if (copy.sites[i].site == 0 || copy.sites[i].site > LWP_SPIN_SITES)
			continue;
		sum = &sums[copy.sites[i].site - 1];
		sum->entries += copy.sites[i].entries;
		sum->delays += copy.sites[i].delays;
		sum->time += copy.sites[i].time;
	}
}

int
lwp_spin_read(LwpSpinRow *rows, uint64 *lost)
{
	LwpSpinCount *sums = palloc0(sizeof(LwpSpinCount) * LWP_SPIN_SITES);
	uint64 epoch = lwp_reset_epoch();
	int n = 0;

	*lost = 0;
	for (int i = 0; i < lwp_shared->nslots; i++)
		if (lwp_slot_get(i)->binds != 0)
			add_slot(lwp_slot_get(i), epoch, sums, lost);
	for (int i = 0; i < LWP_SPIN_SITES; i++)
	{
		if (sums[i].entries == 0 || pg_atomic_read_u32(&sites[i].state) != SITE_VALID)
			continue;
		pg_read_barrier();
		memcpy(rows[n].file, sites[i].file, sizeof(rows[n].file));
		memcpy(rows[n].function, sites[i].function, sizeof(rows[n].function));
		rows[n].line = sites[i].line;
		rows[n].entries = sums[i].entries;
		rows[n].delays = sums[i].delays;
		rows[n].time = sums[i].time;
		n++;
	}
	pfree(sums);
	return n;
}
