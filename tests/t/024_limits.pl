# Small tables, standby, churn: right or NULL, never an error; what found no room is counted.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my @views = map { "pg_lwprof_$_" } qw(locks contention profile activity info instances callers stacks histogram
  hold_histogram holders chains queries waits samples spinlocks history history_seconds);

sub all_readable
{
	my ($node, $name) = @_;
	for my $view (@views)
	{
		is((LwpTest::failure($node, "SELECT count(*) FROM $view"))[0], '', "$name: $view can be read");
	}
	is((LwpTest::failure($node, "SELECT count(*) FROM pg_lwprof_contention_between(now() - interval '1 hour', now())"))[0], '',
		"$name: contention_between");
	is($node->safe_psql('postgres', 'SELECT pg_lwprof_snapshot() IS NOT NULL'), 't', "$name: snapshot");
	return;
}

# --- everything as small as it gets ---------------------------------------------------
my $node = LwpTest::configured_node('small', <<'CONF', allows_streaming => 1);
pg_lwprof.sample_interval = '1ms'
pg_lwprof.profile_size = 64
pg_lwprof.attribution_size = 64
pg_lwprof.max_stacks = 16
pg_lwprof.max_samples = 64
pg_lwprof.history_records = 1000
pg_lwprof.max_tranches = 128
pg_lwprof.track_stacks = on
CONF
$node->start;
LwpTest::create_extensions($node);
all_readable($node, 'fresh');

my @s = map { LwpTest::Session->new($node) } 1 .. 3;
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
# 400 queries that differ in shape wait for one lock
my $columns = '';
for my $n (1 .. 400)
{
	$columns .= ', 1';
	next if $n % 2;		# every other one is enough
	$_->send("SELECT lwp_test_hold(1, 'x', 3)$columns") for @s;
	$_->result for @s;
}
my ($evictions, $overflows) = LwpTest::row($node, 'SELECT attribution_evictions, overflows FROM pg_lwprof_info');
cmp_ok($evictions, '>', 0, "more queries than room: evictions are counted ($evictions)");
cmp_ok($overflows, '>=', $evictions, 'also in the sum');
is($node->safe_psql('postgres', q(SELECT bool_or(others) FROM pg_lwprof_queries WHERE wait_event = 'lwp_test')), 't',
	'the rest is one row');
my ($queries, $sampled) = LwpTest::row($node, q(SELECT sum(sampled_time),
	(SELECT sampled_wait_time FROM pg_lwprof_contention WHERE wait_event = 'lwp_test')
	FROM pg_lwprof_queries WHERE wait_event = 'lwp_test'));
ok(abs($queries / $sampled - 1) < 0.001, "and no time is lost: $queries of $sampled");
is($node->safe_psql('postgres', 'SELECT count(*) <= 64 FROM pg_lwprof_samples'), 't', 'as many samples as there is room for');
all_readable($node, 'full');

# readers while everything moves
$_->send("SELECT lwp_test_contend(2, 'x', 0.2, 0, 3000)") for @s;
for (1 .. 5)
{
	$node->safe_psql('postgres', join(';', map { "SELECT count(*) FROM $_" } @views) . '; SELECT pg_lwprof_reset()');
}
$_->result for @s;
is($node->safe_psql('postgres', 'SELECT unmatched_releases FROM pg_lwprof_info'), 0, 'nothing unmatched');

# --- connections come and go ------------------------------------------------------------
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
$node->command_ok([ 'pgbench', '-i', '-q', 'postgres' ], 'tables');
$node->command_ok([ 'pgbench', '-n', '-C', '-S', '-c', '4', '-t', '40', 'postgres' ], 'a connection per transaction');
ok(LwpTest::wait_until(sub { $node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_locks
	WHERE shared_acquires + exclusive_acquires <> releases + held)) == 0 }, 5), 'identities hold over 160 connections');
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_activity WHERE phase IS NOT NULL AND pid <> pg_backend_pid())),
	0, 'no phase is left behind');

# --- a standby ------------------------------------------------------------------------------
$node->backup('b');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'b', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery(), mode FROM pg_lwprof_info'), 't|detour', 'a standby has detours, too');
{
	my @r = map { LwpTest::Session->new($standby) } 1 .. 2;
	$standby->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
	$_->send("SELECT lwp_test_contend(1, 'x', 5, 1, 1500)") for @r;
	$_->result for @r;
	cmp_ok($standby->safe_psql('postgres', q(SELECT wait_pct FROM pg_lwprof_contention WHERE wait_event = 'lwp_test')), '>', 20,
		'and sees its own contention');
	is($standby->safe_psql('postgres', q(SELECT kind || ' ' || number FROM pg_lwprof_instances WHERE wait_event = 'lwp_test')),
		'element 1', 'down to the instance');
	$_->close for @r;
}
all_readable($standby, 'standby');
$standby->stop;

# --- wait_event mode: what is known is shown, the rest is empty ---------------------------------
$_->close for @s;
$node->append_conf('postgresql.conf', "pg_lwprof.instrumentation = 'wait_event'");
$node->restart;
all_readable($node, 'wait_event mode');
@s = map { LwpTest::Session->new($node) } 1 .. 2;
$_->send("SELECT lwp_test_contend(1, 'x', 5, 1, 1500)") for @s;
$_->result for @s;
is($node->safe_psql('postgres', q(SELECT (SELECT count(*) FROM pg_lwprof_instances), (SELECT count(*) FROM pg_lwprof_callers),
	(SELECT count(*) FROM pg_lwprof_histogram), (SELECT count(*) FROM pg_lwprof_spinlocks))), '0|0|0|0',
	'no instances, callers, histogram, spinlocks');
is($node->safe_psql('postgres', q(SELECT bool_and(holder_mode IS NULL), bool_and(holder_wait_event_type = 'none')
	FROM pg_lwprof_holders WHERE wait_event = 'lwp_test')), 't|t', 'holders are not known');
is($node->safe_psql('postgres', q(SELECT count(*) > 0 FROM pg_lwprof_queries WHERE wait_event = 'lwp_test')), 't',
	'queries are');
is($node->safe_psql('postgres', q(SELECT bool_and(blocked IS NULL AND wait_time IS NULL AND acquires IS NULL) FROM pg_lwprof_history
	WHERE wait_event = 'lwp_test')), 't', 'the history has no exact counts, rather than zeros');

$_->close for @s;
$node->stop;
done_testing();
