/*
 * mem.c
 *		Memory that is there or the program ends, and a growing string.
 */
#define _GNU_SOURCE
#include "mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static _Noreturn void
out_of_memory(void)
{
	fputs("lwbench: error: out of memory\n", stderr);
	exit(1);
}

void *
lwp_malloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
lwp_calloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
lwp_realloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

char *
lwp_strdup(const char *s)
{
	return lwp_strndup(s, strlen(s));
}

char *
lwp_strndup(const char *s, size_t len)
{
	char *p = lwp_malloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void *
lwp_calloc_aligned(size_t size)
{
	size_t whole = (size + 63) & ~(size_t) 63;
	void *p = aligned_alloc(64, whole);

	if (p == NULL)
		out_of_memory();
	memset(p, 0, whole);
	return p;
}

char *
lwp_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *out = NULL;

	va_start(ap, fmt);
	if (vasprintf(&out, fmt, ap) < 0)
		out_of_memory();
	va_end(ap);
	return out;
}

void
lwp_str_init(LwpStr *s)
{
	s->cap = 128;
	s->data = lwp_malloc(s->cap);
	s->data[0] = '\0';
	s->len = 0;
}

void
lwp_str_free(LwpStr *s)
{
	free(s->data);
	s->data = NULL;
	s->len = s->cap = 0;
}

void
lwp_str_reset(LwpStr *s)
{
	s->len = 0;
	s->data[0] = '\0';
}

void
lwp_str_reserve(LwpStr *s, size_t extra)
{
	size_t need;

	if (extra > SIZE_MAX / 4 || s->len > SIZE_MAX / 4)
		out_of_memory();
	need = s->len + extra + 1;
	if (need <= s->cap)
		return;
	while (s->cap < need)
		s->cap *= 2;
	s->data = lwp_realloc(s->data, s->cap);
}

void
lwp_str_add(LwpStr *s, const char *bytes, size_t len)
{
	lwp_str_reserve(s, len);
	memcpy(s->data + s->len, bytes, len);
	s->len += len;
	s->data[s->len] = '\0';
}

void
lwp_str_adds(LwpStr *s, const char *cstr)
{
	lwp_str_add(s, cstr, strlen(cstr));
}

void
lwp_str_addc(LwpStr *s, char c)
{
	lwp_str_add(s, &c, 1);
}

void
lwp_str_addf(LwpStr *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	lwp_str_reserve(s, (size_t) n);
	va_start(ap, fmt);
	vsnprintf(s->data + s->len, (size_t) n + 1, fmt, ap);
	va_end(ap);
	s->len += (size_t) n;
}

char *
lwp_str_steal(LwpStr *s)
{
	char *text = s->data;

	lwp_str_init(s);
	return text;
}
