# When: histogram, history, windows, samples, and what wraps.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = LwpTest::node('main');
my @s = map { LwpTest::Session->new($node) } 1 .. 3;

sub now { return $node->safe_psql('postgres', 'SELECT clock_timestamp()') }

# --- histogram: waits of known length -------------------------------------------------
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
for my $ms (20, 20, 20, 200)
{
	$s[0]->send("SELECT lwp_test_hold(1, 'x', $ms + 50)");
	sleep(0.05);
	$s[1]->query("SELECT lwp_test_acquire(1, 's', 1)");
	$s[0]->result;
}
my @buckets = split /\n/, $node->safe_psql('postgres', q(SELECT mode, lower_bound, upper_bound, count FROM pg_lwprof_histogram
	WHERE wait_event = 'lwp_test' ORDER BY bucket));
is($node->safe_psql('postgres', q(SELECT sum(count) FROM pg_lwprof_histogram WHERE wait_event = 'lwp_test')), 4,
	'four waits in the histogram');
is($node->safe_psql('postgres', q(SELECT timed_waits FROM pg_lwprof_locks WHERE wait_event = 'lwp_test')), 4, 'as in the counters');
is($node->safe_psql('postgres', q(SELECT DISTINCT mode FROM pg_lwprof_histogram WHERE wait_event = 'lwp_test')), 'shared', 'by mode');
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_histogram WHERE upper_bound <> 2 * lower_bound AND lower_bound > 0)), 0,
	'buckets are powers of two');
my ($p50, $p99, $max) = LwpTest::row($node, q(SELECT p50_wait_time, p99_wait_time, max_wait_time FROM pg_lwprof_contention
	WHERE wait_event = 'lwp_test'));
cmp_ok($p50, '>', 8, "the median is that of the short ones ($p50)");
cmp_ok($p50, '<', 135, 'and not that of the long one');
cmp_ok($p99, '>', 100, "the 99th percentile is that of the long one ($p99)");
cmp_ok($p99, '<=', $max, 'and not beyond the maximum');
is($node->safe_psql('postgres', q(SELECT p50_wait_time IS NULL FROM pg_lwprof_contention WHERE wait_event = 'OidGen')), 't',
	'no waits, no percentiles');

# --- a window with contention between two without ----------------------------------------
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
my $quiet = now();
sleep(3);
my $busy = now();
$_->send("SELECT lwp_test_contend(2, 'x', 5, 0, 4000)") for @s;
$_->result for @s;
my $after = now();
sleep(4);
my $end = now();
my ($wait_pct, $waiters, $blocked, $wait, $mean, $seconds) = LwpTest::row($node, qq(SELECT wait_pct, avg_waiters, blocked, wait_time,
	mean_wait_time, seconds FROM pg_lwprof_contention_between('$busy', '$after') WHERE wait_event = 'lwp_test'));
ok(abs($wait_pct - 66.7) < 8, "two of three wait in the busy window ($wait_pct)");
ok(abs($waiters - 2) < 0.5, "two waiters on average ($waiters)");
cmp_ok($blocked, '>', 10, "blocked is counted ($blocked)");
cmp_ok($wait, '>', 4000, "and timed ($wait)");
ok(abs($mean - $wait / $blocked) < 1e-6, 'mean');
cmp_ok($seconds, '>=', 3, "it says how many seconds it speaks of ($seconds)");
# a second belongs to the window it begins in, so the one that began before it is left out
for my $window ([ $quiet, $busy, 'before' ], [ $after, $end, 'after' ])
{
	my ($from, $until, $name) = @$window;
	is($node->safe_psql('postgres', qq(SELECT coalesce(sum(blocked), 0) FROM pg_lwprof_contention_between(
		date_trunc('second', timestamptz '$from') + interval '1 second', date_trunc('second', timestamptz '$until'))
		WHERE wait_event = 'lwp_test')), 0, "no contention $name");
}
is($node->safe_psql('postgres', qq(SELECT count(*) FROM pg_lwprof_contention_between('$end', '$quiet'))), 0, 'an empty window is empty');

# an idle second is there, with nothing in it; all seconds are looked at
my ($idle, $gaps) = LwpTest::row($node, qq(SELECT count(*) FILTER (WHERE active_time = 0 AND observed_time > 900),
	(SELECT count(*) FROM (SELECT second - lag(second) OVER (ORDER BY second) AS step FROM pg_lwprof_history_seconds) x
	 WHERE step > interval '1 second') FROM pg_lwprof_history_seconds));
cmp_ok($idle, '>=', 3, "idle seconds are not missing ($idle)");
is($gaps, 0, 'no gap');
# the exact counts of all seconds are those of the counters
is($node->safe_psql('postgres', q(SELECT sum(blocked) = (SELECT blocked_exclusive FROM pg_lwprof_locks WHERE wait_event = 'lwp_test')
	FROM pg_lwprof_history WHERE wait_event = 'lwp_test')), 't', 'the seconds sum to the total');

# --- a gap in which nobody looked --------------------------------------------------------
my $sampler = $node->safe_psql('postgres', 'SELECT sampler_pid FROM pg_lwprof_info');
kill 'STOP', $sampler;
sleep(3.5);
kill 'CONT', $sampler;
sleep(1.5);
is($node->safe_psql('postgres', q(SELECT count(*) > 0 FROM (SELECT second - lag(second) OVER (ORDER BY second) AS step
	FROM pg_lwprof_history_seconds) x WHERE step > interval '2 seconds')), 't', 'time nobody looked at is a gap, not idle');
cmp_ok($node->safe_psql('postgres', 'SELECT sum(unobserved_time) FROM pg_lwprof_history_seconds'), '>', 2500,
	'and said to be unobserved');

# --- changing the interval does not rescale the past -----------------------------------------
my $past = qq(SELECT sum(waiting_time) FROM pg_lwprof_history WHERE second < '$after' AND wait_event = 'lwp_test');
my $before = $node->safe_psql('postgres', $past);
LwpTest::reload_with($node, 'pg_lwprof.sample_interval' => '1ms');
is($node->safe_psql('postgres', $past), $before, 'a new interval leaves the past alone');

# --- hold times, on request ---------------------------------------------------------------------
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_lwprof_hold_histogram'), 0, 'hold times are not measured unless asked for');
LwpTest::reload_with($node, 'pg_lwprof.track_hold_time' => 'on');
my $timed = LwpTest::Session->new($node);
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
$timed->query("SELECT lwp_test_hold(4, 'x', 20), lwp_test_hold(4, 'x', 20), lwp_test_hold(5, 's', 20), lwp_test_nested(10, 20, 'x', 'interleaved')");
my %hold = map { split /\|/ } split /\n/, $node->safe_psql('postgres', q(SELECT mode || CASE WHEN lower_bound > 5 THEN ' long' ELSE ' short' END,
	sum(count) FROM pg_lwprof_hold_histogram WHERE wait_event = 'lwp_test' GROUP BY 1));
is($hold{'exclusive long'}, 2, 'two long exclusive holds');
is($hold{'shared long'}, 1, 'one long shared hold');
is($hold{'exclusive short'}, 20, 'twenty short ones, released in any order');
is($node->safe_psql('postgres', 'SELECT unmatched_releases FROM pg_lwprof_info'), 0, 'and nothing unmatched');
$timed->close;

# --- rings that wrap: the newest is there, the rest is counted ------------------------------------
$node->append_conf('postgresql.conf', "pg_lwprof.max_samples = 64\npg_lwprof.history_records = 1000\npg_lwprof.track_hold_time = off");
$node->safe_psql('postgres', 'ALTER SYSTEM RESET ALL');
$node->append_conf('postgresql.conf', "pg_lwprof.sample_interval = '1ms'");
$_->close for @s;
$node->restart;
@s = map { LwpTest::Session->new($node) } 1 .. 3;
$_->send("SELECT lwp_test_contend(2, 'x', 5, 0, 2000)") for @s;
$_->result for @s;
my ($kept, $lost, $age) = LwpTest::row($node, q(SELECT (SELECT count(*) FROM pg_lwprof_samples), samples_overwritten,
	(SELECT clock_timestamp() - max(sampled_at) < interval '2 seconds' FROM pg_lwprof_samples) FROM pg_lwprof_info));
cmp_ok($kept, '<=', 64, "the ring of samples keeps what it has room for ($kept)");
cmp_ok($kept, '>=', 60, 'all of that');
cmp_ok($lost, '>', 1000, "and says how many it lost ($lost)");
is($age, 't', 'the newest are kept');

$_->close for @s;
$node->stop;
done_testing();
