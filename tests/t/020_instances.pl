# Which lock of its kind: ground truth by construction.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = LwpTest::node('main');
$node->safe_psql('postgres', q(
	CREATE TABLE accounts (id int PRIMARY KEY, note text);
	INSERT INTO accounts SELECT g, repeat('x', 200) FROM generate_series(1, 2000) g;
	CREATE INDEX accounts_hash ON accounts USING hash (note);
	CREATE INDEX accounts_brin ON accounts USING brin (id);
	CREATE TABLE points (p point); INSERT INTO points SELECT point(g, g) FROM generate_series(1, 2000) g;
	CREATE INDEX points_gist ON points USING gist (p);
	CREATE INDEX points_spgist ON points USING spgist (p);
	CREATE TABLE docs (words int[]); INSERT INTO docs SELECT ARRAY[g, g + 1] FROM generate_series(1, 2000) g;
	CREATE INDEX docs_gin ON docs USING gin (words);
	CREATE SEQUENCE numbers;
	VACUUM accounts;
	SELECT nextval('numbers')));

my @s = map { LwpTest::Session->new($node) } 1 .. 3;

sub reset_stats { $node->safe_psql('postgres', 'SELECT pg_lwprof_reset()'); return }

# One session holds, the others want it; returns what the view says of the heaviest instance.
sub fight
{
	my ($hold, $want, $columns, $condition) = @_;
	reset_stats();
	$s[0]->send($hold);
	# a new session might itself need the partition that is held
	$hold =~ /partition/ ? sleep(0.4) : LwpTest::wait_until(sub { $node->safe_psql('postgres', sprintf(
		q(SELECT held <> '{}' FROM pg_lwprof_activity WHERE pid = %d), $s[0]->pid)) eq 't' });
	$_->send($want) for @s[ 1, 2 ];
	$_->result for @s;
	return $node->safe_psql('postgres', "SELECT $columns FROM pg_lwprof_instances WHERE $condition
		ORDER BY wait_time DESC LIMIT 1");
}

# --- pages ------------------------------------------------------------------------
for my $case (
	[ 'accounts', 0, 3, 'main', 'heap' ],
	[ 'accounts_pkey', 0, 0, 'main', 'btree meta' ],
	[ 'accounts_pkey', 0, 1, 'main', 'btree leaf' ],
	[ 'accounts_pkey', 0, 3, 'main', 'btree root' ],
	[ 'accounts_hash', 0, 0, 'main', 'hash' ],
	[ 'accounts_brin', 0, 0, 'main', 'brin' ],
	[ 'points_gist', 0, 0, 'main', 'gist' ],
	[ 'points_spgist', 0, 0, 'main', 'spgist' ],
	[ 'docs_gin', 0, 0, 'main', 'gin' ],
	[ 'numbers', 0, 0, 'main', 'sequence' ],
	[ 'accounts', 1, 0, 'fsm', 'free space map' ],
	[ 'accounts', 2, 0, 'vm', 'visibility map' ])
{
	my ($relation, $fork, $block, $fork_name, $kind) = @$case;
	is(fight("SELECT lwp_test_hold_page('$relation', $fork, $block, 'x', 1300)",
			"SELECT lwp_test_hold_page('$relation', $fork, $block, 's', 0)",
			'kind, datname, relation, fork, block, page_kind, blocked', "wait_event = 'BufferContent'"),
		"page|postgres|$relation|$fork_name|$block|$kind|2", "$relation, $fork_name, block $block");
}

# two pages at once are told apart, the heavier first
reset_stats();
$s[0]->send("SELECT lwp_test_hold_page('accounts', 0, 1, 'x', 800), lwp_test_hold_page('accounts', 0, 2, 'x', 400)");
sleep(0.2);
$s[1]->query("SELECT lwp_test_hold_page('accounts', 0, 1, 's', 0), lwp_test_hold_page('accounts', 0, 2, 's', 0)");
$s[0]->result;
is($node->safe_psql('postgres', q(SELECT string_agg(block || ':' || blocked, ',' ORDER BY wait_time DESC)
	FROM pg_lwprof_instances WHERE relation = 'accounts')), '1:1,2:1', 'two pages, heaviest first');

# the sum over instances is the lock's total
is($node->safe_psql('postgres', q(SELECT abs(sum(i.wait_time) - (SELECT wait_time FROM pg_lwprof_locks
	WHERE wait_event = 'BufferContent')) < 1 FROM pg_lwprof_instances i WHERE i.wait_event = 'BufferContent')), 't',
	'instances sum to the total of the lock');

# --- partitions ----------------------------------------------------------------------
for my $case ([ 'BufferMapping', 77 ], [ 'LockManager', 13 ], [ 'PredicateLockManager', 5 ])
{
	my ($name, $n) = @$case;
	is(fight("SELECT lwp_test_hold_partition('$name', $n, 'x', 1300)",
			"SELECT lwp_test_hold_partition('$name', $n, 's', 0)",
			'kind, number, blocked >= 2', "wait_event = '$name' AND number = $n"),
		"partition|$n|t", "$name partition");
}

# --- named tranche, single lock, backend's own lock -----------------------------------
is(fight("SELECT lwp_test_hold(42, 'x', 1300)", "SELECT lwp_test_acquire(42, 's', 1)",
		'kind, number, blocked, relation, block', "wait_event = 'lwp_test'"),
	'element|42|2||', 'element of a named tranche');
is(fight("SELECT lwp_test_hold_server('XactSLRU', 'x', 1300)", "SELECT lwp_test_hold_server('XactSLRU', 's', 0)",
		"kind, number, address LIKE '0x%'", "wait_event = 'XactSLRU'"),
	'lock||t', 'a lock that is the only one of its name');

# --- WAL insertion locks: two sessions that begin with the same one ---------------------
my @same;
{
	my %by_lock;
	for (1 .. 20)
	{
		my $session = LwpTest::Session->new($node);
		my $lock = $session->query('SELECT lwp_test_procno()') % 8;
		push @{ $by_lock{$lock} }, $session;
		next if @{ $by_lock{$lock} } < 2;
		@same = ($lock, @{ $by_lock{$lock} });
		last;
	}
	my ($lock, @pair) = @same;
	reset_stats();
	# a huge record keeps its insertion lock for as long as it takes to copy it
	$_->send(q(SELECT count(pg_logical_emit_message(false, 'lwp', repeat('x', 30000000))) FROM generate_series(1, 3)))
	  for @pair;
	$_->result for @pair;
	my $numbers = $node->safe_psql('postgres', q(SELECT array_agg(DISTINCT number ORDER BY number)
		FROM pg_lwprof_instances WHERE wait_event = 'WALInsert' AND kind = 'insertion lock'));
	like($numbers, qr/^\{[0-7](,[0-7])*\}$/, "insertion locks are numbered 0 to 7: $numbers");
	like($numbers, qr/\b$lock\b/, "and the one both began with ($lock) is among them");
	$_->close for map { @$_ } values %by_lock;
}

# --- waiters now, missed time ---------------------------------------------------------------
reset_stats();
$s[0]->send("SELECT lwp_test_hold(7, 'x', 3000)");
sleep(0.3);
$s[1]->query("SELECT lwp_test_conditional(7, 's', 1)");
$s[2]->send("SELECT lwp_test_acquire(7, 's', 1)");
sleep(0.3);
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_lwprof_instances WHERE wait_event = 'lwp_test')), 0,
	'a wait is recorded when it is over');
$_->result for @s[ 0, 2 ];
$s[0]->send("SELECT lwp_test_hold(7, 'x', 2000)");
sleep(0.3);
$s[2]->send("SELECT lwp_test_acquire(7, 's', 1)");
sleep(0.3);
is($node->safe_psql('postgres', q(SELECT waiters, blocked, missed_wait_time FROM pg_lwprof_instances
	WHERE wait_event = 'lwp_test' AND number = 7)), '1|1|0', 'waiters now, and nothing missed');
$_->result for @s[ 0, 2 ];

# --- more instances than there is room for: the hot one survives ------------------------------
reset_stats();
$s[0]->send("SELECT lwp_test_hold(3, 'x', 1500)");
sleep(0.2);
$s[1]->send("SELECT lwp_test_acquire(3, 'x', 1)");
$_->result for @s[ 0, 1 ];
# the same backend then waits a little for each of 150 others
$s[0]->send("SELECT lwp_test_hold_many(50, 150, 'x', 600)");
sleep(0.2);
$s[1]->send("SELECT lwp_test_acquire_each(50, 150, 's')");
$_->result for @s[ 0, 1 ];
$s[0]->send("SELECT lwp_test_nested(50, 150, 'x', 'forward') FROM generate_series(1, 300)");
$s[1]->send("SELECT lwp_test_acquire_each(50, 150, 's') FROM generate_series(1, 2000)");
$_->result for @s[ 0, 1 ];
my ($evictions) = LwpTest::row($node, 'SELECT instance_evictions FROM pg_lwprof_info');
my ($number, $wait, $missed) = LwpTest::row($node, q(SELECT number, wait_time, missed_wait_time
	FROM pg_lwprof_instances ORDER BY wait_time DESC LIMIT 1));
is($number, 3, "the truly hot instance survives $evictions evictions");
cmp_ok($wait, '>', 1000, "with its time ($wait)");
SKIP:
{
	skip 'the sessions did not collide often enough', 1 if $evictions == 0;
	my ($total, $kept, $bound) = LwpTest::row($node, q(SELECT
		(SELECT wait_time FROM pg_lwprof_locks WHERE wait_event = 'lwp_test'), sum(wait_time), max(missed_wait_time)
		FROM pg_lwprof_instances WHERE wait_event = 'lwp_test'));
	cmp_ok($bound, '>', 0, 'what may have been missed is said');
}

# --- what is gone is NULL, never an error --------------------------------------------------------
$node->safe_psql('postgres', q(CREATE TABLE doomed AS SELECT 1 AS a; SELECT pg_lwprof_reset()));
$s[0]->send("SELECT lwp_test_hold_page('doomed', 0, 0, 'x', 600)");
sleep(0.2);
$s[1]->query("SELECT lwp_test_hold_page('doomed', 0, 0, 's', 0)");
$s[0]->result;
is($node->safe_psql('postgres', q(SELECT relation FROM pg_lwprof_instances WHERE page_kind = 'heap')), 'doomed', 'there');
$node->safe_psql('postgres', 'DROP TABLE doomed');
is($node->safe_psql('postgres', q(SELECT relation IS NULL, relfilenode > 0, block FROM pg_lwprof_instances
	WHERE page_kind = 'heap')), 't|t|0', 'a dropped relation has no name any more');

$node->safe_psql('postgres', 'CREATE DATABASE elsewhere');
$node->safe_psql('elsewhere', 'CREATE EXTENSION lwp_test; CREATE TABLE far AS SELECT 1 AS a');
my @far = map { LwpTest::Session->new($node, db => 'elsewhere') } 1 .. 2;
reset_stats();
$far[0]->send("SELECT lwp_test_hold_page('far', 0, 0, 'x', 600)");
sleep(0.2);
$far[1]->query("SELECT lwp_test_hold_page('far', 0, 0, 's', 0)");
$far[0]->result;
is($node->safe_psql('postgres', q(SELECT datname, relation IS NULL, block FROM pg_lwprof_instances WHERE page_kind = 'heap')),
	'elsewhere|t|0', 'a relation of another database is named by its file only');
$_->close for @far;
$node->safe_psql('postgres', 'DROP DATABASE elsewhere');
is($node->safe_psql('postgres', q(SELECT datname IS NULL, relation IS NULL, block FROM pg_lwprof_instances WHERE page_kind = 'heap')),
	't|t|0', 'a dropped database neither');

$_->close for @s;
$node->stop;
done_testing();
