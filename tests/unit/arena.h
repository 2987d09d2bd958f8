/*
 * arena.h
 *		Functions of x86-64 made by hand, for the tests of arch_x86_64.c.
 *
 * A function is written as bytes into the first page of the arena, with data
 * and the target of a tail call behind it; what is emitted for it goes to the
 * next page, within reach.  Then it is really called, by all the ways a detour
 * offers.  Every function that is made here returns its argument + ADDED, if
 * that isn't 0; the data is ADDED before every call.
 */
#ifndef LWP_UNIT_ARENA_H
#define LWP_UNIT_ARENA_H

#include "stubs.h"

#include "detour_parts.h"

#if defined(__x86_64__)

#define PAGE  ((Size) 4096)
#define ADDED 7

#define CODE_AT  PAGE            /* what emit writes */
#define HOOK_AT  (PAGE + 3072)   /* the hook */
#define ROUTE_AT (2 * PAGE)      /* the route */
#define DATA_AT  (2 * PAGE + 64) /* an int */
#define TAIL_AT  ((Size) 2048)   /* lea 7(%rdi),%eax; ret */
#define LOST_AT  ((Size) 3072)   /* mov $99,%eax; ret */

extern uint8 *arena;
extern LwpDetour detour; /* of the function at the beginning of the arena */

extern int arena_setup(void **state);
extern int arena_teardown(void **state);

/* Write the function; its displacements are filled in by the caller. */
#define FUNCTION(bytes)                                                                            \
	do                                                                                             \
	{                                                                                              \
		arena_put(0, bytes, sizeof(bytes) - 1);                                                    \
		detour.size = sizeof(bytes) - 1;                                                           \
	} while (0)

extern void arena_put(Size at, const char *bytes, Size n);

/* A 32-bit displacement at offset at, counted from after, to offset target. */
extern void arena_put_rel32(Size at, Size after, Size target);

extern int32 arena_data(void);

/* The function can be detoured like this. */
extern void planned(uint32 patch_at, uint32 patch_len);

/* It can't, for this reason. */
extern void refused(const char *reason);

/*
 * Emit, install, and call by every way, with every kind of hook; zero is what
 * the function returns for 0.
 */
extern void behaves(int zero);

#define CASE(function) cmocka_unit_test_setup_teardown(function, arena_setup, arena_teardown)

#endif

#endif /* LWP_UNIT_ARENA_H */
