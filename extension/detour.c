/*
 * detour.c
 *		The transaction around a set of detours: prepare, install, remove.
 *		See detour.h for what a detour looks like in memory.
 */
#include "postgres.h"

#include <signal.h>

#include "detour_parts.h"

static char refusal[256];
static LwpNearPage near_page;

const char *
lwp_refuse(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(refusal, sizeof(refusal), fmt, ap);
	va_end(ap);
	return refusal;
}

static void *
destination(const LwpDetour *d, LwpRecording recording)
{
	switch (recording)
	{
		case LWP_RECORDING_ON:
			return d->recording;
		case LWP_RECORDING_ALTERNATIVE:
			return d->recording_alternative;
		default:
			return d->plain;
	}
}

void
lwp_detour_switch(LwpDetour *set, int n, LwpRecording recording)
{
	if (near_page.routes == NULL)
		return;
	for (int i = 0; i < n; i++)
		*(void *volatile *) set[i].route = destination(&set[i], recording);
}

static const char *
prepare_set(LwpDetour *set, int n)
{
	uintptr_t lo = UINTPTR_MAX;
	uintptr_t hi = 0;
	uint8 *code;
	const char *why;

	if ((why = lwp_text_single_threaded()) != NULL)
		return why;
	for (int i = 0; i < n; i++)
	{
		LwpDetour *d = &set[i];

		if ((why = lwp_text_symbol(d)) != NULL || (why = lwp_arch_plan(d)) != NULL)
			return why;
		lo = Min(lo, (uintptr_t) d->target);
		hi = Max(hi, (uintptr_t) d->target + d->size);
	}
	if ((why = lwp_text_rehearse(set[0].target)) != NULL)
		return why;
	if ((why = lwp_near_map(&near_page, lo, hi, (Size) n * LWP_EMIT_MAX, n)) != NULL)
		return why;
	code = near_page.code;
	for (int i = 0; i < n; i++)
	{
		set[i].route = &near_page.routes[i];
		if ((why = lwp_arch_emit(&set[i], code, &code)) != NULL)
			return why;
	}
	lwp_detour_switch(set, n, LWP_RECORDING_OFF);
	return lwp_near_seal(&near_page);
}

/*
 * Build everything, change nothing of the server.  On refusal all that was
 * built is gone again.
 */
const char *
lwp_detour_prepare(LwpDetour *set, int n)
{
	const char *why = prepare_set(set, n);

	if (why != NULL)
		lwp_near_unmap(&near_page);
	return why;
}

/*
 * Rewrite every entry; if one cannot be written, put the others back.
 */
const char *
lwp_detour_install(LwpDetour *set, int n)
{
	const char *why = NULL;
	sigset_t all;
	sigset_t old;

	/* No handler may run the very text that is being rewritten. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	for (int i = 0; i < n && why == NULL; i++)
	{
		uint8 jump[LWP_MOVED_MAX];

		lwp_arch_jump(&set[i], jump);
		why = lwp_text_write(set[i].target + set[i].patch_at, jump, set[i].patch_len);
		set[i].installed = (why == NULL);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (why != NULL)
		lwp_detour_remove(set, n);
	return why;
}

/*
 * Put every entry back.  If one cannot be, the near page stays, with every
 * route plain, which is the server's own behaviour; false says so.
 */
bool
lwp_detour_remove(LwpDetour *set, int n)
{
	bool all_back = true;
	sigset_t all;
	sigset_t old;

	lwp_detour_switch(set, n, LWP_RECORDING_OFF);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	for (int i = 0; i < n; i++)
	{
		LwpDetour *d = &set[i];
		char keep[sizeof(refusal)];

		if (!d->installed)
			continue;
		strlcpy(keep, refusal, sizeof(keep)); /* the first reason is the one that matters */
		if (lwp_text_write(d->target + d->patch_at, d->saved, d->patch_len) == NULL)
			d->installed = false;
		else
			all_back = false;
		strlcpy(refusal, keep, sizeof(refusal));
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (all_back)
		lwp_near_unmap(&near_page);
	return all_back;
}
