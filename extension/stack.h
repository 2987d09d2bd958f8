/*
 * stack.h
 *		Who asked for the lock: walking frame pointers from the blocked path.
 */
#ifndef LWP_STACK_H
#define LWP_STACK_H

#include "postgres.h"

#include "slot.h"

/* Hooks live in a section of their own, so that a return address into one is recognised. */
#define LWP_HOOK_SECTION __attribute__((section("lwp_hooks"), aligned(64)))

/* The address a frame returns to. */
extern LWP_HIDDEN uintptr_t lwp_stack_return_address(void *frame);

/*
 * The caller of the lock function that is on its way to sleep.  frame is that
 * of the semaphore hook; above it are the server's lock function, our hook,
 * and the caller.  0 when the frames don't look like that, as in a server
 * built without frame pointers.
 */
extern LWP_HIDDEN uintptr_t lwp_stack_caller_of_hook(void *frame);

#endif /* LWP_STACK_H */
