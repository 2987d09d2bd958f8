/*
 * nearpage.c
 *		A page of code within reach of the server's text; see detour_parts.h.
 *
 * The page is looked for in the gaps between the mappings of this process,
 * nearest first, preferring those below the executable: the heap grows in the
 * gap above it.
 */
#include "postgres.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "detour_parts.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Distance kept from a neighbouring mapping, so that neither can overrun into the other. */
#define NEAR_GUARD ((uintptr_t) 64 << 10)

/* Try to map size bytes with [at, at + size) within reach of [lo, hi). */
static uint8 *
map_at(uintptr_t at, Size size, uintptr_t lo, uintptr_t hi)
{
	void *got;

	if ((at < lo ? hi - at : at + size - lo) > LWP_JUMP_REACH)
		return NULL;
	got = mmap((void *) at, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (got == MAP_FAILED)
		return NULL;
	if (got != (void *) at) /* a kernel that takes the address as a hint only */
	{
		munmap(got, size);
		return NULL;
	}
	return got;
}

/*
 * Walk the gaps.  below: only those under lo, highest first, which is what a
 * repeated walk that remembers the best candidate amounts to; else those
 * above hi, lowest first.
 */
static uint8 *
map_in_gaps(Size size, uintptr_t lo, uintptr_t hi, bool below)
{
	uintptr_t limit = below ? lo : hi;

	for (;;)
	{
		FILE *maps = fopen("/proc/self/maps", "r");
		uintptr_t gap_start = 0;
		uintptr_t best = 0;
		unsigned long start;
		unsigned long end;
		char line[1024];
		uint8 *got;

		if (maps == NULL)
			return NULL;
		while (fgets(line, sizeof(line), maps) != NULL)
		{
			if (sscanf(line, "%lx-%lx ", &start, &end) != 2)
				continue;
			if (start > gap_start && start - gap_start >= size + 2 * NEAR_GUARD)
			{
				uintptr_t at = below ? start - NEAR_GUARD - size : gap_start + NEAR_GUARD;

				if (below ? at + size <= limit : at >= limit && best == 0)
					best = at;
			}
			gap_start = end;
		}
		fclose(maps);
		if (best == 0 || (below ? hi - best : best + size - lo) > LWP_JUMP_REACH)
			return NULL;
		got = map_at(best, size, lo, hi);
		if (got != NULL)
			return got;
		/* somebody refuses this very place: go on beyond it */
		limit = below ? best - NEAR_GUARD : best + NEAR_GUARD + size;
		if (below && best < NEAR_GUARD * 2)
			return NULL;
	}
}

const char *
lwp_near_map(LwpNearPage *page, uintptr_t lo, uintptr_t hi, Size code_size, int n)
{
	Size page_size = (Size) sysconf(_SC_PAGESIZE);
	Size total;
	uint8 *base;

	page->code_size = TYPEALIGN(page_size, code_size);
	page->routes_size = TYPEALIGN(page_size, sizeof(void *) * (Size) n);
	total = page->code_size + page->routes_size;
	base = map_in_gaps(total, lo, hi, true);
	if (base == NULL)
		base = map_in_gaps(total, lo, hi, false);
	if (base == NULL)
	{
		memset(page, 0, sizeof(*page));
		return lwp_refuse("no free page within reach of the server's text");
	}
	page->code = base;
	page->routes = (void **) (base + page->code_size);
	return NULL;
}

const char *
lwp_near_seal(LwpNearPage *page)
{
	__builtin___clear_cache((char *) page->code, (char *) page->code + page->code_size);
	if (mprotect(page->code, page->code_size, PROT_READ | PROT_EXEC) != 0)
		return lwp_refuse("cannot make the near page executable: %s", strerror(errno));
	return NULL;
}

void
lwp_near_unmap(LwpNearPage *page)
{
	if (page->code != NULL)
		munmap(page->code, page->code_size + page->routes_size);
	memset(page, 0, sizeof(*page));
}
