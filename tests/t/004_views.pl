# The SQL interface: conventions, privileges, reset, snapshot, dump and restore.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = LwpTest::node('main', "pg_lwprof.sample_interval = '2ms'");
my @views = map { "pg_lwprof_$_" } qw(locks contention profile activity info);
my @functions = (@views, 'pg_lwprof_reset', 'pg_lwprof_snapshot');

# --- conventions ---------------------------------------------------------------
is($node->safe_psql('postgres', q(SELECT count(*) FROM information_schema.columns
	WHERE table_name LIKE 'pg_lwprof%' AND (
		(column_name LIKE '%\_time' AND column_name NOT LIKE 'stats%' AND data_type <> 'double precision')
		OR (column_name LIKE '%\_pct' AND data_type <> 'double precision')
		OR (column_name IN ('blocked', 'acquires', 'releases', 'passes', 'overflows') AND data_type <> 'bigint')
		OR (column_name = 'stats_reset' AND data_type <> 'timestamp with time zone')))), 0,
	'types follow the conventions');
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_proc WHERE proname LIKE 'pg\_lwprof%' AND provolatile <> 'v' AND proname <> 'pg_lwprof_relation')),
	0, 'no function claims that its result is stable');
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT wait_event) FROM pg_lwprof_locks'), 0,
	'one row per wait event');
is($node->safe_psql('postgres', q(SELECT string_agg(classic_name || '=' || wait_event, ' ' ORDER BY classic_name)
	FROM pg_lwprof_locks WHERE classic_name IS NOT NULL)),
	'CLogControlLock=XactSLRU ProcArrayLock=ProcArray WALInsertLock=WALInsert', 'classic names');
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_locks WHERE wait_event LIKE '<%')), 0,
	'numbers the server left free have no row');

# The names are those of pg_stat_activity: a waiter shows the same in both.
my @s = map { LwpTest::Session->new($node) } 1 .. 3;
$s[0]->send("SELECT lwp_test_hold(1, 'x', 2500)");
sleep(0.3);
$s[1]->send("SELECT lwp_test_acquire(1, 's', 1)");
ok(LwpTest::wait_until(sub { $node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_activity l
	JOIN pg_stat_activity a USING (pid) WHERE l.phase = 'waiting' AND a.wait_event_type = 'LWLock'
	AND a.wait_event = l.wait_event AND a.backend_type = l.backend_type AND a.datname = l.datname)) == 1 }, 2),
	'wait_event, backend_type and datname are spelled as in pg_stat_activity');
is($node->safe_psql('postgres', sprintf(q(SELECT mode, holder_pids, waiting_for BETWEEN 1 AND 3000, active
	FROM pg_lwprof_activity WHERE pid = %d), $s[1]->pid)), 'shared|{' . $s[0]->pid . '}|t|t',
	'mode, holder and length of the wait');
is($node->safe_psql('postgres', sprintf('SELECT held, phase IS NULL, active FROM pg_lwprof_activity WHERE pid = %d',
	$s[0]->pid)), '{lwp_test:exclusive}|t|t', 'what the holder holds');
is($node->safe_psql('postgres', sprintf('SELECT held, active, acquires > 0 FROM pg_lwprof_activity WHERE pid = %d',
	$s[2]->pid)), '{}|f|t', 'an idle session holds nothing');
$_->result for @s[ 0, 1 ];
is($node->safe_psql('postgres', q(SELECT string_agg(backend_type, ',' ORDER BY backend_type)
	FROM (SELECT backend_type FROM pg_lwprof_activity EXCEPT SELECT backend_type FROM pg_stat_activity) x)), '',
	'no backend_type that pg_stat_activity does not know');
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_activity WHERE backend_type ~ 'pg_lwprof')), 1,
	'the sampler is among the processes');

# --- the profile -------------------------------------------------------------------
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
$_->send(q(SELECT lwp_test_contend(2, 'x', 4, 0, 1500))) for @s;
$_->result for @s;
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_profile
	WHERE pct NOT BETWEEN 0 AND 100.0001 OR sampled_time < 0 OR sampled_time > active_time + 0.001)), 0,
	'no part is more than the whole');
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_profile WHERE wait_event = 'lwp_test'
	AND phase IN ('waiting', 'holding') AND mode = 'exclusive' AND backend_type = 'client backend'
	AND datname = 'postgres' AND pct BETWEEN 20 AND 80)), 2, 'waiting and holding, with mode, type and database');
is($node->safe_psql('postgres', q(SELECT round(sum(sampled_time) FILTER (WHERE phase = 'waiting')
	- (SELECT sampled_wait_time FROM pg_lwprof_contention WHERE wait_event = 'lwp_test')) FROM pg_lwprof_profile
	WHERE wait_event = 'lwp_test')), 0, 'contention and profile agree');
is($node->safe_psql('postgres', 'SELECT wait_event FROM pg_lwprof_contention LIMIT 1'), 'lwp_test',
	'the most contended lock comes first');
my ($blocked, $total) = LwpTest::row($node, q(SELECT sum(blocked_pct), sum(blocked) FROM pg_lwprof_contention));
ok(abs($blocked - 100) < 0.01, 'blocked_pct sums to 100');

# --- parallel workers and background processes have their own backend_type ---------------
$node->safe_psql('postgres', q(CREATE TABLE big AS SELECT g, repeat('x', 100) AS t FROM generate_series(1, 200000) g;
	ANALYZE big; CHECKPOINT));
$node->safe_psql('postgres', q(SELECT pg_lwprof_reset();
	SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0; SELECT count(*) FROM big a, big b WHERE a.g = b.g AND a.t > 'w'));
cmp_ok($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_profile WHERE backend_type = 'parallel worker')),
	'>=', 1, 'parallel workers are sampled');

# --- reset ---------------------------------------------------------------------------------
my $before = $node->safe_psql('postgres', 'SELECT stats_reset FROM pg_lwprof_info');
$node->safe_psql('postgres', 'SELECT pg_lwprof_reset()');
is($node->safe_psql('postgres', "SELECT stats_reset > '$before' FROM pg_lwprof_info"), 't', 'reset moves stats_reset');
is($node->safe_psql('postgres', q(SELECT exclusive_acquires, wait_time FROM pg_lwprof_locks WHERE wait_event = 'lwp_test')),
	'0|0', 'exact counts are gone');
is($node->safe_psql('postgres', q(SELECT coalesce(sum(sampled_time), 0) FROM pg_lwprof_profile WHERE wait_event = 'lwp_test')),
	0, 'sampled ones, too');

# --- snapshot ---------------------------------------------------------------------------------
$node->safe_psql('postgres', "SELECT lwp_test_acquire(3, 's', 42)");
is($node->safe_psql('postgres', q(SELECT jsonb_typeof(s), s->>'format', s->'info'->>'mode',
	(SELECT l->>'shared_acquires' FROM jsonb_array_elements(s->'locks') l WHERE l->>'wait_event' = 'lwp_test'),
	jsonb_array_length(s->'locks') = jsonb_array_length(s->'contention')
	FROM pg_lwprof_snapshot() s)), 'object|1|detour|42|t', 'one document with everything');

# --- privileges ----------------------------------------------------------------------------------
$node->safe_psql('postgres', q(CREATE ROLE nobody LOGIN; CREATE ROLE watcher LOGIN IN ROLE pg_monitor;
	CREATE ROLE reader LOGIN IN ROLE pg_read_all_stats; CREATE ROLE resetter LOGIN;
	GRANT EXECUTE ON FUNCTION pg_lwprof_reset() TO resetter));
for my $view (@views)
{
	is((LwpTest::failure($node, "SET ROLE nobody; SELECT count(*) FROM $view"))[0], '42501', "$view: not for everybody");
	is((LwpTest::failure($node, "SET ROLE nobody; SELECT count(*) FROM $view()"))[0], '42501', "$view(): neither");
	is((LwpTest::failure($node, "SET ROLE $_; SELECT count(*) FROM $view"))[0], '', "$view: for $_")
	  for qw(watcher reader);
}
is((LwpTest::failure($node, 'SET ROLE watcher; SELECT pg_lwprof_snapshot()'))[0], '', 'snapshot: for watcher');
is((LwpTest::failure($node, 'SET ROLE nobody; SELECT pg_lwprof_snapshot()'))[0], '42501', 'snapshot: not for everybody');
is((LwpTest::failure($node, 'SET ROLE watcher; SELECT pg_lwprof_reset()'))[0], '42501', 'reset: not even for watcher');
is((LwpTest::failure($node, 'SET ROLE resetter; SELECT pg_lwprof_reset()'))[0], '', 'reset: for whom it was granted to');

# --- another schema, dump and restore ------------------------------------------------------------
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE SCHEMA perf; CREATE EXTENSION pg_lwprof SCHEMA perf;
	REVOKE SELECT ON perf.pg_lwprof_locks FROM pg_read_all_stats');
is($node->safe_psql('other', q(SELECT perf.pg_lwprof_snapshot() ? 'locks')), 't', 'works in any schema');
$node->safe_psql('other', 'ALTER EXTENSION pg_lwprof SET SCHEMA public');
is($node->safe_psql('other', q(SELECT pg_lwprof_snapshot() ? 'locks')), 't', 'and after moving to another');
for my $mode ([], ['--binary-upgrade'])
{
	my $name = @$mode ? 'restored_upgrade' : 'restored';
	my $file = PostgreSQL::Test::Utils::tempdir() . '/dump';
	$node->command_ok([ 'pg_dump', @$mode, '-f', $file, 'other' ], "pg_dump @$mode");
	if (@$mode)
	{
		like(slurp_file($file), qr/binary_upgrade_create_empty_extension\('pg_lwprof'/, 'the extension is dumped');
		like(slurp_file($file), qr/CREATE FUNCTION public\.pg_lwprof_locks/, 'object by object');
	}
	else
	{
		$node->safe_psql('postgres', "CREATE DATABASE $name");
		$node->command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-f', $file, $name ], 'restores');
		is($node->safe_psql($name, q(SELECT has_table_privilege('pg_read_all_stats', 'pg_lwprof_locks', 'SELECT'),
			has_table_privilege('pg_read_all_stats', 'pg_lwprof_info', 'SELECT'))), 'f|t', 'with changed privileges');
	}
}

# --- library and SQL objects that do not fit together ----------------------------------------------
my $library = $node->safe_psql('postgres', q(SELECT probin FROM pg_proc WHERE proname = 'pg_lwprof_info'));
$node->safe_psql('other', "CREATE FUNCTION narrow(OUT a text) RETURNS SETOF text AS '$library', 'pg_lwprof_info_1_0' LANGUAGE C;
	CREATE FUNCTION narrower(OUT a text, OUT b text) RETURNS SETOF record AS '$library', 'pg_lwprof_info_1_0' LANGUAGE C");
isnt((LwpTest::failure($node, "SELECT 1", connstr => $node->connstr('other')))[0], '55000', 'sanity');
my ($out, $err);
$node->psql('other', '\set VERBOSITY verbose
SELECT * FROM narrower()', stdout => \$out, stderr => \$err);
like($err, qr/55000: pg_lwprof library and SQL objects do not fit together/, 'too few columns: an error, not a crash');

# --- a dead or stopped sampler hangs no reader -------------------------------------------------------
my $sampler = $node->safe_psql('postgres', 'SELECT sampler_pid FROM pg_lwprof_info');
kill 'STOP', $sampler;
is($node->safe_psql('postgres', q(SET statement_timeout = '5s'; SELECT count(*) > 10 FROM pg_lwprof_contention)), 't',
	'views can be read while the sampler is stopped');
is($node->safe_psql('postgres', q(SET statement_timeout = '5s'; SELECT pg_lwprof_reset())), '', 'reset, too');
is($node->safe_psql('postgres', q(SET statement_timeout = '5s'; SELECT passes FROM pg_lwprof_info)), 0,
	'and takes effect although the sampler has not followed');
kill 'CONT', $sampler;
ok(LwpTest::wait_until(sub { $node->safe_psql('postgres', 'SELECT passes > 0 FROM pg_lwprof_info') eq 't' }),
	'the sampler goes on');
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(sampler_pid) FROM pg_lwprof_info');
ok(LwpTest::wait_until(sub { $node->safe_psql('postgres', "SELECT coalesce(sampler_pid, 0) NOT IN (0, $sampler) FROM pg_lwprof_info") eq 't' }),
	'a terminated sampler comes back');
cmp_ok($node->safe_psql('postgres', 'SELECT unobserved_time FROM pg_lwprof_info'), '>', 300,
	'the time without it is unobserved');

$_->close for @s;
$node->stop;
done_testing();
