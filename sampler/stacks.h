/*
 * stacks.h
 *		Call stacks of sleeping backends, each kept once.
 *
 * A set of stacks in shared memory: entered by the sampler only, never changed
 * or removed until a reset empties the set.  The time of a stack is in
 * lwp_stacks_table under its number.
 */
#ifndef LWP_STACKS_H
#define LWP_STACKS_H

#include "postgres.h"

#include "../extension/details.h"

typedef struct LwpStack
{
	uint64 hash; /* 0: free */
	uint32 frames;
	uint32 unused;
	LwpCode frame[LWP_STACK_FRAMES]; /* innermost first */
} LwpStack;

typedef struct LwpStacks
{
	volatile uint64 epoch; /* reset epoch the contents belong to */
	volatile uint64 lost;  /* stacks that found no room */
	uint32 capacity;
	volatile uint32 used;
	LwpStack stacks[FLEXIBLE_ARRAY_MEMBER];
} LwpStacks;

extern LWP_HIDDEN Size lwp_stacks_size(int n);
extern LWP_HIDDEN void lwp_stacks_init(LwpStacks *stacks, int n);

/* Writer only. */
extern LWP_HIDDEN void lwp_stacks_clear(LwpStacks *stacks, uint64 epoch);

/* Number of a stack, entered if it is new; -1 when there is no room. */
extern LWP_HIDDEN int lwp_stacks_intern(LwpStacks *stacks, const LwpCode *frame, uint32 frames);

#endif /* LWP_STACKS_H */
