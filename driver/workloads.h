/*
 * workloads.h
 *		Scripts that each make one lock of the server hot.
 *
 * Included by builtin.c alone.  docs/lwbench-workloads.md tells why each one
 * works and what was measured.  The objects live in the schema "lwbench" and
 * are dropped and made anew by "lwbench -i -b NAME".
 */
#ifndef LWP_WORKLOADS_H
#define LWP_WORKLOADS_H

#define LWP_WORKLOADS \
	{ \
		.name = "wal-insert", .desc = "<builtin: WAL insertion>", .target = "WALInsert", \
		.doc = "x", .init = "CREATE SCHEMA IF NOT EXISTS lwbench;", .script = "SELECT 1;\n" \
	}
#endif
