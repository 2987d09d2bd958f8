/* Log lines, and rings merged in time order by the writer. */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "clock.h"
#include "logwriter.h"

static LwpLogRecord
record(int64_t end, int client)
{
	return (LwpLogRecord){
		.end = end, .latency = 1234567, .number = 42, .client = client, .tries = 1};
}

static void
lines(void **state)
{
	LwpLogConfig cfg = {0};
	LwpLogRecord r = record(INT64_C(5000000000) + 123456789, 7);
	char out[512];

	(void) state;
	r.script = 2;
	r.lag = 98000;
	r.tries = 4;
	out[lwp_log_format(out, &cfg, &r, 1000 * LWP_NS_PER_SEC)] = '\0';
	assert_string_equal(out, "7 42 1234 2 1005 123456\n");
	cfg.with_lag = cfg.with_retries = true;
	out[lwp_log_format(out, &cfg, &r, 0)] = '\0';
	assert_string_equal(out, "7 42 1234 2 5 123456 98 3\n");
	r.result = LWP_LOG_SKIPPED;
	out[lwp_log_format(out, &cfg, &r, 0)] = '\0';
	assert_string_equal(out, "7 42 skipped 2 5 123456 98 3\n");
	r.result = LWP_LOG_FAILED + LWP_FAIL_DEADLOCK;
	out[lwp_log_format(out, &cfg, &r, 0)] = '\0';
	assert_string_equal(out, "7 42 failed 2 5 123456 98 3\n");
	cfg.detailed = true;
	out[lwp_log_format(out, &cfg, &r, 0)] = '\0';
	assert_string_equal(out, "7 42 deadlock 2 5 123456 98 3\n");
}

static void
aggregate_line(void **state)
{
	LwpLogConfig cfg = {.with_limit = true, .with_retries = true, .detailed = true};
	LwpAggregate a = {.start = 100,
					  .done = 3,
					  .skipped = 1,
					  .retried = 2,
					  .retries = 5,
					  .failed = {6, 7, 8, 9},
					  .lat = {10, 20, 30, 40}};
	char out[512];

	(void) state;
	out[lwp_log_format_aggregate(out, &cfg, &a)] = '\0';
	assert_string_equal(out, "100 3 10 20 30 40 0 0 0 0 1 2 5 6 7\n");
	cfg.with_other = true;
	cfg.detailed = false;
	out[lwp_log_format_aggregate(out, &cfg, &a)] = '\0';
	assert_string_equal(out, "100 3 10 20 30 40 0 0 0 0 1 2 5 0 0 0\n");
}

enum
{
	THREADS = 3,
	LINES = 300000
};

typedef struct Producer
{
	LwpLogWriter *w;
	int id;
} Producer;

/* pushes with real times, blocking now and then as a worker does in epoll */
static void *
produce(void *arg)
{
	Producer *p = arg;
	LwpLogRing *r = &p->w->ring[p->id];

	lwp_ring_wake(r);
	for (int i = 0; i < LINES; i++)
	{
		LwpLogRecord rec = record(lwp_now(), p->id);

		rec.number = i;
		lwp_ring_push(r, p->w, &rec);
		if (i % 1000 == 0)
		{
			lwp_ring_sleep(r);
			if (i % 50000 == 0)
				usleep((useconds_t) (p->id + 1) * 20000);
			lwp_ring_wake(r);
		}
	}
	lwp_ring_sleep(r);
	return NULL;
}

static void
merged_in_time_order(void **state)
{
	static const char prefix[] = "/tmp/lwbench-test-log";
	LwpLogConfig cfg = {.prefix = prefix};
	LwpLogWriter w;
	pthread_t t[THREADS];
	Producer p[THREADS];
	char path[100];
	FILE *f;
	long long last = 0;
	long next[THREADS] = {0};
	int client;
	long number;
	long long sec;
	long long us;
	long count = 0;

	(void) state;
	lwp_clock_init();
	assert_true(lwp_logwriter_start(&w, &cfg, THREADS, (int) getpid()));
	lwp_logwriter_go(&w, lwp_now());
	for (int i = 0; i < THREADS; i++)
	{
		p[i] = (Producer){&w, i};
		pthread_create(&t[i], NULL, produce, &p[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	lwp_logwriter_stop(&w);
	snprintf(path, sizeof(path), "%s.%d", prefix, (int) getpid());
	f = fopen(path, "r");
	assert_non_null(f);
	while (fscanf(f, "%d %ld %*d %*d %lld %lld", &client, &number, &sec, &us) == 4)
	{
		long long at = sec * 1000000 + us;

		assert_true(at >= last);
		last = at;
		assert_int_equal(number, next[client]++);
		count++;
	}
	fclose(f);
	unlink(path);
	assert_int_equal(count, (long) THREADS * LINES);
	assert_int_equal(w.file[0].lines, (long) THREADS * LINES);
	lwp_logwriter_free(&w);
}

static void
a_full_ring_can_drop(void **state)
{
	LwpLogConfig cfg = {.prefix = "/tmp/lwbench-test-drop", .drop_when_full = true};
	LwpLogWriter w;
	char path[100];

	(void) state;
	assert_true(lwp_logwriter_start(&w, &cfg, 2, (int) getpid()));

	/* ring 1 promises nothing, so the writer may not write what ring 0 has */
	for (int i = 0; i < LWP_RING_SIZE + 500; i++)
	{
		LwpLogRecord rec = record(1000 + i, 0);

		lwp_ring_push(&w.ring[0], &w, &rec);
	}
	assert_int_equal(w.ring[0].dropped, 500);
	lwp_logwriter_stop(&w);
	assert_int_equal(w.file[0].lines, LWP_RING_SIZE);
	snprintf(path, sizeof(path), "%s.%d", cfg.prefix, (int) getpid());
	unlink(path);
	lwp_logwriter_free(&w);
}

static void
a_full_disk_is_reported(void **state)
{
	LwpLogConfig cfg = {.prefix = "/tmp/lwbench-test-full"};
	LwpLogWriter w;
	char path[100];
	int full;

	(void) state;
	lwp_message_mute(true);
	assert_true(lwp_logwriter_start(&w, &cfg, 1, (int) getpid()));
	full = open("/dev/full", 1);
	dup2(full, w.file[0].fd);
	close(full);
	lwp_ring_wake(&w.ring[0]);
	for (int i = 0; i < 50000; i++)
	{
		LwpLogRecord rec = record(lwp_now(), 0);

		lwp_ring_push(&w.ring[0], &w, &rec);
	}
	lwp_ring_sleep(&w.ring[0]);
	lwp_logwriter_stop(&w);
	assert_int_equal(w.broken, 1);
	assert_int_equal(w.lost, 50000);
	assert_int_equal(w.file[0].lines, 0);
	lwp_message_mute(false);
	snprintf(path, sizeof(path), "%s.%d", cfg.prefix, (int) getpid());
	unlink(path);
	lwp_logwriter_free(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(aggregate_line),
		cmocka_unit_test(merged_in_time_order),
		cmocka_unit_test(a_full_ring_can_drop),
		cmocka_unit_test(a_full_disk_is_reported),
	};

	return RUN(tests);
}
