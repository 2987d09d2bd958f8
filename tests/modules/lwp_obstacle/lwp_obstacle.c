/*
 * lwp_obstacle.c
 *		Makes the installation of detours fail in a chosen way.  Test only.
 *
 * Preloaded before pg_lwprof; the environment variable LWP_OBSTACLE of the
 * postmaster names the obstacle:
 *
 *		foreign_jump	a harmless jump stands at the entry of LWLockRelease
 *		no_near_page	every gap within reach of the text is taken
 *		no_exec			the kernel lets nobody make memory executable
 *		thread			a second thread is running
 */
#include "postgres.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fmgr.h"
#include "storage/lwlock.h"

PG_MODULE_MAGIC;

void _PG_init(void);

/*
 * Another tool's detour: a jump at the entry, to a copy of the instructions it
 * overwrote, to the rest of the function.
 */
static void
foreign_jump(void)
{
	uintptr_t page_size = (uintptr_t) sysconf(_SC_PAGESIZE);
	uint8 *entry = (uint8 *) LWLockRelease;
	uintptr_t page = (uintptr_t) entry & ~(page_size - 1);
	uint8 *copy = mmap((void *) (page - ((uintptr_t) 512 << 20)), page_size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int32 rel;

	/* push %rbp; lea disp32(%rip),%rsi: knowing them is simpler than decoding them */
	if (memcmp(entry, "\x55\x48\x8d\x35", 4) != 0)
		elog(FATAL, "lwp_obstacle: unknown instructions at LWLockRelease");
	if (copy == MAP_FAILED)
		elog(FATAL, "lwp_obstacle: mmap: %m");
	memcpy(copy, entry, 8);
	memcpy(&rel, entry + 4, sizeof(rel));
	rel += (int32) (entry - copy);
	memcpy(copy + 4, &rel, sizeof(rel));
	copy[8] = 0xe9;
	rel = (int32) (entry + 8 - (copy + 13));
	memcpy(copy + 9, &rel, sizeof(rel));

	if (mprotect(copy, page_size, PROT_READ | PROT_EXEC) != 0 ||
		mprotect((void *) page, page_size, PROT_READ | PROT_WRITE) != 0)
		elog(FATAL, "lwp_obstacle: mprotect: %m");
	entry[0] = 0xe9;
	rel = (int32) (copy - (entry + 5));
	memcpy(entry + 1, &rel, sizeof(rel));
	if (mprotect((void *) page, page_size, PROT_READ | PROT_EXEC) != 0)
		elog(FATAL, "lwp_obstacle: mprotect: %m");
}

/* Reserve every gap in the 4 GiB around the text. */
static void
no_near_page(void)
{
	uintptr_t text = (uintptr_t) LWLockRelease;
	uintptr_t reach = (uintptr_t) 2200 << 20;
	uintptr_t page_size = (uintptr_t) sysconf(_SC_PAGESIZE);
	uintptr_t lo = (text > reach ? text - reach : page_size * 16) & ~(page_size - 1);
	uintptr_t hi = (text + reach) & ~(page_size - 1);

	/* halve the chunk until it fits, then go on behind it */
	while (lo < hi)
	{
		uintptr_t chunk = hi - lo;

		while (chunk >= page_size &&
			   /* cppcheck-suppress leakReturnValNotUsed; it shall stay mapped */
			   mmap((void *) lo, chunk, PROT_NONE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
					0) == MAP_FAILED)
			chunk = (chunk / 2) & ~(page_size - 1);
		lo += chunk >= page_size ? chunk : page_size;
	}
}

/* mprotect() that asks for PROT_EXEC fails with EACCES, as under MemoryDenyWriteExecute. */
static void
no_exec(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = lengthof(code), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		elog(FATAL, "lwp_obstacle: seccomp: %m");
}

static void *
sleeper(void *arg)
{
	(void) arg;
	for (;;)
		pause();
	return NULL;
}

static void
thread(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, sleeper, NULL) != 0)
		elog(FATAL, "lwp_obstacle: pthread_create");
}

void
_PG_init(void)
{
	const char *obstacle = getenv("LWP_OBSTACLE");

	if (obstacle == NULL)
		return;
	if (strcmp(obstacle, "foreign_jump") == 0)
		foreign_jump();
	else if (strcmp(obstacle, "no_near_page") == 0)
		no_near_page();
	else if (strcmp(obstacle, "no_exec") == 0)
		no_exec();
	else if (strcmp(obstacle, "thread") == 0)
		thread();
	else
		elog(FATAL, "lwp_obstacle: unknown obstacle \"%s\"", obstacle);
}
