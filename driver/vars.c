/*
 * vars.c
 *		Script variables: names are numbered once, values live per client.
 */
#include "vars.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"
#include "message.h"
#include "num.h"

static unsigned
hash_name(const char *name)
{
	unsigned h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char) *name) * 16777619u;
	return h;
}

static void
rebuild(LwpNames *t, int nbuckets)
{
	t->nbuckets = nbuckets;
	t->bucket = lwp_realloc(t->bucket, sizeof(int) * (size_t) nbuckets);
	for (int i = 0; i < nbuckets; i++)
		t->bucket[i] = -1;
	for (int slot = 0; slot < t->count; slot++)
	{
		unsigned at = hash_name(t->name[slot]) & (unsigned) (nbuckets - 1);

		while (t->bucket[at] >= 0)
			at = (at + 1) & (unsigned) (nbuckets - 1);
		t->bucket[at] = slot;
	}
}

void
lwp_names_init(LwpNames *t)
{
	memset(t, 0, sizeof(*t));
	rebuild(t, 64);
}

void
lwp_names_free(LwpNames *t)
{
	for (int i = 0; i < t->count; i++)
		free(t->name[i]);
	free(t->name);
	free(t->bucket);
	memset(t, 0, sizeof(*t));
}

int
lwp_names_find(const LwpNames *t, const char *name)
{
	unsigned at = hash_name(name) & (unsigned) (t->nbuckets - 1);

	while (t->bucket[at] >= 0)
	{
		if (strcmp(t->name[t->bucket[at]], name) == 0)
			return t->bucket[at];
		at = (at + 1) & (unsigned) (t->nbuckets - 1);
	}
	return -1;
}

int
lwp_names_intern(LwpNames *t, const char *name)
{
	int slot = lwp_names_find(t, name);

	if (slot >= 0)
		return slot;
	if (t->count == t->cap)
	{
		t->cap = t->cap ? t->cap * 2 : 32;
		t->name = lwp_realloc(t->name, sizeof(char *) * (size_t) t->cap);
	}
	slot = t->count++;
	t->name[slot] = lwp_strdup(name);
	rebuild(t, t->count * 2 > t->nbuckets ? t->nbuckets * 2 : t->nbuckets);
	return slot;
}

static bool
starts_name(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || (c & 0x80);
}

size_t
lwp_name_span(const char *s)
{
	size_t n = 0;

	if (!starts_name(s[0]))
		return 0;
	while (starts_name(s[n]) || (s[n] >= '0' && s[n] <= '9'))
		n++;
	return n;
}

bool
lwp_name_valid(const char *name)
{
	size_t n = lwp_name_span(name);

	return n > 0 && name[n] == '\0';
}

void
lwp_vars_init(LwpVars *vars, const LwpNames *names)
{
	vars->names = names;
	vars->n = names->count;
	/* clients of different threads must not share a cache line */
	vars->v = lwp_calloc_aligned(((size_t) names->count + 1) * sizeof(LwpVar));
}

void
lwp_vars_free(LwpVars *vars)
{
	for (int i = 0; i < vars->n; i++)
		free(vars->v[i].heap);
	free(vars->v);
	vars->v = NULL;
	vars->n = 0;
}

void
lwp_var_set(LwpVar *v, LwpValue val)
{
	v->val = val;
	v->text = NULL;
	v->defined = true;
}

void
lwp_var_set_text(LwpVar *v, const char *text)
{
	size_t need = strlen(text) + 1;

	if (need <= sizeof(v->small))
	{
		memmove(v->small, text, need);
		v->text = v->small;
	}
	else
	{
		/* text may be this variable's own old text, so copy before freeing */
		if (need > v->heap_cap)
		{
			char *bigger = lwp_malloc(need);

			memcpy(bigger, text, need);
			free(v->heap);
			v->heap = bigger;
			v->heap_cap = need;
		}
		else
			memmove(v->heap, text, need);
		v->text = v->heap;
	}
	v->val.type = LWP_T_NONE;
	v->defined = true;
}

const char *
lwp_var_text(LwpVar *v)
{
	if (!v->defined)
		return NULL;
	if (v->text != NULL)
		return v->text;
	switch (v->val.type)
	{
		case LWP_T_INT:
			v->small[lwp_format_int64(v->small, v->val.u.i)] = '\0';
			break;
		case LWP_T_DOUBLE:
			snprintf(v->small, sizeof(v->small), "%.*g", DBL_DIG, v->val.u.d);
			break;
		case LWP_T_BOOL:
			strcpy(v->small, v->val.u.b ? "true" : "false");
			break;
		default:
			strcpy(v->small, "NULL");
			break;
	}
	v->text = v->small;
	return v->text;
}

/* prefix of a word, at least one letter; "o" alone would be on or off */
static bool
abbreviates(const char *text, const char *word)
{
	return strncasecmp(text, word, strlen(text)) == 0;
}

bool
lwp_var_value(LwpVar *v, const char *name, LwpValue *out)
{
	if (v->val.type == LWP_T_NONE)
	{
		const char *s = v->text;

		if (*s == '\0')
		{
			lwp_error("malformed variable \"%s\" value: \"%s\"", name, s);
			return false;
		}
		if (strcasecmp(s, "null") == 0)
			v->val = lwp_null();
		else if (abbreviates(s, "true") || abbreviates(s, "yes") || strcasecmp(s, "on") == 0)
			v->val = lwp_bool(true);
		else if (abbreviates(s, "false") || abbreviates(s, "no") || strcasecmp(s, "off") == 0 ||
				 strcasecmp(s, "of") == 0)
			v->val = lwp_bool(false);
		else if (lwp_looks_int(s))
		{
			int64_t i;

			if (lwp_parse_int64(s, &i) != LWP_NUM_OK)
			{
				lwp_error("value \"%s\" is out of range for type bigint", s);
				return false;
			}
			v->val = lwp_int(i);
		}
		else
		{
			double d;

			if (lwp_parse_double(s, &d) != LWP_NUM_OK)
			{
				lwp_error("malformed variable \"%s\" value: \"%s\"", name, s);
				return false;
			}
			v->val = lwp_double(d);
		}
	}
	*out = v->val;
	return true;
}
