/*
 * stack.c
 *		Walking frame pointers; see stack.h.
 *
 * Both supported architectures lay a frame out the same way: the frame
 * pointer points at the caller's frame pointer, and the return address is in
 * the word above it.
 */
#include "postgres.h"

#include "stack.h"

/* A frame larger than this is taken for a chain that has gone astray. */
#define FRAME_MAX ((uintptr_t) 1 << 20)

/* The end of the initial thread's stack, which a server process runs on; from the dynamic linker. */
extern void *__libc_stack_end;

extern char __start_lwp_hooks[] LWP_HIDDEN;
extern char __stop_lwp_hooks[] LWP_HIDDEN;

uintptr_t
lwp_stack_return_address(void *frame)
{
	return ((uintptr_t *) frame)[1];
}

/* The frame above, or NULL when the word there can't be one. */
static void *
frame_above(void *frame)
{
	uintptr_t here = (uintptr_t) frame;
	uintptr_t above = *(uintptr_t *) frame;

	if (above <= here || above - here > FRAME_MAX || above % sizeof(void *) != 0 ||
		above + 2 * sizeof(void *) > (uintptr_t) __libc_stack_end)
		return NULL;
	return (void *) above;
}

static bool
returns_into_hook(void *frame)
{
	uintptr_t addr = lwp_stack_return_address(frame);

	return addr >= (uintptr_t) __start_lwp_hooks && addr < (uintptr_t) __stop_lwp_hooks;
}

void *
lwp_stack_hook_frame(void *frame)
{
	void *server = frame_above(frame);
	void *hook = server != NULL && returns_into_hook(server) ? frame_above(server) : NULL;

	/* one hook may have called another */
	while (hook != NULL && returns_into_hook(hook))
		hook = frame_above(hook);
	return hook;
}

uint32
lwp_stack_walk(void *frame, LwpCode *code, uint32 max)
{
	uint32 n = 0;

	while (n < max && (frame = frame_above(frame)) != NULL)
	{
		uintptr_t addr = lwp_stack_return_address(frame);

		if (addr == 0)
			break;
		code[n++] = lwp_code_of(addr);
	}
	return n;
}
