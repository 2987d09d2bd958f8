/*
 * summary.c
 *		A bounded list of the heaviest keys; see summary.h.
 */
#include "postgres.h"

#include "summary.h"

static LwpSummaryEntry *
lightest(LwpSummaryEntry *entries, int n)
{
	LwpSummaryEntry *best = &entries[0];

	for (int i = 1; i < n; i++)
		if (entries[i].weight < best->weight)
			best = &entries[i];
	return best;
}

LwpSummaryEntry *
lwp_summary_add(LwpSummaryEntry *entries, int n, const LwpSummaryKey *key, uint64 ns,
				uint64 *evicted)
{
	LwpSummaryEntry *entry = NULL;

	for (int i = 0; i < n && entry == NULL; i++)
		if (entries[i].key.word[0] == 0 || lwp_summary_same_key(&entries[i].key, key))
			entry = &entries[i]; /* free ones come after all others */
	if (entry == NULL)
	{
		uint64 inherited;

		entry = lightest(entries, n);
		inherited = entry->weight;
		memset(entry, 0, sizeof(*entry));
		entry->weight = inherited;
		entry->error = inherited;
		++*evicted;
	}
	entry->key = *key;
	entry->weight += ns / 1000 + 1;
	entry->blocked++;
	entry->wait_time += ns;
	entry->max_wait = Max(entry->max_wait, ns);
	return entry;
}

uint64
lwp_summary_bound(const LwpSummaryEntry *entries, int n)
{
	uint64 bound = UINT64_MAX;

	for (int i = 0; i < n; i++)
		bound = Min(bound, entries[i].key.word[0] == 0 ? 0 : entries[i].weight);
	return bound;
}
