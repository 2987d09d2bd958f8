/*
 * wait.h
 *		What happens where a backend is about to sleep for a lock.
 */
#ifndef LWP_WAIT_H
#define LWP_WAIT_H

#include "slot.h"

/* Just before PGSemaphoreLock sleeps; frame is the frame address of its hook. */
extern LWP_HIDDEN void lwp_wait_sleep(LwpSlot *slot, void *frame);

/* Just after it woke up, possibly to sleep again. */
extern LWP_HIDDEN void lwp_wait_woken(LwpSlot *slot);

/*
 * The request that slept, if one did, is over; caller is the code address
 * that made it, granted says whether it got the lock.  Always returns false,
 * so that the hooks can end with it.
 */
extern LWP_HIDDEN bool lwp_wait_end(uintptr_t caller, bool granted);

/* A conditional request, given its state word, was not granted. */
extern LWP_HIDDEN void lwp_wait_refused(LwpSlot *slot, LwpWord word);

/* An error ended the request. */
extern LWP_HIDDEN void lwp_wait_abandon(LwpSlot *slot);

#endif /* LWP_WAIT_H */
