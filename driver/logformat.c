/*
 * logformat.c
 *		Lines of the transaction log and of the aggregate log.
 *
 * The columns are pgbench's (docs/lwbench.md, "Logs").  The transaction line
 * is written millions of times a second, hence no printf.
 */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "logwriter.h"
#include "num.h"

const char *
lwp_log_result_name(int result, bool detailed)
{
	static const char *const kinds[LWP_NFAILURES] = {"serialization", "deadlock", "other",
													 "connection"};

	if (result == LWP_LOG_SKIPPED)
		return "skipped";
	return detailed ? kinds[result - LWP_LOG_FAILED] : "failed";
}

static inline char *
put_int(char *p, int64_t v)
{
	/* most columns are short */
	if (v >= 0 && v < 10)
		*p++ = (char) ('0' + v);
	else
		p += lwp_format_int64(p, v);
	return p;
}

size_t
lwp_log_format(char *out, const LwpLogConfig *cfg, const LwpLogRecord *r, int64_t epoch_shift)
{
	int64_t us = (r->end + epoch_shift) / LWP_NS_PER_US;
	char *p = out;

	p = put_int(p, r->client);
	*p++ = ' ';
	p = put_int(p, r->number);
	*p++ = ' ';
	if (r->result == LWP_LOG_DONE)
		p = put_int(p, r->latency / LWP_NS_PER_US);
	else
	{
		const char *name = lwp_log_result_name(r->result, cfg->detailed);
		size_t n = strlen(name);

		memcpy(p, name, n);
		p += n;
	}
	*p++ = ' ';
	p = put_int(p, r->script);
	*p++ = ' ';
	p = put_int(p, us / 1000000);
	*p++ = ' ';
	p = put_int(p, us % 1000000);
	if (cfg->with_lag)
	{
		*p++ = ' ';
		p = put_int(p, r->lag / LWP_NS_PER_US);
	}
	if (cfg->with_retries)
	{
		*p++ = ' ';
		p = put_int(p, r->tries > 0 ? (int64_t) r->tries - 1 : 0);
	}
	*p++ = '\n';
	return (size_t) (p - out);
}

size_t
lwp_log_format_aggregate(char *out, const LwpLogConfig *cfg, const LwpAggregate *a)
{
	int n = snprintf(out, 512, "%lld %lld %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %lld %lld %lld",
					 (long long) a->start, (long long) a->done, a->lat[0], a->lat[1], a->lat[2],
					 a->lat[3], a->lag[0], a->lag[1], a->lag[2], a->lag[3],
					 (long long) (cfg->with_limit ? a->skipped : 0),
					 (long long) (cfg->with_retries ? a->retried : 0),
					 (long long) (cfg->with_retries ? a->retries : 0));

	for (int i = 0; i < (cfg->with_other ? LWP_FAIL_OTHER + 1 : LWP_FAIL_DEADLOCK + 1); i++)
		n += snprintf(out + n, 512 - (size_t) n, " %lld",
					  (long long) (cfg->detailed ? a->failed[i] : 0));
	out[n++] = '\n';
	return (size_t) n;
}
