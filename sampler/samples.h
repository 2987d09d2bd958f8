/*
 * samples.h
 *		One record per waiting backend and pass: who waits for what, and who has it.
 */
#ifndef LWP_SAMPLES_H
#define LWP_SAMPLES_H

#include "postgres.h"

#include "datatype/timestamp.h"

#include "../extension/summary.h"

typedef struct LwpSample
{
	TimestampTz at;
	int32 pid;
	int32 holder_pid; /* of one of the holders; 0 when none is known */
	uint32 backend_type;
	uint16 tranche; /* index */
	uint16 mode;
	uint64 query; /* 0: none */
	Oid database;
	Oid user;
	uint64 waited;          /* ns so far, 0 when sleeps are not timed */
	uint64 weight;          /* ns this sample stands for */
	LwpSummaryKey instance; /* word[0] zero: not known */
} LwpSample;

#endif /* LWP_SAMPLES_H */
