# Who holds it: holders and chains, ground truth by construction.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = LwpTest::node('main', "pg_lwprof.sample_interval = '5ms'");
my @s = map { LwpTest::Session->new($node) } 1 .. 6;

sub reset_stats { $node->safe_psql('postgres', 'SELECT pg_lwprof_reset()'); return }

sub waiting
{
	my ($n) = @_;
	return LwpTest::wait_until(sub { $node->safe_psql('postgres',
		q(SELECT count(*) FROM pg_lwprof_activity WHERE phase = 'waiting' AND wait_event = 'lwp_test')) == $n });
}

sub holding
{
	my ($session) = @_;
	return LwpTest::wait_until(sub { $node->safe_psql('postgres', sprintf(
		q(SELECT held <> '{}' FROM pg_lwprof_activity WHERE pid = %d), $session->pid)) eq 't' });
}

# --- one holder, several waiters ----------------------------------------------------
reset_stats();
$s[0]->send("SELECT lwp_test_hold(1, 'x', 3000)");
holding($s[0]);
$_->send("SELECT lwp_test_acquire(1, 's', 1)") for @s[ 1 .. 3 ];
ok(waiting(3), 'three wait');
is($node->safe_psql('postgres', sprintf('SELECT DISTINCT pg_lwprof_blocking_pids(pid) FROM pg_lwprof_activity WHERE pid IN (%s)',
	join(',', map { $_->pid } @s[ 1 .. 3 ]))), '{' . $s[0]->pid . '}', 'blocking_pids names the holder');
is($node->safe_psql('postgres', sprintf('SELECT pg_lwprof_blocking_pids(%d)', $s[0]->pid)), '{}', 'who does not wait has none');
is($node->safe_psql('postgres', 'SELECT pg_lwprof_blocking_pids(1)'), '{}', 'nor has a pid that is nobody');
is($node->safe_psql('postgres', sprintf(q(SELECT count(*) > 0, bool_and(holder_pid = %d), bool_and(number = 1), bool_and(waiting_for > 0)
	FROM pg_lwprof_samples WHERE wait_event = 'lwp_test'), $s[0]->pid)), 't|t|t|t', 'samples name holder and instance');
$_->result for @s[ 0 .. 3 ];
my ($pct, $rows) = LwpTest::row($node, q(SELECT sum(lock_pct) FILTER (WHERE holder_mode = 'exclusive'
	AND holder_backend_type = 'client backend' AND holder_wait_event_type = 'CPU'), sum(lock_pct)
	FROM pg_lwprof_holders WHERE wait_event = 'lwp_test'));
cmp_ok($pct, '>', 98, "the sleeping holder is blamed for all of it ($pct)");
ok(abs($rows - 100) < 1e-6, 'and the shares sum to 100');
is($node->safe_psql('postgres', q(SELECT holder_queryid IS NOT NULL FROM pg_lwprof_holders
	WHERE wait_event = 'lwp_test' ORDER BY sampled_time DESC LIMIT 1)), 't', 'with its query');

# --- a holder that waits for something else --------------------------------------------
reset_stats();
$s[0]->query('BEGIN; SELECT pg_advisory_xact_lock(7)');
$s[1]->send(q(SELECT lwp_test_hold_two(2, 3, 'x', 0), 1));	# warm up
$s[1]->result;
$s[4]->send("SELECT lwp_test_hold(4, 'x', 2500)");
holding($s[4]);
$s[1]->send("SELECT lwp_test_hold_two(2, 4, 'x', 0)");	# holds 2, waits for 4
ok(waiting(1), 'the middle one waits');
$s[2]->send("SELECT lwp_test_hold_two(3, 2, 'x', 0)");	# holds 3, waits for 2
ok(waiting(2), 'the next one waits for it');
$s[3]->send("SELECT lwp_test_acquire(3, 's', 1)");		# waits for 3
ok(waiting(3), 'the last one waits for that');
reset_stats();
$_->result for @s[ 1 .. 4 ];
$s[0]->query('COMMIT');
my $chain = 'lwp_test <- lwp_test <- lwp_test';
is($node->safe_psql('postgres', q(SELECT chain, length, ends_with, root_wait_event_type, root_backend_type
	FROM pg_lwprof_chains WHERE length = 3 ORDER BY sampled_time DESC LIMIT 1)),
	"$chain|3|root|CPU|client backend", 'the chain of three leads to the sleeper');
my %by_length = map { split /\|/ } split /\n/, $node->safe_psql('postgres',
	q(SELECT length, sum(lock_pct) FROM pg_lwprof_chains WHERE ends_with = 'root' GROUP BY length));
for my $n (1 .. 3)
{
	ok(abs($by_length{$n} - 100 / 3) < 5, "a third of the time has a chain of $n ($by_length{$n})");
}
ok(abs($node->safe_psql('postgres', 'SELECT sum(lock_pct) FROM pg_lwprof_chains') - 100) < 1e-6, 'chains sum to 100');
my ($lwlock) = LwpTest::row($node, q(SELECT sum(lock_pct) FROM pg_lwprof_holders
	WHERE holder_wait_event_type = 'LWLock' AND holder_wait_event = 'lwp_test'));
ok(abs($lwlock - 200 / 3) < 5, "two thirds of the time the holder itself waited for such a lock ($lwlock)");

# --- three waiters, two shared holders: no double blame --------------------------------------
reset_stats();
$s[0]->send("SELECT lwp_test_hold(5, 's', 3000)");
$s[1]->send("SELECT lwp_test_hold(5, 's', 3000)");
holding($_) for @s[ 0, 1 ];
$_->send("SELECT lwp_test_acquire(5, 'x', 1)") for @s[ 2 .. 4 ];
ok(waiting(3), 'three wait for two readers');
is($node->safe_psql('postgres', sprintf(q(SELECT DISTINCT (SELECT array_agg(h ORDER BY h) FROM unnest(holder_pids) h)
	FROM pg_lwprof_activity WHERE pid IN (%s)), join(',', map { $_->pid } @s[ 2 .. 4 ]))),
	'{' . join(',', sort { $a <=> $b } map { $_->pid } @s[ 0, 1 ]) . '}', 'both are holders');
$_->result for @s[ 0 .. 4 ];
my ($shared, $all, $waited) = LwpTest::row($node, q(SELECT sum(lock_pct) FILTER (WHERE holder_mode = 'shared'), sum(lock_pct),
	sum(sampled_time) FROM pg_lwprof_holders WHERE wait_event = 'lwp_test'));
cmp_ok($shared, '>', 97, "the readers are blamed ($shared)");
ok(abs($all - 100) < 1e-6, 'once, not twice');
my ($sampled) = LwpTest::row($node, q(SELECT sampled_wait_time FROM pg_lwprof_contention WHERE wait_event = 'lwp_test'));
ok(abs($waited / $sampled - 1) < 0.001, "as much time is charged to holders as was waited ($waited of $sampled)");

# --- everything an active backend does sums to 100 -------------------------------------------------
reset_stats();
$s[0]->query('SELECT pg_advisory_lock(9)');
$s[1]->send('SELECT pg_advisory_lock(9)');
$s[2]->send('SELECT pg_sleep(1)');
$s[3]->send("SELECT lwp_test_hold(6, 'x', 1000)");
sleep(0.1);
$s[4]->send("SELECT lwp_test_acquire(6, 'x', 1)");
$_->result for @s[ 2 .. 4 ];
$s[0]->query('SELECT pg_advisory_unlock(9)');
$s[1]->result;
my %class = map { split /\|/ } split /\n/, $node->safe_psql('postgres',
	q(SELECT wait_event_type, sum(pct) FROM pg_lwprof_waits WHERE backend_type = 'client backend' GROUP BY 1));
my $sum = 0;
$sum += $_ for values %class;
ok(abs($sum - 100) < 1e-6, 'all wait events of active backends and CPU sum to 100');
for my $type (qw(Lock Timeout LWLock CPU))
{
	cmp_ok($class{$type} // 0, '>', 10, "$type is a part of it ($class{$type})");
}
my ($lwlock_waits) = LwpTest::row($node, q(SELECT abs((SELECT sum(sampled_time) FROM pg_lwprof_waits WHERE wait_event = 'lwp_test')
	- (SELECT sampled_wait_time FROM pg_lwprof_contention WHERE wait_event = 'lwp_test')) < 1));
is($lwlock_waits, 't', 'the LWLock part is that of the contention view');

$_->close for @s;
$node->stop;
done_testing();
