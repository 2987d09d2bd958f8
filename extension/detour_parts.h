/*
 * detour_parts.h
 *		Seams inside the detour machinery: instruction set, near page, text image.
 *
 * Functions that can refuse return NULL on success, else a reason in a static
 * buffer (lwp_refuse).  No ereport, no palloc: all of it runs with signals
 * blocked in the postmaster.
 */
#ifndef LWP_DETOUR_PARTS_H
#define LWP_DETOUR_PARTS_H

#include "detour.h"

/* detour.c: format a reason into the one static buffer and return it. */
extern LWP_HIDDEN const char *
lwp_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * arch_*.c: one instruction set.
 *
 * plan		decode the entry; set patch_at, patch_len and saved[]; refuse what
 *			cannot be moved or what a branch of the function lands in
 * emit		write plain and original at code (its final address), set
 *			d->plain, d->recording*, d->relay and *d->original; *end is the first
 *			unused byte
 * jump		fill buf (patch_len bytes) with a jump through d->route
 */
extern LWP_HIDDEN const char *lwp_arch_plan(LwpDetour *d);
extern LWP_HIDDEN const char *lwp_arch_emit(LwpDetour *d, uint8 *code, uint8 **end);
extern LWP_HIDDEN void lwp_arch_jump(const LwpDetour *d, uint8 *buf);

/* Most bytes emit can need, and how far the patched entry reaches in either direction. */
#define LWP_EMIT_MAX 512
#if defined(__aarch64__)
#define LWP_JUMP_REACH ((uintptr_t) 127 << 20)
#else
#define LWP_JUMP_REACH ((uintptr_t) 2047 << 20)
#endif

/*
 * nearpage.c: the code beside the server's text, and the routes that lead to it.
 *
 * map		reserve room for code and for n routes such that every address in
 *			[lo, hi) and every byte of it reach one another
 * seal		make the code read+execute
 * unmap	give everything back
 */
typedef struct LwpNearPage
{
	uint8 *code;
	Size code_size;
	void **routes;
	Size routes_size;
} LwpNearPage;

extern LWP_HIDDEN const char *
lwp_near_map(LwpNearPage *page, uintptr_t lo, uintptr_t hi, Size code_size, int n);
extern LWP_HIDDEN const char *lwp_near_seal(LwpNearPage *page);
extern LWP_HIDDEN void lwp_near_unmap(LwpNearPage *page);

/*
 * textimage.c: the server's text, in memory and in its file.
 *
 * symbol	find the size of the function and check that its bytes are those
 *			of the executable file, i.e. nobody patched it before us
 * rehearse	find out, on a throw-away mapping of the same file, whether text
 *			may be made writable and then executable again, so that the
 *			answer "no" comes before the server's own text is touched
 * write	replace n bytes of text
 */
extern LWP_HIDDEN const char *lwp_text_symbol(LwpDetour *d);
extern LWP_HIDDEN const char *lwp_text_rehearse(const uint8 *addr);
extern LWP_HIDDEN const char *lwp_text_write(uint8 *addr, const uint8 *bytes, Size n);
extern LWP_HIDDEN const char *lwp_text_single_threaded(void);

#endif /* LWP_DETOUR_PARTS_H */
