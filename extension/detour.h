/*
 * detour.h
 *		Replacing server functions at run time, all or nothing.
 *
 * A detour is an indirect jump near the entry of a server function.  Where it
 * leads is a pointer on a page within reach of the text (the near page), so
 * that switching recording on and off is one store per function:
 *
 *		entry:		first instruction, untouched when it is a push, endbr64, or
 *					only loads a scratch register
 *					jmp *route
 *		route:		recording off: -> plain, on: -> hook
 *		plain:		moved instructions; jmp back to entry + n
 *		original:	first instruction; moved instructions; jmp back to entry + n
 *
 * "original" is what the hook calls to get the server's own function.  The
 * first instruction stays in place so that a kernel uprobe or a debugger's
 * breakpoint on the entry does no harm: it executes that instruction elsewhere
 * and resumes behind it, which must be our jump and not the middle of it, and
 * when removed it puts back the first byte of the file.
 *
 * Life of a set of detours:
 *
 *		prepare		decode every entry, build the code on the near page, seal it
 *					read+execute; nothing of the server is changed yet
 *		install		rewrite the entries; on any failure put back what was done
 *		remove		put every entry back
 *
 * A page is writable or executable, never both.  All of this happens in the
 * postmaster, single-threaded, with every signal blocked, before any child
 * exists.  Errors are a reason, a static string owned by this module, never
 * an ereport.
 */
#ifndef LWP_DETOUR_H
#define LWP_DETOUR_H

#include "postgres.h"

#include "slot.h"

/* Longest run of instruction bytes that is moved out of an entry. */
#define LWP_MOVED_MAX 32

typedef struct LwpDetour
{
	/* set by the owner of the table */
	const char *name;  /* symbol, for messages */
	uint8 *target;     /* entry of the server's function */
	void *hook;        /* what to run instead */
	void *alternative; /* the hook of another kind of recording; NULL = the same */
	void **original;   /* out: callable address of the server's function */

	/* set by prepare */
	uint32 size;                 /* bytes of the function, from its symbol */
	uint32 patch_at;             /* offset of the jump from the entry */
	bool undo_first;             /* the hook must not see what the first instruction did */
	uint32 patch_len;            /* bytes moved from there */
	void **route;                /* where the entry jumps through, on the near page */
	void *plain;                 /* *route while recording is off */
	void *recording;             /* *route while it is on */
	void *recording_alternative; /* the same, with the other kind of recording */
	uint8 *relay;                /* jmp *route, for entries too short for one; else NULL */
	uint8 saved[LWP_MOVED_MAX];  /* what stood at patch_at */
	bool installed;
} LwpDetour;

extern LWP_HIDDEN const char *lwp_detour_prepare(LwpDetour *set, int n);
extern LWP_HIDDEN const char *lwp_detour_install(LwpDetour *set, int n);
extern LWP_HIDDEN bool lwp_detour_remove(LwpDetour *set, int n);

typedef enum LwpRecording
{
	LWP_RECORDING_OFF,
	LWP_RECORDING_ON,
	LWP_RECORDING_ALTERNATIVE
} LwpRecording;

/* Switch recording in this process, once the set is prepared. */
extern LWP_HIDDEN void lwp_detour_switch(LwpDetour *set, int n, LwpRecording recording);

#endif /* LWP_DETOUR_H */
