# Exact counts: what the module says equals what was done.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = LwpTest::node('main');
my @columns = qw(shared_acquires exclusive_acquires blocked_shared blocked_exclusive
  conditional_failures group_waits var_waits timed_waits releases held);

sub counts
{
	my %row;
	@row{@columns} = LwpTest::row($node, 'SELECT ' . join(', ', @columns)
		. q( FROM pg_lwprof_locks WHERE wait_event = 'lwp_test'));
	return \%row;
}

sub reset_counts { $node->safe_psql('postgres', 'SELECT pg_lwprof_reset()'); return }

# Compare the counters of the test locks with what is expected; the rest must be 0.
sub counts_are
{
	my ($name, %expected) = @_;
	my %full = map { $_ => 0 } @columns;
	%full = (%full, %expected);
	is_deeply(counts(), \%full, $name);
	is($node->safe_psql('postgres', 'SELECT unmatched_releases FROM pg_lwprof_info'), 0,
		"$name: no unmatched release");
	return;
}

# --- one session at a time -----------------------------------------------------
reset_counts();
counts_are('nothing done, nothing counted');

$node->safe_psql('postgres', "SELECT lwp_test_acquire(1, 's', 1000), lwp_test_acquire(2, 'x', 500)");
counts_are('plain acquisitions', shared_acquires => 1000, exclusive_acquires => 500, releases => 1500);

reset_counts();
is($node->safe_psql('postgres', "SELECT lwp_test_conditional(3, 'x', 70), lwp_test_conditional(3, 's', 30)"),
	'70|30', 'conditional acquisitions of a free lock succeed');
counts_are('conditional success', exclusive_acquires => 70, shared_acquires => 30, releases => 100);

reset_counts();
$node->safe_psql('postgres', "SELECT lwp_test_acquire_or_wait(4, 'x')");
counts_are('AcquireOrWait of a free lock', exclusive_acquires => 1, releases => 1);

reset_counts();
$node->safe_psql('postgres', 'SELECT lwp_test_wait_for_var(5, 0)');
counts_are('WaitForVar on a free lock counts nothing');

for my $order (qw(reverse forward interleaved))
{
	reset_counts();
	$node->safe_psql('postgres', "SELECT lwp_test_nested(10, 50, 'x', '$order')");
	counts_are("50 nested locks, released $order", exclusive_acquires => 50, releases => 50);
}
reset_counts();
$node->safe_psql('postgres', "SELECT lwp_test_nested(10, 190, 's', 'interleaved')");
counts_are('190 nested locks', shared_acquires => 190, releases => 190);

# --- one holds, others ask -----------------------------------------------------
my @s = map { LwpTest::Session->new($node) } 1 .. 5;

sub waiting_on_test_lock
{
	my ($n) = @_;
	return LwpTest::wait_until(
		sub {
			$node->safe_psql('postgres',
				q(SELECT count(*) FROM pg_lwprof_activity WHERE phase = 'waiting' AND wait_event = 'lwp_test'))
			  == $n;
		});
}

sub holding_test_lock
{
	return LwpTest::wait_until(
		sub {
			$node->safe_psql('postgres',
				q(SELECT count(*) > 0 FROM pg_lwprof_activity WHERE 'lwp_test:exclusive' = ANY (held))) eq 't';
		});
}

reset_counts();
$s[0]->send("SELECT lwp_test_hold(20, 'x', 3000)");
ok(holding_test_lock(), 'a holder is seen');
is($s[1]->query("SELECT lwp_test_conditional(20, 's', 7)"), 0, 'conditional acquisitions of a held lock fail');
$s[1]->send("SELECT lwp_test_acquire(20, 's', 1)");
$s[2]->send("SELECT lwp_test_acquire(20, 'x', 1)");
$s[3]->send("SELECT lwp_test_acquire_or_wait(20, 'x')");
ok(waiting_on_test_lock(3), 'three waiters are seen');
my ($shared, $holder) = LwpTest::row($node, sprintf(
	"SELECT count(*), (SELECT array_agg(DISTINCT h) FROM pg_lwprof_activity, unnest(holder_pids) h)
	 FROM pg_lwprof_activity WHERE holder_pids = ARRAY[%d]", $s[0]->pid));
is($shared, 3, 'each waiter names the holder');
is($holder, '{' . $s[0]->pid . '}', 'and nobody else');
$_->result for @s[0 .. 2];
is($s[3]->result, 'f', 'AcquireOrWait waited and did not get the lock');
counts_are('blocked in each mode',
	exclusive_acquires => 2, shared_acquires => 1, conditional_failures => 7,
	blocked_shared => 1, blocked_exclusive => 2, timed_waits => 3, releases => 3);

reset_counts();
$s[0]->send('SELECT lwp_test_var_holder(21, 5, 2500)');
ok(holding_test_lock(), 'a holder with a variable is seen');
$s[1]->send('SELECT lwp_test_wait_for_var(21, 0)');
$s[2]->send('SELECT lwp_test_wait_for_var(21, 0)');
ok(waiting_on_test_lock(2), 'two sessions wait for its variable');
is($node->safe_psql('postgres', q(SELECT DISTINCT mode FROM pg_lwprof_activity WHERE phase = 'waiting')),
	'until_free', 'their mode says that they do not want the lock');
is($s[1]->result, 5, 'LWLockUpdateVar wakes the first');
is($s[2]->result, 5, 'and the second');
$s[0]->result;
counts_are('WaitForVar', exclusive_acquires => 1, var_waits => 2, timed_waits => 2, releases => 1);

# --- all at once -----------------------------------------------------------------
reset_counts();
$_->send(q(SELECT lwp_test_acquire(30, 'x', 20000), lwp_test_acquire(30, 's', 10000),
	lwp_test_nested(100, 50, 'x', 'interleaved'), lwp_test_conditional(200, 's', 1000))) for @s;
$_->result for @s;
my $c = counts();
is($c->{exclusive_acquires}, 5 * (20000 + 50), 'five sessions at once: exclusive');
is($c->{shared_acquires}, 5 * (10000 + 1000), 'five sessions at once: shared');
is($c->{releases}, $c->{exclusive_acquires} + $c->{shared_acquires}, 'all released');
is($c->{held}, 0, 'none held');
cmp_ok($c->{blocked_shared}, '<=', $c->{shared_acquires}, 'blocked are a part of all: shared');
cmp_ok($c->{blocked_exclusive}, '<=', $c->{exclusive_acquires}, 'blocked are a part of all: exclusive');
is($c->{timed_waits}, $c->{blocked_shared} + $c->{blocked_exclusive}, 'every sleep was timed');

# The same numbers per process.
my $own = join(',', map { $_->pid } @s);
is($node->safe_psql('postgres', "SELECT sum(blocked) >= $c->{timed_waits} FROM pg_lwprof_activity WHERE pid IN ($own)"),
	't', 'the processes have their own counts');

# --- errors ------------------------------------------------------------------------
for my $kind (qw(error fatal))
{
	reset_counts();
	my $victim = LwpTest::Session->new($node);
	$victim->send("SELECT lwp_test_error(40, 30, 'x', '$kind')");
	like($victim->result, qr/test error while holding 30 locks/, "$kind while holding 30 locks");
	if ($kind eq 'error')
	{
		is($victim->query('SELECT lwp_test_held()'), 0, 'the server released them');
		is($victim->query("SELECT held FROM pg_lwprof_activity WHERE pid = pg_backend_pid()"), '{}',
			'and the held set is empty');
	}
	$victim->close;
	LwpTest::wait_until(sub { counts()->{releases} == 30 });
	counts_are("$kind: LWLockReleaseAll", exclusive_acquires => 30, releases => 30);
}

reset_counts();
my ($state, $message) = LwpTest::failure($node, 'SELECT lwp_test_too_many()');
like($message, qr/too many LWLocks taken/, 'the server refuses too many locks');
counts_are('200 locks, one refused', shared_acquires => 200, releases => 200);

reset_counts();
($state, $message) = LwpTest::failure($node, 'SELECT lwp_test_release_unheld(50)');
like($message, qr/is not held/, 'the server refuses to release a lock that is not held');
counts_are('a refused release counts nothing');
is($node->safe_psql('postgres', "SELECT lwp_test_acquire(50, 'x', 3)"), '', 'and all goes on');
counts_are('after the refused release', exclusive_acquires => 3, releases => 3);

# A savepoint's error releases, too, and the transaction goes on.
reset_counts();
$s[0]->query(q(DO $$ BEGIN PERFORM lwp_test_error(60, 5, 's', 'error');
	EXCEPTION WHEN OTHERS THEN PERFORM lwp_test_acquire(60, 'x', 2); END $$));
counts_are('error in a subtransaction', shared_acquires => 5, exclusive_acquires => 2, releases => 7);

# A backend that is told to end while it waits gets the lock first, then goes.
reset_counts();
$s[0]->send("SELECT lwp_test_hold(70, 'x', 2500)");
holding_test_lock();
my $doomed = LwpTest::Session->new($node);
$doomed->send("SELECT lwp_test_acquire(70, 's', 1)");
waiting_on_test_lock(1);
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(' . $doomed->pid . ')');
$s[0]->result;
$doomed->result;
$doomed->close;
LwpTest::wait_until(sub { counts()->{releases} == 2 });
counts_are('terminated while waiting', exclusive_acquires => 1, shared_acquires => 1,
	blocked_shared => 1, timed_waits => 1, releases => 2);
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_activity WHERE phase IS NOT NULL
	AND pid <> pg_backend_pid())), 0, 'no stale phase is left');
$_->close for @s;

# --- tranches of the user, and too many of them -----------------------------------
reset_counts();
my $named = LwpTest::Session->new($node);
my $id = $named->query("SELECT lwp_test_new_tranche('my_own_tranche', 11)");
is($named->query("SELECT exclusive_acquires FROM pg_lwprof_locks WHERE wait_event = 'my_own_tranche'"), 11,
	'a tranche made at run time has its own row');
is($node->safe_psql('postgres', "SELECT exclusive_acquires FROM pg_lwprof_locks WHERE wait_event = 'my_own_tranche'"), 11,
	'under its name in other sessions, too');
$named->query("SELECT lwp_test_new_tranche('spare_' || g, 1) FROM generate_series(1, 200) g");
is($named->query('SELECT exclusive_acquires > 0 AND releases = exclusive_acquires FROM pg_lwprof_locks WHERE wait_event IS NULL'), 't',
	'tranches beyond pg_lwprof.max_tranches share the row without a name');
my ($overflows, $tranche_overflows) = LwpTest::row($node, 'SELECT overflows, tranche_overflows FROM pg_lwprof_info');
cmp_ok($tranche_overflows, '>=', 40, "and are counted as overflows ($tranche_overflows)");
cmp_ok($overflows, '>=', $tranche_overflows, 'also in the sum of all overflows');
$named->close;

# --- a real load ---------------------------------------------------------------------
$node->command_ok([ 'pgbench', '-i', '-s', '2', '-q', 'postgres' ], 'tables for a load');
reset_counts();
$node->command_ok([ 'pgbench', '-n', '-c', '8', '-j', '2', '-t', '500', 'postgres' ], 'a load of known length');
LwpTest::wait_until(sub { $node->safe_psql('postgres',
	"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'") == 0 });
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_lwprof_locks
	WHERE shared_acquires + exclusive_acquires <> releases + held'), 0,
	'acquires = releases + held, for every lock of the server');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_lwprof_locks
	WHERE blocked_shared > shared_acquires OR timed_waits > blocked_shared + blocked_exclusive + group_waits + var_waits'), 0,
	'blocked <= acquires, timed <= blocked');
is($node->safe_psql('postgres', 'SELECT unmatched_releases FROM pg_lwprof_info'), 0, 'no unmatched release');
# every transaction of the script assigns one xid and writes at least five WAL records
my ($xids, $inserts) = LwpTest::row($node, q(SELECT
	(SELECT exclusive_acquires FROM pg_lwprof_locks WHERE wait_event = 'XidGen'),
	(SELECT exclusive_acquires FROM pg_lwprof_locks WHERE wait_event = 'WALInsert')));
cmp_ok($xids, '>=', 4000, "an xid for each of 4000 transactions ($xids)");
cmp_ok($xids, '<', 4100, 'and hardly any more');
cmp_ok($inserts, '>=', 20000, "five WAL records each ($inserts)");

# --- switching off and on at run time --------------------------------------------------
my $long = LwpTest::Session->new($node);
LwpTest::reload_with($node, 'pg_lwprof.enabled' => 'off');
reset_counts();
$long->query("SELECT lwp_test_acquire(1, 'x', 100)");
counts_are('nothing is counted while recording is off');
is($node->safe_psql('postgres', 'SELECT enabled FROM pg_lwprof_info'), 'f', 'and info says so');
LwpTest::reload_with($node, 'pg_lwprof.enabled' => 'on');
$long->query("SELECT lwp_test_acquire(1, 'x', 100)");
counts_are('counting goes on when it is on again', exclusive_acquires => 100, releases => 100);
$long->close;

$node->stop;
done_testing();
