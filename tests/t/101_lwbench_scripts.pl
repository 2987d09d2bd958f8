# What pgbench does, done by lwbench against a real server: initialisation,
# scripts, query modes, errors, retries, pipelines, logs.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../unit/driver';
use LwbenchTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('lwbench_scripts');
$node->init(extra => [ '--locale', 'C' ]);
$node->append_conf('postgresql.conf', "max_connections = 60\nfsync = off");
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGDATABASE} = 'postgres';
sub sql { return $node->safe_psql('postgres', $_[0]) }

# ---- initialisation ----
bench_fails('run before -i', 1, ['-S'], qr{could not count number of branches},
	qr{Perhaps you need to do initialization \("lwbench -i"\) in database "postgres"});
bench_ok('initialisation', [ '-i', '-s', '2' ], qr{creating tables}, qr{generating data \(client-side\)},
	qr{200000 of 200000 tuples \(100%\)}, qr{vacuuming}, qr{creating primary keys}, qr{done in [\d.]+ s \(drop tables});
is(sql('select count(*), sum(bid), max(aid) from pgbench_accounts'), '200000|300000|200000', 'accounts');
is(sql('select count(*), count(distinct bid), max(tid) from pgbench_tellers'), '20|2|20', 'tellers');
is(sql(q{select string_agg(distinct attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attname || ' ' || format_type(atttypid, atttypmod))
  from pg_attribute where attrelid = 'pgbench_accounts'::regclass and attnum > 0}),
	'abalance integer, aid integer, bid integer, filler character(84)', 'columns of accounts');
bench_ok('all steps and options', [ qw(-i -I dtGvpf -n --unlogged-tables -F 70 --partitions=3 -q) ],
	qr{generating data \(server-side\)}, qr{creating 3 partitions}, qr{creating foreign keys});
is(sql(q{select count(*) from pg_inherits where inhparent = 'pgbench_accounts'::regclass}), 3, 'partitions');
is(sql(q{select count(*) from pg_constraint where contype = 'f' and conparentid = 0 and conrelid::regclass::text in ('pgbench_history', 'pgbench_tellers', 'pgbench_accounts')}), 5, 'foreign keys');
is(sql(q{select pg_get_expr(relpartbound, oid) from pg_class where relname = 'pgbench_accounts_2'}),
	'FOR VALUES FROM (33335) TO (66669)', 'range of a partition');
bench_ok('hash partitions', [ qw(-i --partitions=2 --partition-method=hash -q) ], qr{creating 2 partitions});
is(sql(q{select pg_get_expr(relpartbound, oid) from pg_class where relname = 'pgbench_accounts_2'}),
	'FOR VALUES WITH (modulus 2, remainder 1)', 'hash partition');
bench_ok('partitions in the report', [ '-t', '1', '-S', '-n' ], qr{partition method: hash\npartitions: 2});
bench_ok('back to plain tables', [ '-i', '-q' ]);

# ---- builtin scripts, query modes, threads ----
for my $mode (qw(simple extended prepared))
{
	for my $c ([ 1, 1 ], [ 7, 2 ], [ 3, 9 ])
	{
		my ($clients, $threads) = @$c;
		my $used = $threads < $clients ? $threads : $clients;
		bench_ok("$mode, $clients clients, $threads threads",
			[ '-n', '-t', 10, '-c', $clients, '-j', $threads, '-M', $mode, '-b', 'tpcb@1', '-b', 'si', '-S' ],
			qr{transaction type: multiple scripts}, qr{query mode: $mode}, qr{number of clients: $clients\n},
			qr{number of threads: $used\n},
			qr{actually processed: @{[ 10 * $clients ]}/@{[ 10 * $clients ]}}, qr{number of failed transactions: 0 \(0\.000%\)});
	}
}
is(sql(q{select sum(abalance) = (select sum(delta) from pgbench_history) from pgbench_accounts}), 't',
	'TPC-B invariant holds');
bench_ok('connect each', [ qw(-n -C -t 5 -c 3 -j 2 -S) ], qr{average connection time = \d}, qr{including reconnection times});
my ($out) = bench_fails('aborted clients', 2, [ '-n', '-c', 3, '-t', 1000000000, '-f', spew('div.sql', 'SELECT 1/0;') ],
	qr{client 0 script 0 aborted in command 0 query 0: ERROR:  division by zero},
	qr{Run was aborted; the above results are incomplete});
like($out, qr{actually processed: 0/3000000000\n}, 'three thousand million transactions are printed as such');
unlike($out, qr{nan}i, 'no NaN');

# ---- expressions and variables ----
my ($o, $e) = bench_ok('expressions', [ '-n', '-t', 1, '--random-seed=5432', '-D', 'foo=-10.1', '-D', 'n=null', '-f',
		spew('expr.sql', <<'SQL') ],
\set i1 debug(random(10, 19))
\set i2 debug(random_exponential(100, 199, 10.0))
\set i3 debug(random_gaussian(1000, 1999, 10.0))
\set z debug(random_zipfian(1, 9, 1.3))
\set d debug(double(1 + 1) * (-75.0 / :foo))
\set n debug(:n is null)
\set h debug(hash(10, 5432))
\set c debug(case when :i1 = 17 then 32 else 0 end)
\set rs debug(:random_seed)
\set ci debug(:client_id)
\set sc debug(:scale)
SELECT :i1 AS one \gset q_
\set q debug(:q_one + 1)
\; SELECT 6 AS i6 \; SELECT 7 AS i7 \; \aset
\set s debug(:i6 + :i7)
SQL
	qr{setting random seed to 5432}, qr{command=1\): int 17\n}, qr{command=2\): int 104\n}, qr{command=3\): int 1498\n},
	qr{command=4\): int 3\n}, qr{command=5\): double 14\.85}, qr{command=6\): boolean true},
	qr{command=7\): int -5817877081768721676}, qr{command=8\): int 32}, qr{command=9\): int 5432},
	qr{command=10\): int 0}, qr{command=11\): int 1\n}, qr{command=13\): int 18\n}, qr{command=15\): int 13\n});
# every client its own sequence, every run the same
my %runs;
for my $run (1, 2)
{
	my (undef, $text) = bench_ok("seeded run $run", [ '-n', '-c', 4, '-j', 2, '-t', 20, '--random-seed=42', '-f',
		spew('seed.sql', "\\set x debug(:client_id * 1000000 + random(1, 100000))\n") ]);
	$runs{$run} = join ',', sort { $a <=> $b } $text =~ /: int (\d+)/g;
}
is($runs{1}, $runs{2}, 'same seed, same sequence');
is(scalar(split /,/, $runs{1}), 80, 'of all clients');

# ---- conditionals, shell, sleep ----
($o, $e) = bench_ok('conditionals', [ '-n', '-t', 1, '-f', spew('if.sql', <<'SQL') ], qr{int 1\b.*int 4\b.*int 5\b.*int 8\b}s);
\if 1 > 0
\set a debug(1)
\elif 1
SELECT 1/0;
\else
SELECT 1/0;
\endif
\if null
SELECT 1/0;
  \if 1
  SELECT 1/0;
  \endif
\elif 0
SELECT 1/0;
\elif 2
  \if 0
  SELECT 1/0;
  \else
  \set b debug(4)
  \endif
\set c debug(5)
\else
SELECT 1/0;
\endif
\if 0
\endif
\set d debug(8)
SQL
is(() = $e =~ /debug\(/g, 4, 'only the branches that are true');
bench_ok('shell', [ '-n', '-t', 2, '-f', spew('shell.sql', <<'SQL') ], qr{out :x 3\n.*out :x 3\n}s, qr{int 42\b});
\set v 3
\shell echo out ::x :v
\setshell r echo 42
\set r debug(:r)
SQL
my @shell_errors = (
	[ '\shell exit 3', qr{could not launch shell command} ],
	[ '\setshell v true', qr{could not read result of shell command} ],
	[ '\setshell v echo 1x', qr{must return an integer \(not "1x} ],
	[ '\setshell v echo 99999999999999999999', qr{must return an integer} ],
	[ '\shell echo :nosuch', qr{undefined variable ":nosuch"} ]);
bench_fails("shell: $_->[0]", 2, [ '-n', '-t', 1, '-f', spew('se.sql', $_->[0]) ], $_->[1], qr{meta-command failed})
  for @shell_errors;
my $slow = json_of('-n', '-t', 3, '-c', 2, '-f', spew('sleep.sql', "\\sleep 20ms\n\\set w 10\n\\sleep :w ms\n"));
cmp_ok($slow->{run}{statistics}{latency}{min_ms}, '>=', 30, '\sleep sleeps');
cmp_ok($slow->{run}{statistics}{latency}{min_ms}, '<', 1000, 'and not for seconds');
# a slow child of one client holds up nobody else
my $beside = json_of('-n', '-T', 1, '-c', 2, '-f', spew('beside.sql', "\\if :client_id = 0\n\\shell sleep 2\n\\else\n\\sleep 10 ms\n\\endif\n"));
cmp_ok($beside->{run}{statistics}{transactions}, '>', 20, 'a shell command of one client does not stop the other');

# ---- errors ----
my @errors = (
	[ '\set i 1/0', qr{division by zero} ], [ '\set i :nosuch', qr{undefined variable "nosuch"} ],
	[ '\set . 1', qr{invalid variable name} ], [ '\set i random(5,3)', qr{empty range given to random} ],
	[ '\set i least(' . join(',', 0 .. 16) . ')', qr{too many function arguments, maximum is 16} ],
	[ '\sleep :nosuch', qr{sleep: undefined variable "nosuch"} ], [ "\\set w 'x'", qr{unexpected character} , 1 ],
	[ 'SELECT 1 + ;', qr{ERROR:  syntax error} ], [ 'SELECT WHERE false \gset', qr{expected one row, got 0} ],
	[ 'SELECT 1 UNION SELECT 2 \gset', qr{expected one row, got 2} ],
	[ 'SELECT 1 AS "bad name" \gset', qr{error storing into variable bad name} ],
	[ 'COPY pgbench_accounts FROM stdin;', qr{COPY is not supported in lwbench, aborting} ],
	[ 'COPY pgbench_branches TO stdout;', qr{COPY is not supported in lwbench, aborting} ],
	[ 'BEGIN; SELECT 1;', qr{end of script reached without completing the last transaction} ],
	[ '\startpipeline', qr{cannot use pipeline mode with the simple query protocol} ],
	[ 'SELECT pg_terminate_backend(pg_backend_pid());', qr{terminating connection|backend died} ]);
bench_fails("error: $_->[0]", $_->[2] || 2, [ '-n', '-t', 2, '-f', spew('err.sql', $_->[0]) ], $_->[1]) for @errors;
bench_fails('prepare error', 2, [ '-n', '-t', 1, '-M', 'prepared', '-f', spew('err.sql', 'SELECT 1 + ;') ],
	qr{ERROR:  syntax error}, qr{prepared statement .* does not exist});
($out) = bench_fails('other clients go on', 2, [ '-n', '-t', 20, '-c', 4, '-f', spew('one.sql', "\\if :client_id = 2\nSELECT 1/0;\n\\endif\nSELECT 1;\n") ],
	qr{client 2 script 0 aborted});
like($out, qr{actually processed: 60/80}, 'the others have finished');
($out) = bench_fails('exit on abort', 2, [ '-n', '-T', 60, '-c', 4, '-j', 2, '--exit-on-abort', '-f', spew('one.sql', "\\if :client_id = 2\nSELECT 1/0;\n\\endif\nSELECT pg_sleep(0.01);\n") ],
	qr{Run was aborted due to an error in thread \d});
unlike($out, qr{actually processed}, '--exit-on-abort prints no results');
my $cont = json_of('-n', '-t', 10, '-c', 2, '--continue-on-error', '-r', '-f', spew('mod.sql', "\\set x random(1, 1)\nBEGIN;\nSELECT 1 / (:x - 1);\nEND;\n"));
is($cont->{run}{statistics}{failed}{other}, 20, '--continue-on-error counts failures');
is($cont->{run}{statistics}{transactions}, 0, 'and no success');
is($cont->{run}{scripts}[0]{commands}[2]{failures}, 20, 'per command');
is($cont->{run}{exit_code}, 0, 'with exit code 0');

# ---- serialization failures and deadlocks ----
sql('create table xy (x int primary key, y int); insert into xy select g, 0 from generate_series(1, 2) g');
my $serial = spew('serial.sql', <<'SQL');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT y FROM xy WHERE x = 1;
\sleep 2 ms
UPDATE xy SET y = y + 1 WHERE x = 1;
END;
SQL
my $r = json_of('-n', '-c', 8, '-t', 25, '--max-tries=100', '--failures-detailed', '-r', '-f', $serial);
my $s = $r->{run}{statistics};
is($s->{transactions} + $s->{failed}{total}, 200, 'every transaction ends one way');
cmp_ok($s->{retries}, '>', 0, 'there were retries');
cmp_ok($s->{retries}, '>=', $s->{retried}, 'at least one for each retried transaction');
is(sql('select y from xy where x = 1'), $s->{transactions}, 'each success is in the table once');
is($r->{run}{scripts}[0]{commands}[3]{retries} + $r->{run}{scripts}[0]{commands}[4]{retries}, $s->{retries}, 'retries by command');
$r = json_of('-n', '-c', 8, '-t', 25, '--failures-detailed', '-f', $serial);
$s = $r->{run}{statistics};
cmp_ok($s->{failed}{serialization}, '>', 0, 'without retries they fail');
is($s->{failed}{total}, $s->{failed}{serialization}, 'and are told apart');
my $dead = spew('dead.sql', "\\set a 1 + :client_id % 2\n\\set b 3 - :a\nBEGIN;\nUPDATE xy SET y = y WHERE x = :a;\n\\sleep 5 ms\nUPDATE xy SET y = y WHERE x = :b;\nEND;\n");
sql(q{alter system set deadlock_timeout = '10ms'}); $node->reload;
$r = json_of('-n', '-c', 2, '-t', 10, '--max-tries=20', '-f', $dead);
is($r->{run}{statistics}{transactions}, 20, 'deadlocks are retried');
cmp_ok($r->{run}{statistics}{retried}, '>', 0, 'there were some');
bench_ok('verbose errors', [ '-n', '-c', 2, '-t', 5, '--max-tries=20', '--verbose-errors', '-f', $dead ],
	qr{client \d got an error in command \d \(SQL\) of script 0; ERROR:  deadlock detected},
	qr{client \d repeats the transaction after the error \(try 1/20\)});

# ---- pipelines ----
my $pipe = spew('pipe.sql', "\\startpipeline\nBEGIN ISOLATION LEVEL SERIALIZABLE;\n" . "SELECT 1;\n" x 50 . "\\syncpipeline\nSELECT 2;\nEND;\n\\endpipeline\n\\startpipeline\n\\endpipeline\nSELECT 3;\n");
bench_ok("pipeline, $_", [ '-n', '-t', 20, '-c', 3, '-M', $_, '-f', $pipe ], qr{actually processed: 60/60}) for qw(extended prepared);
bench_ok('a pipeline of large answers', [ '-n', '-t', 5, '-c', 3, '-M', 'extended', '-f',
	spew('bigpipe.sql', "\\startpipeline\n" . "SELECT repeat('x', 100000) FROM generate_series(1, 5);\n" x 20 . "\\endpipeline\n") ], qr{actually processed: 15/15});
bench_ok('a pipeline of large queries', [ '-n', '-t', 3, '-c', 2, '-M', 'extended', '-f',
	spew('wide.sql', "\\startpipeline\n" . ("SELECT length('" . 'y' x 200000 . "');\n") x 20 . "\\endpipeline\n") ], qr{actually processed: 6/6});
my @pipe_errors = (
	[ "\\startpipeline\n\\startpipeline\n", qr{already in pipeline mode} ], [ "\\endpipeline\n", qr{not in pipeline mode} ],
	[ "\\syncpipeline\n", qr{not in pipeline mode} ], [ "\\startpipeline\nSELECT 1 \\gset\n\\endpipeline\n", qr{gset is not allowed in pipeline mode} ],
	[ "\\startpipeline\nSELECT 1;\n", qr{end of script reached with pipeline open} ],
	[ "\\startpipeline\nSELECT 1/0;\nSELECT 2;\n\\endpipeline\n", qr{division by zero} ]);
bench_fails("pipeline: $_->[1]", 2, [ '-n', '-t', 2, '-M', 'extended', '-f', spew('pe.sql', $_->[0]) ], $_->[1]) for @pipe_errors;
$r = json_of('-n', '-t', 10, '-M', 'extended', '--continue-on-error', '-f', spew('pe.sql', "\\startpipeline\nSELECT 1;\nSELECT 1/0;\nSELECT 2;\n\\syncpipeline\nSELECT 3;\n\\endpipeline\n"));
is($r->{run}{statistics}{failed}{other}, 10, 'a failed pipeline is discarded up to its end');

# ---- logs ----
my $prefix = workdir() . '/log';
bench_ok('log', [ '-n', '-S', '-c', 4, '-j', 2, '-t', 50, '-l', "--log-prefix=$prefix" ], qr{^log: \Q$prefix\E\.\d+, 200 lines}m);
my @files = log_files($prefix);
is(scalar @files, 1, 'one merged log file');
my @lines = split /\n/, slurp($files[0]);
is(scalar(grep { /^[0-3] \d+ \d+ 0 \d+ \d+$/ } @lines), 200, 'form of the lines');
my $last = 0;
my $disorder = grep { my @f = split ' '; my $t = $f[4] * 1e6 + $f[5]; my $bad = $t < $last; $last = $t; $bad } @lines;
is($disorder, 0, 'in time order');
unlink @files;
bench_ok('log per thread', [ '-n', '-S', '-c', 4, '-j', 2, '-t', 50, '-l', "--log-prefix=$prefix", '--log-per-thread', '-R', 5000, '--max-tries=2' ]);
@files = log_files($prefix);
is(scalar @files, 2, 'a file per thread');
like($files[1], qr/\.\d+\.1$/, 'with the thread number');
is(scalar(grep { /^\d \d+ \d+ 0 \d+ \d+ \d+ 0$/ } map { split /\n/, slurp($_) } @files), 200, 'with lag and retries');
unlink @files;
bench_ok('sampling', [ '-n', '-S', '-t', 1000, '-l', "--log-prefix=$prefix", '--sampling-rate=0.2', '--random-seed=7' ]);
my $sampled = () = slurp((log_files($prefix))[0]) =~ /\n/g;
ok($sampled > 130 && $sampled < 270, "a fifth of the lines ($sampled)");
unlink log_files($prefix);
$node->stop;
done_testing();
