/*
 * details.c
 *		What a slot knows about its blocked requests; see details.h.
 */
#include "compat.h"

#include "details.h"
#include "instance.h"
#include "shmem.h"

static void
record_histogram(LwpDetails *details, LwpWord word, uint64 ns)
{
	uint32 key = lwp_hist_key(lwp_word_tranche(word), lwp_word_mode(word));

	for (int i = 0; i < LWP_HIST_ROWS; i++)
	{
		LwpHistRow *row = &details->histograms[i];

		if (row->key == 0)
			row->key = key;
		if (row->key == key)
		{
			row->count[lwp_hist_bucket(ns)]++;
			return;
		}
	}
	details->histogram_lost++;
}

void
lwp_details_record(LwpDetails *details, LwpWord word, const LwpSummaryKey *instance, LwpCode code,
				   bool timed, uint64 ns, bool granted)
{
	uint64 epoch = lwp_reset_epoch();
	LwpSummaryKey caller = lwp_caller_key(lwp_word_tranche(word), code);
	LwpSummaryEntry *entry;

	if (details->epoch != epoch)
	{
		memset(details, 0, sizeof(*details));
		details->epoch = epoch;
	}
	if (timed)
		record_histogram(details, word, ns);
	lwp_summary_add(details->callers, LWP_CALLERS, &caller, ns, &details->callers_evicted);
	entry = lwp_summary_add(details->instances, LWP_INSTANCES, instance, ns,
							&details->instances_evicted);
	if (granted && entry->note == LWP_PAGE_UNKNOWN &&
		lwp_instance_kind(instance) == LWP_INSTANCE_BUFFER)
		entry->note = lwp_instance_page_kind(word);
}

bool
lwp_details_read(LwpSlot *slot, uint64 epoch, LwpDetails *copy)
{
	for (int i = 0; i < LWP_SEQ_TRIES; i++)
	{
		uint32 seq = slot->wait_seq;

		if (slot->details->epoch != epoch)
			return false;
		pg_read_barrier();
		memcpy(copy, slot->details, sizeof(*copy));
		pg_read_barrier();
		if ((seq & 1) == 0 && slot->wait_seq == seq)
			break;
	}
	return copy->epoch == epoch;
}
