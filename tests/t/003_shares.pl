# Right shares: exact and sampled wait time against what the sessions themselves measured.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = LwpTest::node('main');
my @s = map { LwpTest::Session->new($node) } 1 .. 4;

# Sessions queue on one lock for a while; returns the truth and what the views say.
sub contend
{
	my ($seconds, $stop_for) = @_;
	$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
	my $start = time;
	$_->send(sprintf(q(SELECT acquisitions, acquire_ms, total_ms
		FROM lwp_test_contend(1, 'x', 5, 2, %d)), 1000 * $seconds)) for @s;
	if ($stop_for)
	{
		my $sampler = $node->safe_psql('postgres', 'SELECT sampler_pid FROM pg_lwprof_info');
		sleep($seconds / 4);
		kill 'STOP', $sampler;
		sleep($stop_for);
		kill 'CONT', $sampler;
	}
	my %got = (acquisitions => 0, acquire_ms => 0, total_ms => 0);
	for my $session (@s)
	{
		my @row = split /\|/, $session->result;
		$got{acquisitions} += $row[0];
		$got{acquire_ms} += $row[1];
		$got{total_ms} += $row[2];
	}
	$got{elapsed} = 1000 * (time - $start);
	@got{qw(wait_pct avg_waiters blocked blocked_pct wait_time mean_wait_time max_wait_time hold_pct sampled)} =
	  LwpTest::row($node, q(SELECT wait_pct, avg_waiters, blocked, blocked_pct, wait_time, mean_wait_time,
		max_wait_time, hold_pct, sampled_wait_time FROM pg_lwprof_contention WHERE wait_event = 'lwp_test'));
	@got{qw(passes late skipped observed unobserved since_reset)} = LwpTest::row($node,
		'SELECT passes, late_passes, skipped_passes, observed_time, unobserved_time,
			1000 * extract(epoch FROM clock_timestamp() - stats_reset) FROM pg_lwprof_info');
	return \%got;
}

sub near
{
	my ($got, $truth, $tolerance, $name) = @_;
	return ok(abs($got - $truth) <= $tolerance, sprintf('%s: %.3f, truth %.3f', $name, $got, $truth));
}

for my $case (
	[ '1ms', 8, 0 ],
	[ '10ms', 12, 0 ],
	[ '1ms', 8, 2 ],
	[ '10ms', 14, 2 ])
{
	my ($interval, $seconds, $stop_for) = @$case;
	my $name = "$interval" . ($stop_for ? ", sampler stopped for $stop_for s" : '');
	LwpTest::reload_with($node, 'pg_lwprof.sample_interval' => $interval);
	my $got = contend($seconds, $stop_for);
	my $true_pct = 100 * $got->{acquire_ms} / $got->{total_ms};

	near($got->{wait_time} / $got->{acquire_ms}, 1, 0.01, "$name: exact wait time");
	near($got->{wait_pct}, $true_pct, 1.5, "$name: sampled wait_pct");
	near($got->{avg_waiters}, $got->{acquire_ms} / ($got->{observed} + $got->{unobserved}), 0.15,
		"$name: avg_waiters");
	near($got->{blocked_pct}, 100, 0.5, "$name: all blocked requests are for this lock");
	cmp_ok($got->{blocked}, '<=', $got->{acquisitions}, "$name: blocked <= acquisitions");
	cmp_ok($got->{blocked}, '>=', 0.5 * $got->{acquisitions}, "$name: most requests were blocked");
	near($got->{mean_wait_time}, $got->{wait_time} / $got->{blocked}, 1e-6, "$name: mean");
	cmp_ok($got->{max_wait_time}, '>=', $got->{mean_wait_time}, "$name: max >= mean");
	cmp_ok($got->{max_wait_time}, '<=', $got->{elapsed}, "$name: max <= elapsed");
	# the lock is held 5 ms per acquisition and a little more for being woken up
	cmp_ok($got->{hold_pct}, '>', 100 * 5 * $got->{acquisitions} / $got->{total_ms} - 2,
		"$name: hold_pct ($got->{hold_pct})");
	cmp_ok($got->{hold_pct}, '<', 27, "$name: one of four holds at most");
	near(($got->{observed} + $got->{unobserved}) / $got->{since_reset}, 1, 0.02,
		"$name: observed and unobserved time are all the time");
	if ($stop_for)
	{
		near($got->{unobserved}, 1000 * $stop_for, 300, "$name: the gap is said to be unobserved");
		cmp_ok($got->{late}, '>=', 1, "$name: a late pass is counted");
		cmp_ok($got->{skipped}, '>=', 1000 * $stop_for / ($interval =~ s/ms//r) * 0.8,
			"$name: skipped passes are counted");
	}
	else
	{
		near($got->{passes} * ($interval =~ s/ms//r) / $got->{since_reset}, 1, 0.05,
			"$name: as many passes as asked for");
		cmp_ok($got->{unobserved}, '<', 0.02 * $got->{since_reset}, "$name: nothing is unobserved");
	}
}

# Time in progress counts: a waiter that still waits is in wait_time already.
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
$s[0]->send("SELECT lwp_test_hold(2, 'x', 3000)");
sleep(0.3);
$s[1]->send("SELECT lwp_test_acquire(2, 'x', 1)");
sleep(1);
my ($t1, $max1) = LwpTest::row($node, q(SELECT wait_time, max_wait_time FROM pg_lwprof_locks WHERE wait_event = 'lwp_test'));
sleep(0.5);
my ($t2, $max2) = LwpTest::row($node, q(SELECT wait_time, max_wait_time FROM pg_lwprof_locks WHERE wait_event = 'lwp_test'));
cmp_ok($t1, '>', 500, "a wait in progress is in wait_time ($t1)");
near($t2 - $t1, 500, 200, 'and grows with the clock');
near($max1, $t1, 1, 'it is the longest, too');

# A reset in the middle of a wait: only what comes after it counts.
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
my ($after) = LwpTest::row($node, q(SELECT wait_time FROM pg_lwprof_locks WHERE wait_event = 'lwp_test'));
cmp_ok($after, '<', 400, 'a reset cuts a wait in progress');
$_->result for @s[ 0, 1 ];
my ($rest) = LwpTest::row($node, q(SELECT wait_time FROM pg_lwprof_locks WHERE wait_event = 'lwp_test'));
cmp_ok($rest, '>', $after, 'the rest of it is counted');
cmp_ok($rest, '<', 1600, 'and no more than the rest');

# Sleeps are not timed on request, and then no time is shown, but blocked is.
LwpTest::reload_with($node, 'pg_lwprof.track_wait_time' => 'off');
my @t = map { LwpTest::Session->new($node) } 1 .. 2;
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
$t[0]->send("SELECT lwp_test_hold(3, 'x', 800)");
sleep(0.3);
$t[1]->query("SELECT lwp_test_acquire(3, 'x', 1)");
$t[0]->result;
is_deeply([ LwpTest::row($node, q(SELECT blocked_exclusive, timed_waits, wait_time, max_wait_time
	FROM pg_lwprof_locks WHERE wait_event = 'lwp_test')) ], [ 1, 0, '', '' ],
	'track_wait_time off: counted, not timed, and the time is unknown, not zero');

$_->close for @s, @t;
$node->stop;
done_testing();
