#include "profile.h"
#include "message.h"
LwpProfile *lwp_profile_open(LwpOptions *o) { (void) o; return NULL; }
void lwp_profile_start(void *p) { (void) p; }
void lwp_profile_stop(void *p) { (void) p; }
void lwp_profile_print(const LwpProfile *p) { (void) p; }
json_t *lwp_profile_json(const LwpProfile *p) { (void) p; return NULL; }
void lwp_profile_close(LwpProfile *p) { (void) p; }
