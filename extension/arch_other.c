/*
 * arch_other.c
 *		An instruction set nobody taught us yet: every detour is refused, the
 *		server runs in wait_event mode.
 */
#include "postgres.h"

#if !defined(__x86_64__) && !defined(__aarch64__)

#include "detour_parts.h"

const char *
lwp_arch_plan(LwpDetour *d)
{
	(void) d;
	return lwp_refuse("detours are not available on this CPU");
}

const char *
lwp_arch_emit(LwpDetour *d, uint8 *code, uint8 **end)
{
	(void) d;
	*end = code;
	return lwp_refuse("detours are not available on this CPU");
}

void
lwp_arch_jump(const LwpDetour *d, uint8 *buf)
{
	memcpy(buf, d->saved, d->patch_len);
}

#endif
