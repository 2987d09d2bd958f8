/*
 * code.c
 *		Code addresses that mean the same in every process; see code.h.
 *
 * Each process keeps a list of the executable ranges it knows.  The postmaster
 * fills it when shared memory is created, after the last library was
 * preloaded, and children inherit it, so that what is looked up in the blocked
 * path is almost always found in the first entry.
 */
#include "postgres.h"

#include <link.h>
#include <unistd.h>

#include "port/atomics.h"

#include "code.h"
#include "nametable.h"

typedef struct Range
{
	uintptr_t lo;
	uintptr_t hi;
	uintptr_t base;
	int module;
} Range;

#define RANGES_MAX 128

static LwpNameTable *modules = NULL;
static Range ranges[RANGES_MAX];
static int ranges_n = 0;
static unsigned long long ranges_adds = 0; /* dlpi_adds when they were read */

Size
lwp_code_shmem_size(void)
{
	return lwp_name_table_size(LWP_MODULES_MAX, LWP_MODULE_PATH_MAX);
}

static int
add_ranges(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *path = info->dlpi_name;
	int *seen = arg;
	char exe[LWP_MODULE_PATH_MAX];
	int module;

	(void) size;
	if ((*seen)++ == 0) /* the executable comes first and has no name */
	{
		ssize_t n;

		if (info->dlpi_adds == ranges_adds && ranges_n > 0)
			return 1; /* nothing was loaded since */
		n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
		exe[n > 0 ? n : 0] = '\0';
		path = exe;
		ranges_n = 0;
	}
	ranges_adds = info->dlpi_adds;
	if (path == NULL || path[0] != '/' || strlen(path) >= LWP_MODULE_PATH_MAX)
		return 0; /* the vdso, or a path too long to be kept */
	module = lwp_name_intern(modules, path);
	for (int i = 0; i < info->dlpi_phnum && module >= 0; i++)
	{
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) || ranges_n == RANGES_MAX)
			continue;
		ranges[ranges_n].lo = info->dlpi_addr + ph->p_vaddr;
		ranges[ranges_n].hi = ranges[ranges_n].lo + ph->p_memsz;
		ranges[ranges_n].base = info->dlpi_addr;
		ranges[ranges_n].module = module;
		ranges_n++;
	}
	return 0;
}

static void
read_ranges(void)
{
	int seen = 0;

	dl_iterate_phdr(add_ranges, &seen);
}

void
lwp_code_attach(void *base, bool found)
{
	modules = base;
	if (!found)
		lwp_name_table_init(modules, LWP_MODULES_MAX, LWP_MODULE_PATH_MAX);
	ranges_n = 0;
	read_ranges();
}

static const Range *
range_of(uintptr_t addr)
{
	for (int i = 0; i < ranges_n; i++)
		if (addr >= ranges[i].lo && addr < ranges[i].hi)
			return &ranges[i];
	return NULL;
}

LwpCode
lwp_code_of(uintptr_t addr)
{
	const Range *range;

	if (addr == 0)
		return 0;
	range = range_of(addr);
	if (range == NULL && modules != NULL)
	{
		read_ranges(); /* does nothing unless a library was loaded since */
		range = range_of(addr);
	}
	if (range == NULL)
		return ((LwpCode) LWP_MODULE_NONE << 48) | (addr & ((UINT64CONST(1) << 48) - 1));
	return ((LwpCode) range->module << 48) | (addr - range->base);
}

const char *
lwp_code_module_path(int module)
{
	return modules != NULL ? lwp_name_get(modules, module) : NULL;
}
