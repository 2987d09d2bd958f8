# Options of lwbench: what is refused, and how; nothing here needs a server.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../unit/driver';
use LwbenchTest;
use Test::More;

$ENV{PGHOST} = workdir();

# name, options, standard error; the exit code is 1
my @refused = (
	[ 'unknown option', '--bad-option', qr{unrecognized option}, qr{--help.*more information} ],
	[ 'no such file', '-f no-such-file', qr{could not open file "no-such-file"} ],
	[ 'a directory', '-f /', qr{could not read file "/"} ],
	[ 'no such builtin', '-b nothing', qr{no builtin script found for name "nothing"} ],
	[ 'ambiguous builtin', '-b s', qr{ambiguous builtin name} ],
	[ 'ambiguous workload', '-b wal', qr{ambiguous builtin name: 2} ],
	[ 'weight', '-b se@one', qr{invalid weight specification: \@one} ],
	[ 'negative weight', '-b se@-1', qr{weight specification out of range} ],
	[ 'weights of zero', '-b se@0', qr{total script weight must not be zero} ],
	[ 'too many scripts', '-S ' x 129, qr{at most 128 SQL scripts} ],
	[ 'clients', '-c three', qr{invalid value "three" for option -c/--clients} ],
	[ 'no clients', '-c 0', qr{-c/--clients must be in range 1\.\.2147483647} ],
	[ 'clients beyond the limit', '-c 2000000000', qr{need at least \d+ open files}, qr{RLIMIT_NOFILE} ],
	[ 'huge number', '-t 99999999999999999999', qr{-t/--transactions must be in range} ],
	[ 'threads', '-j x', qr{invalid value "x" for option -j/--jobs} ],
	[ 'time', '-T ten', qr{invalid value "ten" for option -T/--time} ],
	[ '-t and -T', '-t 1 -T 1', qr{specify either a number of transactions} ],
	[ 'rate zero', '-R 0', qr{invalid rate limit: "0"} ],
	[ 'rate nan', '-R nan', qr{invalid rate limit: "nan"} ],
	[ 'rate infinite', '-R 1e999', qr{invalid rate limit} ],
	[ 'rate with a tail', '-R 10x', qr{invalid rate limit: "10x"} ],
	[ 'latency limit', '-L 0', qr{invalid latency limit: "0"} ],
	[ 'variable', '-D foo', qr{invalid variable definition: "foo"} ],
	[ 'variable name', '-D 1x=2', qr{invalid variable name: "1x"} ],
	[ 'query mode', '-M fast', qr{invalid query mode \(-M\): "fast"} ],
	[ 'seed', '--random-seed=one', qr{unrecognized random seed option "one"} ],
	[ 'tries', '--max-tries=-1', qr{invalid number of maximum tries: "-1"} ],
	[ 'endless tries', '--max-tries=0', qr{unlimited number of transaction tries} ],
	[ 'progress', '-P 0', qr{-P/--progress must be in range} ],
	[ 'timestamp without progress', '--progress-timestamp', qr{allowed only under --progress} ],
	[ 'sampling', '-l --sampling-rate=2', qr{invalid sampling rate} ],
	[ 'sampling without log', '--sampling-rate=0.5', qr{only when logging transactions} ],
	[ 'sampling and aggregates', '-l --sampling-rate=0.5 --aggregate-interval=1', qr{cannot be used at the same time} ],
	[ 'aggregates without log', '--aggregate-interval=1', qr{only when actually logging} ],
	[ 'long interval', '-l -T 2 --aggregate-interval=3', qr{must not be higher} ],
	[ 'uneven interval', '-l -T 5 --aggregate-interval=3', qr{must be a multiple} ],
	[ 'init step', '-i -I dtx', qr{unrecognized initialization step "x"}, qr{Allowed step characters} ],
	[ 'init and run', '-i -S', qr{cannot be used in initialization} ],
	[ 'run and init', '-F 90', qr{cannot be used in benchmarking mode} ],
	[ 'fill factor', '-i -F 5', qr{-F/--fillfactor must be in range 10\.\.100} ],
	[ 'partition method', '-i --partition-method=list', qr{invalid partition method} ],
	[ 'method without partitions', '-i --partition-method=hash', qr{requires greater than zero --partitions} ],
	[ 'too many words', 'a b', qr{too many command-line arguments \(first is "b"\)} ],
	# lwbench's own
	[ 'schedule', '--rate-schedule=sometimes', qr{invalid rate schedule}, qr{expected poisson or constant} ],
	[ 'schedule without rate', '--rate-schedule=constant', qr{requires -R/--rate} ],
	[ 'schedule times', '--rate-schedule=poisson,step,5:1,1:1', qr{times must grow} ],
	[ 'warm-up with -t', '--warmup=1 -t 5', qr{--warmup is allowed only with a duration} ],
	[ 'warm-up', '--warmup=-1 -T 1', qr{invalid value "-1" for option --warmup} ],
	[ 'min clients', '-c 2 --min-clients=3', qr{must not be higher than the number of clients} ],
	[ 'sweep without time', '--sweep-clients=1,2', qr{--sweep-clients requires a duration} ],
	[ 'sweep list', '--sweep-clients=1,,2 -T 1', qr{invalid value "" for option --sweep-clients} ],
	[ 'sweep of nothing', '--sweep-clients=0 -T 1', qr{--sweep-clients must be in range} ],
	[ 'sweep and log', '--sweep-clients=1,2 -T 1 -l', qr{cannot be used with --sweep-clients} ],
	[ 'bar', '--progress-bar=maybe', qr{invalid value "maybe" for option --progress-bar} ],
	[ 'compat', '--compat=9', qr{--compat must be in range 15\.\.19} ],
	[ 'init SQL', '--init-sql=no-such-file', qr{could not open file "no-such-file"} ],
	[ 'workload to initialise', '--init-workload -S', qr{--init-workload requires a workload} ],
	[ 'dropping without log', '--log-drop', qr{only when logging} ],
);
for my $r (@refused)
{
	my ($name, $args, @patterns) = @$r;
	my ($out) = bench_fails($name, 1, [ split ' ', $args ], @patterns);
	is($out, '', "$name: nothing on standard output");
}

# scripts
my @scripts = (
	[ "\\set i 1 +\n", qr{syntax error in command "set"}, qr{\\set i 1 \+}, qr{\^ error found here} ],
	[ "SELECT 1;\n\n\\nosuch\n", qr{:3: invalid command in command "nosuch"} ],
	[ "\\if 1\n", qr{condition error in script .* command 2: \\if without matching \\endif} ],
	[ "\\set i noSuch(1)\n", qr{unexpected function name \(noSuch\)} ],
	[ "\\set i " . ('(' x 100000) . "\n", qr{nested too deeply} ],
	[ "", qr{empty command list for script} ],
	[ "SELECT " . join(',', (':a') x 256) . ";\n", qr{statement has too many arguments \(maximum is 255\)} ],
);
for my $i (0 .. $#scripts)
{
	my ($text, @patterns) = @{ $scripts[$i] };
	bench_fails("bad script $i", 1, [ '-M', 'extended', '-f', spew('bad.sql', $text) ], @patterns);
}

bench_ok('help', ['--help'], qr{benchmarking tool for PostgreSQL}, qr{Initialization options},
	qr{--sweep-clients}, qr{Report bugs to});
bench_ok('version', ['-V'], qr{^lwbench \(pg_lwprof\) [\d.]+, like pgbench \(PostgreSQL\) \d+}m);
bench_ok('list', [ '-b', 'list' ], qr{tpcb-like: <builtin: TPC-B},
	map { qr{^\s+$_: }m } qw(wal-insert wal-write proc-array xact-slru subtrans-slru multixact-slru
	  buffer-mapping buffer-content lock-manager predicate-lock notify-queue));
bench_ok('every workload names its wait event', [ '-b', 'list' ], map { qr{stresses $_: \S} }
	  qw(WALInsert WALWrite ProcArray XactSLRU SubtransSLRU MultiXactMemberSLRU BufferMapping
	  BufferContent LockManager PredicateLockManager NotifyQueue));
bench_ok('show script', [ '--show-script=se' ], qr{-- select-only: .*SELECT abalance FROM}s);
bench_ok('show workload', [ '--show-script=notify' ], qr{-- notify-queue: .*CALL lwbench\.}s);

# under the name pgbench: its version line and its release's meaning of -d
symlink $lwbench, workdir() . '/pgbench' or die;
my $pgbench = workdir() . '/pgbench';
my ($code, $out, $err) = run_bench(\$pgbench, '-V');
like($out, qr{^pgbench \(PostgreSQL\) \d+\.}, 'pgbench -V');
($code, $out, $err) = run_bench(\$pgbench, '-d', '--no-such');
like($err, qr{unrecognized option '--no-such'}, 'pgbench -d takes no argument');
($code, $out, $err) = run_bench('-d', '--no-such', '-t', '1');
unlike($err, qr{unrecognized option}, 'lwbench -d takes a database name');
is($code, 1, 'and fails to connect');
like($err, qr{could not create connection for setup}, 'with a message');
done_testing();
