/*
 * json_report.h
 *		The JSON document (--json); docs/lwbench-json.md is its description.
 */
#ifndef LWP_JSON_REPORT_H
#define LWP_JSON_REPORT_H

#include <jansson.h>

#include "result.h"

/* The whole document of one run to o->json_path; false after a message. */
extern bool lwp_json_write(const LwpOptions *o, const LwpResult *r);

/* Parts, for the sweep's document.  New references. */
extern json_t *lwp_json_head(const LwpOptions *o);
extern json_t *lwp_json_run(const LwpOptions *o, const LwpResult *r);

/* Writes and releases doc; "-" is standard output.  False after a message. */
extern bool lwp_json_store(json_t *doc, const char *path);

#endif
