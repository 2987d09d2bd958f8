/*
 * mem.h
 *		Memory that is there or the program ends, and a growing string.
 *
 * lwbench has no use for a half-built run, so an allocation that fails prints
 * one line and exits with code 1.  Nothing here returns NULL.
 */
#ifndef LWP_MEM_H
#define LWP_MEM_H

#include <stdarg.h>
#include <stddef.h>

extern void *lwp_malloc(size_t size);
extern void *lwp_calloc(size_t n, size_t size);
extern void *lwp_realloc(void *p, size_t size);
extern char *lwp_strdup(const char *s);
extern char *lwp_strndup(const char *s, size_t len);

/* Zeroed memory that starts on its own cache line; free() releases it. */
extern void *lwp_calloc_aligned(size_t size);

/* printf into fresh memory, owned by the caller. */
extern char *lwp_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A growing string.  data is always NUL-terminated once init has run; len does
 * not count the NUL.  The owner calls lwp_str_free.
 */
typedef struct LwpStr
{
	char *data;
	size_t len;
	size_t cap;
} LwpStr;

extern void lwp_str_init(LwpStr *s);
extern void lwp_str_free(LwpStr *s);
extern void lwp_str_reset(LwpStr *s);
extern void lwp_str_reserve(LwpStr *s, size_t extra);
extern void lwp_str_add(LwpStr *s, const char *bytes, size_t len);
extern void lwp_str_adds(LwpStr *s, const char *cstr);
extern void lwp_str_addc(LwpStr *s, char c);
extern void lwp_str_addf(LwpStr *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Hands the text over to the caller and leaves an empty string behind. */
extern char *lwp_str_steal(LwpStr *s);

#endif
