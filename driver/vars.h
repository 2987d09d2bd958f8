/*
 * vars.h
 *		Script variables: names are numbered once, values live per client.
 *
 * Every name a script can read is known when the scripts are parsed, so each
 * gets a slot number in one table (LwpNames) that is written while options and
 * scripts are read and only read afterwards.  A client holds an array of
 * values indexed by slot: reading or writing a variable at run time compares
 * no strings and takes no lock.
 */
#ifndef LWP_VARS_H
#define LWP_VARS_H

#include <stddef.h>

#include "value.h"

typedef struct LwpNames
{
	char **name; /* slot -> name */
	int count;
	int cap;
	int *bucket;  /* open addressing over slots, -1 is empty */
	int nbuckets; /* power of two */
} LwpNames;

extern void lwp_names_init(LwpNames *t);
extern void lwp_names_free(LwpNames *t);

/* Slot of the name, made when new.  Parsing only: no other thread may run. */
extern int lwp_names_intern(LwpNames *t, const char *name);

/* Slot of the name or -1.  Safe from any thread once parsing is over. */
extern int lwp_names_find(const LwpNames *t, const char *name);

/* A letter, underscore or byte above 127, then also digits; not empty. */
extern bool lwp_name_valid(const char *name);

/*
 * Length of the name that begins at s (after a colon), 0 when none does.
 * *s is compared like lwp_name_valid does.
 */
extern size_t lwp_name_span(const char *s);

/*
 * One variable of one client.  val.type LWP_T_NONE with a text means a string
 * nobody has needed as a value yet; a NULL text means none was made yet.
 */
typedef struct LwpVar
{
	LwpValue val;
	char *text;
	char *heap; /* owned; text points here or into small */
	size_t heap_cap;
	bool defined;
	char small[31];
} LwpVar;

typedef struct LwpVars
{
	const LwpNames *names;
	LwpVar *v;
	int n; /* names->count when made */
} LwpVars;

extern void lwp_vars_init(LwpVars *vars, const LwpNames *names);
extern void lwp_vars_free(LwpVars *vars);

extern void lwp_var_set(LwpVar *v, LwpValue val);
extern void lwp_var_set_text(LwpVar *v, const char *text);

/* The value as text, NULL when undefined.  Valid until the next set. */
extern const char *lwp_var_text(LwpVar *v);

/*
 * The value with its type found out; false after printing what is wrong with
 * it.  name is for that message.
 */
extern bool lwp_var_value(LwpVar *v, const char *name, LwpValue *out);

#endif
