# Detours or wait events: how the mode is chosen, said, and fallen back from.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Utils;
use Test::More;

sub mode { return LwpTest::row($_[0], q(SELECT mode, coalesce(reason, '') FROM pg_lwprof_info)) }

sub fallback_lines
{
	my $log = LwpTest::slurp_log($_[0]);
	return scalar(() = $log =~ /pg_lwprof samples wait events only/g);
}

my $node = LwpTest::node('main');
is_deeply([ mode($node) ], [ 'detour', '' ], 'detours are installed by default');
is(fallback_lines($node), 0, 'no fallback is logged');

# A leaking interrupt hold-off would keep background processes from ending.
ok($node->stop('fast') || 1, 'a fast shutdown right after the start succeeds');

# --- asked for wait events only ---------------------------------------------
$node->append_conf('postgresql.conf', "pg_lwprof.instrumentation = 'wait_event'");
$node->start;
my ($mode, $reason) = mode($node);
is($mode, 'wait_event', 'wait_event mode can be asked for');
like($reason, qr/pg_lwprof\.instrumentation is set to "wait_event"/, 'and the reason says so');
is(fallback_lines($node), 1, 'one log line says so, too');

is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_lwprof_locks WHERE wait_event IS NOT NULL
	AND shared_acquires IS NULL AND exclusive_acquires IS NULL AND blocked_shared IS NULL
	AND blocked_exclusive IS NULL AND conditional_failures IS NULL AND group_waits IS NULL
	AND wait_time IS NULL AND max_wait_time IS NULL'),
	$node->safe_psql('postgres', 'SELECT count(*) FROM pg_lwprof_locks'),
	'what only detours know is NULL, for every lock');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_lwprof_locks WHERE classic_name IS NOT NULL'),
	3, 'the three classic locks have a row nevertheless');

# Wait shares still work: two sessions on one lock, one always waits.
{
	my @s = map { LwpTest::Session->new($node) } 1 .. 2;
	$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
	$_->send(q(SELECT lwp_test_contend(1, 'x', 5, 0, 2000))) for @s;
	$_->result for @s;
	my ($pct, $waiters) = LwpTest::row($node, q(SELECT wait_pct, avg_waiters FROM pg_lwprof_contention
		WHERE wait_event = 'lwp_test'));
	cmp_ok($pct, '>', 35, "sampled wait share without detours ($pct)");
	cmp_ok($pct, '<', 65, 'is near one half');
	$_->close for @s;
}
$node->stop;

# --- obstacles: each must end in fallback, with the server up -----------------
for my $case (
	[ 'foreign_jump', qr/LWLockRelease was already modified by somebody else/ ],
	[ 'no_near_page', qr/no free page within reach/ ],
	[ 'no_exec', qr/may not be made executable again|cannot make the near page executable/ ],
	[ 'thread', qr/started a thread/ ])
{
	my ($obstacle, $expected) = @$case;
	local $LwpTest::preload = 'lwp_obstacle, pg_lwprof, lwp_test';
	local $ENV{LWP_OBSTACLE} = $obstacle;
	my $blocked = LwpTest::node("obstacle_$obstacle");
	my ($got, $why) = mode($blocked);
	is($got, 'wait_event', "$obstacle: falls back");
	like($why, $expected, "$obstacle: says why");
	is(fallback_lines($blocked), 1, "$obstacle: logs one line");
	is($blocked->safe_psql('postgres', 'SELECT sum(g) FROM generate_series(1, 1000) g'),
		500500, "$obstacle: the server works");
	$blocked->stop;

	# insisting on detours makes it a warning, and still starts
	if ($obstacle eq 'no_near_page')
	{
		$blocked->append_conf('postgresql.conf', "pg_lwprof.instrumentation = 'detour'");
		$blocked->start;
		is((mode($blocked))[0], 'wait_event', 'the server starts even if detours are asked for');
		like(LwpTest::slurp_log($blocked), qr/WARNING:  pg_lwprof samples wait events only/,
			'and warns');
		$blocked->stop;
	}
}

# --- not preloaded -------------------------------------------------------------
{
	local $LwpTest::preload = '';
	my $bare = LwpTest::configured_node('bare');
	$bare->start;
	$bare->safe_psql('postgres', 'CREATE EXTENSION pg_lwprof');
	for my $object (qw(locks contention profile activity info))
	{
		my ($state, $message) = LwpTest::failure($bare, "SELECT * FROM pg_lwprof_$object");
		is($state, '55000', "pg_lwprof_$object without preloading: SQLSTATE");
		like($message, qr/pg_lwprof must be loaded via "shared_preload_libraries"/,
			"pg_lwprof_$object without preloading: message");
	}
	is((LwpTest::failure($bare, 'SELECT pg_lwprof_reset()'))[0], '55000', 'reset, too');
	is((LwpTest::failure($bare, 'SELECT pg_lwprof_snapshot()'))[0], '55000', 'snapshot, too');
	is((LwpTest::failure($bare, "LOAD 'pg_lwprof'; SELECT 1"))[0], '', 'loading it by hand is quiet');
	$bare->stop;
}

# --- settings -------------------------------------------------------------------
$node->append_conf('postgresql.conf', "pg_lwprof.instrumentation = 'auto'");
$node->start;
for my $case (
	[ "ALTER SYSTEM SET pg_lwprof.sample_interval = '10us'", '22023', qr/outside the valid range/ ],
	[ "ALTER SYSTEM SET pg_lwprof.sample_interval = '11s'", '22023', qr/outside the valid range/ ],
	[ "ALTER SYSTEM SET pg_lwprof.sample_interval = 'fast'", '22023', qr/invalid value/ ],
	[ "ALTER SYSTEM SET pg_lwprof.instrumentation = 'magic'", '22023', qr/invalid value/ ],
	[ "ALTER SYSTEM SET pg_lwprof.enabled = 'maybe'", '22023', qr/requires a Boolean/ ],
	[ "ALTER SYSTEM SET pg_lwprof.max_tranches = 1", '22023', qr/outside the valid range/ ],
	[ "SET pg_lwprof.enabled = off", '55P02', qr/cannot be changed now/ ],
	[ "SET pg_lwprof.instrumentation = 'wait_event'", '55P02', qr/without restarting/ ],
	[ "SET pg_lwprof.no_such_setting = 1", '42602', qr/invalid configuration parameter name/ ])
{
	my ($sql, $state, $message) = @$case;
	my @got = LwpTest::failure($node, $sql);
	is($got[0], $state, "$sql: SQLSTATE");
	like($got[1], $message, "$sql: message");
}
LwpTest::reload_with($node, 'pg_lwprof.sample_interval' => '1ms');
is($node->safe_psql('postgres', 'SELECT sample_interval FROM pg_lwprof_info'), 1,
	'the interval takes a unit and follows a reload');
LwpTest::reload_with($node, 'pg_lwprof.sample_interval' => '50us');
is($node->safe_psql('postgres', 'SHOW pg_lwprof.sample_interval'), '50us', 'down to 50 us');
$node->stop;

done_testing();
