/*
 * stack.h
 *		Who asked for the lock: walking frame pointers from the blocked path.
 */
#ifndef LWP_STACK_H
#define LWP_STACK_H

#include "postgres.h"

#include "code.h"
#include "slot.h"

/* Hooks live in a section of their own, so that a return address into one is recognised. */
#define LWP_HOOK_SECTION __attribute__((section("lwp_hooks"), aligned(64)))

/* The address a frame returns to. */
extern LWP_HIDDEN uintptr_t lwp_stack_return_address(void *frame);

/*
 * The frame of the hook of the lock function that is on its way to sleep; what
 * it returns to is the caller.  frame is that of the semaphore hook; above it
 * are the server's lock function and our hook.  NULL when the frames don't
 * look like that, as in a server built without frame pointers.
 */
extern LWP_HIDDEN void *lwp_stack_hook_frame(void *frame);

/*
 * Return addresses of the frames above a frame, innermost first, at most max.
 * Each frame is checked to lie in this process's stack, above the last one.
 * Returns how many there are.
 */
extern LWP_HIDDEN uint32 lwp_stack_walk(void *frame, LwpCode *code, uint32 max);

#endif /* LWP_STACK_H */
