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

/* A frame between a hook and the semaphore can't be larger than this. */
#define FRAME_MAX ((uintptr_t) 16384)

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

	if (above <= here || above - here > FRAME_MAX || above % sizeof(void *) != 0)
		return NULL;
	return (void *) above;
}

uintptr_t
lwp_stack_caller_of_hook(void *frame)
{
	void *server = frame_above(frame);
	void *hook = server ? frame_above(server) : NULL;
	uintptr_t into_hook = server ? lwp_stack_return_address(server) : 0;

	if (hook == NULL || into_hook < (uintptr_t) __start_lwp_hooks ||
		into_hook >= (uintptr_t) __stop_lwp_hooks)
		return 0;
	return lwp_stack_return_address(hook);
}
