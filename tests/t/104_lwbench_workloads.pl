# Each workload makes its target lock hot: with 32 clients it waits for it at
# least five times as often per transaction as the TPC-B-like script does, or
# it is the lock most waited for. Measured with pg_lwprof where that is
# installed, otherwise with samples of pg_stat_activity.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../unit/driver';
use LwbenchTest;
use PostgreSQL::Test::Cluster;
use Test::More;
use Time::HiRes qw(time usleep);

my $node = PostgreSQL::Test::Cluster->new('lwbench_workloads');
my $sharedir = `pg_config --sharedir`;
chomp $sharedir;
my $profiled = -e "$sharedir/extension/pg_lwprof.control";
$node->init(extra => [ '--locale', 'C' ]);
$node->append_conf('postgresql.conf', "max_connections = 60\nfsync = on\nlog_statement = none\nshared_buffers = '64MB'\nmax_wal_size = '2GB'\n"
	  . ($profiled ? "shared_preload_libraries = 'pg_lwprof'\n" : ''));
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGDATABASE} = 'postgres';
$node->safe_psql('postgres', 'create extension pg_lwprof') if $profiled;
note($profiled ? 'measured with pg_lwprof' : 'pg_lwprof is not installed: samples of pg_stat_activity');

my %target = ('wal-insert' => 'WALInsert', 'wal-write' => 'WALWrite', 'proc-array' => 'ProcArray',
	'xact-slru' => 'XactSLRU', 'subtrans-slru' => 'SubtransSLRU', 'multixact-slru' => 'MultiXactMemberSLRU',
	'buffer-mapping' => 'BufferMapping', 'buffer-content' => 'BufferContent', 'lock-manager' => 'LockManager',
	'predicate-lock' => 'PredicateLockManager', 'notify-queue' => 'NotifyQueue');

# waits of group members for their leader belong to the leader's lock
my %same = ('ProcArrayGroupUpdate' => 'ProcArray', 'XactGroupUpdate' => 'XactSLRU');

# waiting sessions by lock, and the transactions of the run
sub run_and_watch
{
	my (@script) = @_;
	my %seen;
	my $path = workdir() . '/run.json';
	my ($out, $err) = ('', '');
	my @args = ('-n', '-c', 32, '-j', 1, '-T', 5, @script, "--json=$path", $profiled ? '--profile' : ());
	my $h = IPC::Run::start([ $lwbench, @args ], '<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(120));
	if ($profiled) { $h->finish }
	else
	{
		while ($h->pumpable)
		{
			my $rows = $node->safe_psql('postgres', q{select wait_event, count(*) from pg_stat_activity
			  where wait_event_type = 'LWLock' or wait_event in ('ProcArrayGroupUpdate', 'XactGroupUpdate') group by 1});
			for (split /\n/, $rows) { my ($w, $n) = split /\|/; $seen{ $same{$w} // $w } += $n }
			$h->pump_nb;
			usleep(20_000);
		}
		$h->finish;
	}
	is($h->full_result(0), 0, "@script: exit code") or diag("$out\n$err");
	my $run = JSON::PP->new->decode(slurp($path))->{run};
	if ($profiled)
	{
		for my $l (@{ $run->{lock_profile}{locks} })
		{
			$seen{ $l->{wait_event} } = $l->{wait_ms} // $l->{sampled_wait_ms} // 0;
		}
	}
	return (\%seen, $run->{statistics}{transactions});
}

bench_ok('tables of the TPC-B-like script', [ '-i', '-q' ]);
my ($base, $base_n) = run_and_watch('-b', 'tpcb-like');
for my $name (sort keys %target)
{
	bench_ok("$name: initialisation", [ '-i', '-b', $name ], qr{initializing workload $name\.\.\.\ndone in});
	my ($seen, $n) = run_and_watch('-b', $name);
	my $lock = $target{$name};
	my $per = ($seen->{$lock} // 0) / $n;
	my $per_base = ($base->{$lock} // 0) / $base_n;
	my ($top) = sort { $seen->{$b} <=> $seen->{$a} || $a cmp $b } keys %$seen;
	ok($per > 0 && $n > 0 && ($per >= 5 * $per_base || ($top // '') eq $lock),
		sprintf '%s: %s %.4f per transaction, TPC-B-like %.4f; most waited for: %s', $name, $lock, $per, $per_base, $top // 'nothing');
}
bench_ok('initialised on the way', [ '-n', '-b', 'notify-queue', '--init-workload', '-c', 2, '-t', 2 ], qr{initializing workload notify-queue}, qr{actually processed: 4/4});
bench_fails('a workload without its objects', 2, [ '-n', '-b', 'lock-manager', '-t', 1, '-d', 'template1' ], qr{relation "lwbench\.lock_manager" does not exist});

# --profile where the extension is not
my ($out, $err) = bench_ok('no profile without the extension', [ '-n', '-f', spew('one.sql', 'SELECT 1;'), '-t', 1, '--profile', '-d', 'template1' ],
	qr{warning: no lock profile: extension pg_lwprof is not installed in database "template1"\n});
unlike($out, qr{lock profile of}, 'just that line');
SKIP:
{
	skip 'pg_lwprof is not installed', 6 unless $profiled;
	my $path = workdir() . '/profile.json';
	($out) = bench_ok('profile', [ '-n', '-b', 'buffer-content', '-c', 16, '-T', 2, "--profile=$path", '--init-workload' ],
		qr{^tps = .*^lock profile of these 2\.\d+ s \(pg_lwprof, mode (detour|wait_event)}ms);
	my $doc = JSON::PP->new->decode(slurp($path));
	is($doc->{format}, 'lwbench-lock-profile', 'file of --profile');
	my ($l) = grep { $_->{wait_event} eq 'BufferContent' } @{ $doc->{windows}[0]{locks} };
	ok($l && ($l->{sampled_wait_ms} // $l->{wait_ms}) > 0, 'with the waits of the window');
	my $sweep = workdir() . '/sweep.json';
	bench_ok('profile of each step', [ '-n', '-b', 'buffer-content', '--sweep-clients=1,4', '-T', 1, '--warmup=0', "--json=$sweep", '--profile' ]);
	$doc = JSON::PP->new->decode(slurp($sweep));
	is(scalar(grep { defined $_->{lock_profile} } @{ $doc->{sweep} }), 2, 'a profile for each step');
}
$node->stop;
done_testing();
