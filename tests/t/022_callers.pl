# Which code path, which query.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

$LwpTest::preload = 'pg_lwprof, lwp_test, pg_stat_statements';
my $node = LwpTest::node('main', "pg_lwprof.sample_interval = '5ms'\npg_lwprof.track_stacks = on");
$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements; CREATE TABLE t (a int)');
my @s = map { LwpTest::Session->new($node) } 1 .. 6;

sub reset_stats { $node->safe_psql('postgres', 'SELECT pg_lwprof_reset()'); return }

# --- callers ------------------------------------------------------------------------
reset_stats();
$s[0]->send("SELECT lwp_test_hold(1, 'x', 900)");
sleep(0.2);
$s[1]->send("SELECT lwp_test_acquire(1, 's', 1)");
$s[2]->send("SELECT lwp_test_nested(1, 1, 'x', 'reverse')");
$_->result for @s[ 0 .. 2 ];
is($node->safe_psql('postgres', q(SELECT string_agg(caller || '@' || module || ':' || blocked, ' ' ORDER BY caller)
	FROM pg_lwprof_callers WHERE wait_event = 'lwp_test')),
	'lwp_test_acquire@lwp_test.so:1 lwp_test_nested@lwp_test.so:1', 'two callers of one lock');
ok(abs($node->safe_psql('postgres', q(SELECT sum(lock_pct) FROM pg_lwprof_callers WHERE wait_event = 'lwp_test')) - 100) < 1e-6,
	'their shares sum to 100');

# --- the finding of 2017: sessions that commit wait in ProcArrayEndTransaction -------------
reset_stats();
$s[0]->send("SELECT lwp_test_hold_server('ProcArray', 's', 1500)");
sleep(0.3);
$_->send('INSERT INTO t VALUES (1)') for @s[ 1 .. 5 ];
$_->result for @s;
is($node->safe_psql('postgres', q(SELECT caller FROM pg_lwprof_callers WHERE classic_name = 'ProcArrayLock'
	ORDER BY wait_time DESC LIMIT 1)), 'ProcArrayEndTransaction', 'one query shows where they wait');
my ($group_waits, $blocked, $wait) = LwpTest::row($node, q(SELECT group_waits, blocked_exclusive, wait_time
	FROM pg_lwprof_locks WHERE classic_name = 'ProcArrayLock'));
is($group_waits + $blocked, 5, "all five waited: $blocked for the lock, $group_waits for their leader");
cmp_ok($group_waits, '>=', 1, 'members of the group wait for ProcArrayLock');
cmp_ok($wait, '>', 3000, "with their time ($wait ms)");
is($node->safe_psql('postgres', q(SELECT count(*) > 0 FROM pg_lwprof_stacks WHERE classic_name = 'ProcArrayLock'
	AND stack ~ ';PostgresMain;.*CommitTransactionCommand;.*ProcArrayEndTransaction$')), 't', 'the whole stack, folded, outermost first');
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_stacks WHERE sampled_time <= 0 OR stack ~ 'hook_|lwp_wait')), 0,
	'none of our own functions in it');
is($node->safe_psql('postgres', q(SELECT sum(s.sampled_time) <= (SELECT sampled_wait_time + 0.001 FROM pg_lwprof_contention
	WHERE classic_name = 'ProcArrayLock') FROM pg_lwprof_stacks s WHERE classic_name = 'ProcArrayLock')), 't',
	'no more time in stacks than was waited');

# the same for a snapshot
reset_stats();
$s[0]->send("SELECT lwp_test_hold_server('ProcArray', 'x', 800)");
sleep(0.3);
$s[1]->query('SELECT count(*) FROM t');
$s[0]->result;
is($node->safe_psql('postgres', q(SELECT caller FROM pg_lwprof_callers WHERE classic_name = 'ProcArrayLock' ORDER BY wait_time DESC LIMIT 1)),
	'GetSnapshotData', 'a reader waits in GetSnapshotData');

# an address is not the function whose end it is behind: static functions have no symbol here
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_callers WHERE caller !~ '^[A-Za-z_0-9.]+(\+0x[0-9a-f]+)?$')), 0,
	'a symbol, or file and offset');

# --- queries: 70 to 30 by construction -----------------------------------------------------
reset_stats();
$s[0]->send("SELECT lwp_test_hold(2, 'x', 6000)");
sleep(0.3);
my $start = time;
$s[1]->send("SELECT lwp_test_acquire(2, 's', 1) AS first");
sleep(6000 / 1000 * 4 / 7 - 0.171);		# the second waits for three sevenths of the time
$s[2]->send("SELECT lwp_test_acquire(2, 's', 1), 2 AS second, 3");
$_->result for @s[ 0 .. 2 ];
my @q = split /\n/, $node->safe_psql('postgres', q(SELECT round(lock_pct), backend_type, datname, usename = current_user,
	query_pct > 90, query ~ 'lwp_test_acquire' FROM pg_lwprof_queries WHERE wait_event = 'lwp_test' ORDER BY lock_pct DESC));
is(scalar @q, 2, 'two queries waited');
my @pct = map { (split /\|/)[0] } @q;
ok(abs($pct[0] - 70) <= 5, "the first for 70 % of it ($pct[0])");
ok(abs($pct[1] - 30) <= 5, "the second for 30 % ($pct[1])");
like($q[0], qr/\|client backend\|postgres\|t\|t\|t$/, 'with type, database, user, share of its own time, and text');

# --- what has no query id has a name nevertheless ----------------------------------------------
reset_stats();
$s[0]->send("SELECT lwp_test_hold_server('ProcArray', 's', 1000)");
$s[1]->query('BEGIN; INSERT INTO t VALUES (2)');
sleep(0.3);
$s[1]->query('COMMIT');
$s[0]->result;
is($node->safe_psql('postgres', q(SELECT coalesce(command, query) FROM pg_lwprof_queries
	WHERE classic_name = 'ProcArrayLock' ORDER BY sampled_time DESC LIMIT 1)), 'COMMIT', 'the end of a transaction');

LwpTest::reload_with($node, 'compute_query_id' => 'off');
my $plain = LwpTest::Session->new($node);
reset_stats();
$s[0]->send("SELECT lwp_test_hold(3, 'x', 800)");
sleep(0.2);
$plain->query("SELECT lwp_test_acquire(3, 's', 1)");
$s[0]->result;
my ($out, $err);
$node->psql('postgres', q(SELECT queryid IS NULL, command, backend_type FROM pg_lwprof_queries WHERE wait_event = 'lwp_test'),
	stdout => \$out, stderr => \$err);
is($out, 't|SELECT|client backend', 'without query ids the command is told');
like($err, qr/query identifiers are not computed/, 'and that there are none');
$plain->close;

# background processes are told by their type
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_queries WHERE queryid IS NULL AND command IS NULL
	AND NOT others AND backend_type IN ('client backend', 'parallel worker'))), 0, 'nothing of a client is without a name');

# --- spinlocks ------------------------------------------------------------------------------------
reset_stats();
$s[0]->send('SELECT lwp_test_spin(400)');
sleep(0.1);
$_->send('SELECT lwp_test_spin(0)') for @s[ 1, 2 ];
$_->result for @s[ 0 .. 2 ];
is($node->safe_psql('postgres', q(SELECT place ~ '^lwp_test.c:[0-9]+$', function, entries, delays > 2, wait_time BETWEEN 300 AND 5000
	FROM pg_lwprof_spinlocks ORDER BY wait_time DESC LIMIT 1)), 't|lwp_test_spin|2|t|t', 'who spun, where, how often and how long');
reset_stats();
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_spinlocks WHERE function = 'lwp_test_spin')), 0, 'gone after a reset');

$_->close for @s;
$node->stop;
done_testing();
