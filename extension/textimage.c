/*
 * textimage.c
 *		The server's text in memory and in its file; see detour_parts.h.
 */
#include "postgres.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "detour_parts.h"

/* Where an address of the main program is in its file. */
typedef struct FilePlace
{
	uintptr_t addr;
	bool found;
	off_t offset;
} FilePlace;

static int
find_place(struct dl_phdr_info *info, size_t size, void *arg)
{
	FilePlace *place = arg;

	(void) size;
	for (int i = 0; i < info->dlpi_phnum; i++)
	{
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && place->addr >= start && place->addr < start + ph->p_filesz)
		{
			place->found = true;
			place->offset = (off_t) (place->addr - start + ph->p_offset);
		}
	}
	return 1; /* the first object is the main program; look no further */
}

static bool
file_place(const uint8 *addr, off_t *offset)
{
	FilePlace place = {.addr = (uintptr_t) addr};

	dl_iterate_phdr(find_place, &place);
	*offset = place.offset;
	return place.found;
}

static int
open_executable(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

/* Does the file hold the same n bytes as memory at addr?  -1 when it can't be read. */
static int
same_as_file(const uint8 *addr, off_t offset, Size n)
{
	int fd = open_executable();
	int same = 1;
	uint8 chunk[256];

	if (fd < 0)
		return -1;
	for (Size done = 0; same == 1 && done < n;)
	{
		ssize_t got = pread(fd, chunk, Min(sizeof(chunk), n - done), offset + (off_t) done);

		if (got <= 0)
			same = -1;
		else if (memcmp(chunk, addr + done, (Size) got) != 0)
			same = 0;
		else
			done += (Size) got;
	}
	close(fd);
	return same;
}

const char *
lwp_text_symbol(LwpDetour *d)
{
	Dl_info info;
	ElfW(Sym) *symbol = NULL;
	off_t offset;
	int same;

	if (dladdr1(d->target, &info, (void **) &symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL ||
		info.dli_saddr != d->target)
		return lwp_refuse("%s is not a symbol of the server", d->name);
	if (!file_place(d->target, &offset))
		return lwp_refuse("%s is not in the server's executable", d->name);
	d->size = (uint32) symbol->st_size;
	same = same_as_file(d->target, offset, d->size);
	if (same < 0)
		return lwp_refuse("cannot read the server's executable file: %s", strerror(errno));
	if (same == 0)
		return lwp_refuse("%s was already modified by somebody else", d->name);
	return NULL;
}

const char *
lwp_text_rehearse(const uint8 *addr)
{
	Size page_size = (Size) sysconf(_SC_PAGESIZE);
	const char *why = NULL;
	volatile uint8 *copy;
	off_t offset;
	int fd;

	if (!file_place(addr, &offset) || (fd = open_executable()) < 0)
		return lwp_refuse("cannot map the server's executable file");
	copy = mmap(NULL, page_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
				offset - offset % (off_t) page_size);
	close(fd);
	if (copy == MAP_FAILED)
		return lwp_refuse("cannot map the server's executable file: %s", strerror(errno));
	if (mprotect((void *) copy, page_size, PROT_READ | PROT_WRITE) != 0)
		why = lwp_refuse("text may not be made writable: %s", strerror(errno));
	else
	{
		copy[0] = (uint8) ~copy[0];
		if (mprotect((void *) copy, page_size, PROT_READ | PROT_EXEC) != 0)
			why = lwp_refuse("text may not be made executable again: %s", strerror(errno));
	}
	munmap((void *) copy, page_size);
	return why;
}

const char *
lwp_text_write(uint8 *addr, const uint8 *bytes, Size n)
{
	uintptr_t page_size = (uintptr_t) sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t) addr & ~(page_size - 1);
	Size length = TYPEALIGN(page_size, (uintptr_t) addr + n) - start;

	if (mprotect((void *) start, length, PROT_READ | PROT_WRITE) != 0)
		return lwp_refuse("text may not be made writable: %s", strerror(errno));
	memcpy(addr, bytes, n);
	__builtin___clear_cache((char *) addr, (char *) addr + n);
	if (mprotect((void *) start, length, PROT_READ | PROT_EXEC) != 0)
	{
		/*
		 * The rehearsal said this works.  Text that cannot be executed is the
		 * end of this process, so insist: a failure here is a passing lack of
		 * kernel memory.
		 */
		for (int i = 0; i < 1000; i++)
		{
			if (mprotect((void *) start, length, PROT_READ | PROT_EXEC) == 0)
				return NULL;
			pg_usleep(1000);
		}
		return lwp_refuse("text may not be made executable again: %s", strerror(errno));
	}
	return NULL;
}

const char *
lwp_text_single_threaded(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int n = 0;

	if (tasks == NULL)
		return lwp_refuse("/proc is not mounted");
	for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
		if (entry->d_name[0] != '.')
			n++;
	closedir(tasks);
	if (n != 1)
		return lwp_refuse("another library started a thread in the postmaster");
	return NULL;
}
