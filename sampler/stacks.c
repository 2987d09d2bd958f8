/*
 * stacks.c
 *		Call stacks of sleeping backends, each kept once; see stacks.h.
 */
#include "postgres.h"

#include "port/atomics.h"

#include "stacks.h"

Size
lwp_stacks_size(int n)
{
	return offsetof(LwpStacks, stacks) + sizeof(LwpStack) * (Size) n;
}

void
lwp_stacks_init(LwpStacks *stacks, int n)
{
	memset(stacks, 0, lwp_stacks_size(n));
	stacks->capacity = (uint32) n;
}

void
lwp_stacks_clear(LwpStacks *stacks, uint64 epoch)
{
	stacks->used = 0;
	stacks->lost = 0;
	pg_write_barrier();
	memset(stacks->stacks, 0, sizeof(LwpStack) * (Size) stacks->capacity);
	pg_write_barrier();
	stacks->epoch = epoch;
}

/* FNV-1a over the frames (Fowler, Noll, Vo), word by word; never 0. */
static uint64
hash_frames(const LwpCode *frame, uint32 frames)
{
	uint64 h = UINT64CONST(0xcbf29ce484222325);

	for (uint32 i = 0; i < frames; i++)
		h = (h ^ frame[i]) * UINT64CONST(0x100000001b3);
	return h == 0 ? 1 : h;
}

int
lwp_stacks_intern(LwpStacks *stacks, const LwpCode *frame, uint32 frames)
{
	uint64 h = hash_frames(frame, frames);
	uint32 n = stacks->capacity;

	/* one in eight stays free, so that a search for a new one ends soon */
	for (uint32 probe = 0, i = (uint32) (h % n); probe < n; probe++, i = (i + 1) % n)
	{
		LwpStack *stack = &stacks->stacks[i];

		if (stack->hash == h && stack->frames == frames &&
			memcmp(stack->frame, frame, sizeof(LwpCode) * frames) == 0)
			return (int) i;
		if (stack->hash != 0)
			continue;
		if ((uint64) stacks->used * 8 >= (uint64) n * 7)
			break;
		memcpy(stack->frame, frame, sizeof(LwpCode) * frames);
		stack->frames = frames;
		pg_write_barrier(); /* a reader that sees the hash sees the frames */
		*(volatile uint64 *) &stack->hash = h;
		stacks->used++;
		return (int) i;
	}
	stacks->lost++;
	return -1;
}
