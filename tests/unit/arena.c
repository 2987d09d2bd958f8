/*
 * arena.c
 *		See arena.h.
 */
#include "arena.h"

#if defined(__x86_64__)

#include <sys/mman.h>

/* Every hook returns its argument + 1000. */
#define HOOK_ADDED 1000

uint8 *arena;
LwpDetour detour;
static void *original;

/*
 * call_checked(function, x): calls it, and returns INT_MIN when it did not
 * preserve a callee-saved register or the stack pointer.
 */
extern int call_checked(const void *function, int x);

__asm__(".text\n"
		".type call_checked, @function\n"
		"call_checked:\n"
		"	push %rbx\n"
		"	push %r12\n"
		"	sub $8, %rsp\n"
		"	mov %rdi, %rax\n"
		"	mov %esi, %edi\n"
		"	movabs $0x1122334455667788, %rbx\n"
		"	mov %rsp, %r12\n"
		"	call *%rax\n"
		"	cmp %rsp, %r12\n"
		"	jne 1f\n"
		"	movabs $0x1122334455667788, %rcx\n"
		"	cmp %rcx, %rbx\n"
		"	je 2f\n"
		"1:	mov $0x80000000, %eax\n"
		"2:	mov %r12, %rsp\n"
		"	add $8, %rsp\n"
		"	pop %r12\n"
		"	pop %rbx\n"
		"	ret\n"
		".size call_checked, . - call_checked\n");

static void
protect(Size at, Size n, int protection)
{
	assert_int_equal(mprotect(arena + at, n, protection), 0);
}

void
arena_put(Size at, const char *bytes, Size n)
{
	memcpy(arena + at, bytes, n);
}

#define ARENA_PUT(at, bytes) arena_put(at, bytes, sizeof(bytes) - 1)

void
arena_put_rel32(Size at, Size after, Size target)
{
	int32 rel = (int32) ((int64) target - (int64) after);

	memcpy(arena + at, &rel, sizeof(rel));
}

static void
set_data(int32 value)
{
	memcpy(arena + DATA_AT, &value, sizeof(value));
}

int32
arena_data(void)
{
	int32 value;

	memcpy(&value, arena + DATA_AT, sizeof(value));
	return value;
}

int
arena_setup(void **state)
{
	(void) state;
	arena = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(arena != MAP_FAILED);
	memset(arena, 0xcc, 2 * PAGE);
	ARENA_PUT(TAIL_AT, "\x8d\x47\x07\xc3");         /* lea 7(%rdi),%eax; ret */
	ARENA_PUT(LOST_AT, "\xb8\x63\x00\x00\x00\xc3"); /* mov $99,%eax; ret */
	memset(&detour, 0, sizeof(detour));
	original = NULL;
	detour = (LwpDetour){.name = "victim",
						 .target = arena,
						 .original = &original,
						 .hook = arena + HOOK_AT,
						 .route = (void **) (arena + ROUTE_AT)};
	return 0;
}

int
arena_teardown(void **state)
{
	(void) state;
	munmap(arena, 3 * PAGE);
	return 0;
}

void
planned(uint32 patch_at, uint32 patch_len)
{
	const char *why = lwp_arch_plan(&detour);

	if (why != NULL)
		fail_msg("refused: %s", why);
	assert_int_equal(detour.patch_at, patch_at);
	assert_int_equal(detour.patch_len, patch_len);
	assert_memory_equal(detour.saved, arena + patch_at, patch_len);
}

void
refused(const char *reason)
{
	uint8 before[256];
	const char *why;

	memcpy(before, arena, sizeof(before));
	why = lwp_arch_plan(&detour);
	assert_non_null(why);
	if (strstr(why, reason) == NULL || strstr(why, "victim") == NULL)
		fail_msg("\"%s\" does not say \"%s\"", why, reason);
	assert_memory_equal(before, arena, sizeof(before));
}

/* What hooks can begin with; each makes another way of entering it. */
static const struct
{
	const char *bytes;
	Size n;
} hooks[] = {
	{"\x8d\x87\xe8\x03\x00\x00\xc3", 7},                  /* lea 1000(%rdi),%eax; ret */
	{"\x53\x8d\x87\xe8\x03\x00\x00\x5b\xc3", 9},          /* the same in push %rbx; pop %rbx */
	{"\x41\x54\x8d\x87\xe8\x03\x00\x00\x41\x5c\xc3", 11}, /* the same in push %r12; pop %r12 */
	{"\xf3\x0f\x1e\xfa\x8d\x87\xe8\x03\x00\x00\xc3", 11}, /* the same behind endbr64 */
};

/* What the function returns for x, the data being ADDED before every call. */
static void
returns(const void *function, int x, int expected)
{
	set_data(ADDED);
	assert_int_equal(call_checked(function, x), expected);
}

void
behaves(int zero)
{
	uint8 *end;
	uint8 jump[LWP_MOVED_MAX];

	for (size_t h = 0; h < lengthof(hooks); h++)
	{
		const char *why;

		arena_put(HOOK_AT, hooks[h].bytes, hooks[h].n);
		protect(0, PAGE, PROT_READ | PROT_EXEC);
		returns(arena, 3, 3 + ADDED); /* the function is what the test says it is */
		returns(arena, 0, zero);

		why = lwp_arch_emit(&detour, arena + CODE_AT, &end);
		if (why != NULL)
			fail_msg("refused: %s", why);
		assert_in_range(end - (arena + CODE_AT), 1, LWP_EMIT_MAX);
		*detour.route = detour.plain;
		protect(CODE_AT, PAGE, PROT_READ | PROT_EXEC);
		protect(0, PAGE, PROT_READ | PROT_WRITE);
		lwp_arch_jump(&detour, jump);
		memcpy(arena + detour.patch_at, jump, detour.patch_len);
		protect(0, PAGE, PROT_READ | PROT_EXEC);

		returns(arena, 3, 3 + ADDED);
		returns(arena, -5, -5 + ADDED);
		returns(arena, 0, zero);
		returns(original, 3, 3 + ADDED);
		returns(original, 0, zero);
		*detour.route = detour.recording;
		returns(arena, 3, 3 + HOOK_ADDED);
		returns(arena, 0, HOOK_ADDED);
		returns(original, 3, 3 + ADDED);
		returns(original, 0, zero);
		*detour.route = detour.plain;
		returns(arena, 3, 3 + ADDED);

		/* taken out again, as remove does */
		protect(0, 2 * PAGE, PROT_READ | PROT_WRITE);
		memcpy(arena + detour.patch_at, detour.saved, detour.patch_len);
		memset(arena + CODE_AT, 0xcc, HOOK_AT - CODE_AT);
	}
}

#endif
