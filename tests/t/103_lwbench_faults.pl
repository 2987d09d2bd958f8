# Servers that misbehave, thousands of connections, odd limits: a stand-in
# server does what no real one can be asked to.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../unit/driver';
use LwbenchTest;
use Test::More;

$ENV{PGDATABASE} = 'x';
$ENV{PGUSER} = 'x';
delete $ENV{PGPORT};
my $one = spew('one.sql', "SELECT 1;\n");

sub on { my ($host, @args) = @_; return ('-h', $host, '-n', '-f', $one, @args) }

# ---- a good one first ----
my $good = fake_server();
bench_ok("$_ mode", [ on($good, '-M', $_, '-t', 100, '-c', 5) ], qr{actually processed: 500/500}) for qw(simple extended prepared);

# ---- thousands of clients ----
{
	my $r = json_of(on($good, '-M', 'prepared', '-c', 5000, '-T', 3, '-j', 2))->{run};
	is($r->{clients}, 5000, '5000 clients');
	cmp_ok($r->{driver}{fairness}, '>=', 0.99, "fairness (Jain) $r->{driver}{fairness}");
	is($r->{statistics}{failed}{total} + $r->{clients_aborted}, 0, 'nothing failed');
	cmp_ok($r->{statistics}{transactions}, '>', 5000, 'everybody had a turn');
}
# more than the soft limit of descriptors: it is raised
my ($code, $out, $err) = run_bench(\'/bin/sh', '-c', "ulimit -S -n 64; exec '$lwbench' " . join(' ', on($good, '-c', 300, '-t', 2)));
is($code, 0, 'a low soft limit is raised') or diag($err);
if ($> != 0)
{
	($code, $out, $err) = run_bench(\'/bin/sh', '-c', "ulimit -n 64; exec '$lwbench' " . join(' ', on($good, '-c', 300, '-t', 2)));
	is($code, 1, 'a hard limit is not');
	like($err, qr{need at least \d+ open files, but system limit is 64}, 'and named');
}
bench_ok('more threads than clients', [ on($good, '-c', 3, '-j', 64, '-t', 5) ], qr{number of threads: 3\n});
bench_ok('many threads', [ on($good, '-c', 200, '-j', 200, '-t', 2) ], qr{actually processed: 400/400});

# ---- refusals ----
my $late = fake_server('--refuse-after=1');
bench_fails('refused after the setup connection', 1, [ on($late, '-c', 4, '-t', 1, '--connect-retries=0') ],
	qr{sorry, too many clients already}, qr{could not create connection for client 0}, qr{4 of 4 clients could not connect});
bench_ok('refused, but some came through', [ on(fake_server('--refuse-after=3'), '-c', 4, '-t', 1, '--connect-retries=0', '--min-clients=2') ],
	qr{number of clients: 2\n}, qr{could not connect: 2 of 4}, qr{actually processed: 2/2});
{
	local $ENV{PGCONNECT_TIMEOUT} = 1;
	bench_fails('no answer to a connection', 1, [ on(fake_server('--silent-connect=1'), '-c', 2, '-t', 1, '--connect-retries=0') ],
		qr{connection attempt timed out}, qr{2 of 2 clients could not connect});
}

# ---- broken off ----
my %faults = ('--fail-after=5' => qr{terminating connection due to administrator command},
	'--close-after=5' => qr{backend died|server closed the connection|no results|command 0},
	'--garbage-after=5' => qr{aborted in command|lost synchronization});
for my $fault (sort keys %faults)
{
	for my $mode (qw(simple prepared))
	{
		my ($out) = bench_fails("$fault, $mode", 2, [ on(fake_server($fault), '-M', $mode, '-c', 3, '-t', 10) ], $faults{$fault},
			qr{Run was aborted; the above results are incomplete});
		like($out, qr{actually processed: \d+/30}, "$fault, $mode: partial results");
	}
	my $r = json_of(on(fake_server($fault), '-c', 3, '-t', 10, '--reconnect-on-failure'))->{run};
	my $s = $r->{statistics};
	is($s->{transactions} + $s->{failed}{total}, 30, "$fault with --reconnect-on-failure: all transactions end");
	cmp_ok($s->{failed}{connection}, '>=', 3, 'failures counted');
	is($r->{exit_code}, 0, 'exit code 0');
}
# a server that stops answering: SIGINT-like end through -T is not possible, the grace of a stop is
{
	my ($out, $err) = ('', '');
	my $h = IPC::Run::start([ $lwbench, on(fake_server('--hang-after=5'), '-c', 2, '-T', 60, '--stop-grace=0.2') ], '<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(30));
	sleep 1;
	$h->signal('INT');
	$h->finish;
	is($h->full_result(0) >> 8, 130, 'a hanging server can be left');
	like($out, qr{2 transactions cut off}, 'and what hung is counted');
}
# slow answers, many rows, large rows
bench_ok('slow answers', [ on(fake_server('--delay-us=20000'), '-c', 20, '-t', 5) ], qr{latency min (19|[2-9]\d|\d{3,})\.});
bench_ok('large answers', [ on(fake_server('--rows=300', '--pad=2000'), '-c', 5, '-t', 5, '-M', $_) ], qr{actually processed: 25/25}) for qw(simple extended prepared);
my $r = json_of(on(fake_server('--error-every=3'), '-c', 2, '-t', 30, '--max-tries=2'))->{run}{statistics};
is($r->{transactions} + $r->{failed}{total}, 60, 'serialization errors: all transactions end');
cmp_ok($r->{retried}, '>', 0, 'some after a retry');

# ---- logs and a full disk ----
SKIP:
{
	skip 'no /dev/full', 2 unless -e '/dev/full';
	# the prefix names a symbolic link that the program will open as prefix.pid
	my $dir = workdir() . '/full';
	mkdir $dir;
	my ($code, $out, $err) = run_bench(\'/bin/sh', '-c',
		"ln -s /dev/full $dir/log.\$\$; exec '$lwbench' " . join(' ', on($good, '-c', 2, '-t', 5000, '-l', "--log-prefix=$dir/log")));
	is($code, 2, 'full disk: exit code') or diag("$out\n$err");
	like($err, qr{could not write to log file .*No space left on device}, 'message');
	like($err, qr{10000 log lines were lost}, 'how many lines');
	like($out, qr{actually processed: 10000/10000}, 'the run goes on');
}

# ---- standard output that cannot be written, files that are no text ----
($code, $out, $err) = run_bench(\'/bin/sh', '-c', "exec '$lwbench' " . join(' ', on($good, '-t', 2)) . ' >/dev/full');
is($code, 1, 'full standard output: exit code');
like($err, qr{could not write to standard output: No space left on device}, 'and message');
($code, $out, $err) = run_bench(\'/bin/sh', '-c', "exec '$lwbench' " . join(' ', on($good, '-t', 2)) . ' >&- <&-');
is($code, 0, 'closed standard files') or diag($err);
bench_fails('a null byte in a script', 1, [ '-h', $good, '-n', '-f', spew('nul.sql', "SELECT 1;\0SELECT 2;") ], qr{contains a null byte});
bench_ok('the smallest latency limit is one', [ on($good, '-t', 5, '-L', '0.0000001') ], qr{above the 0\.0 ms latency limit: 5/5});

# ---- what a no-op script does to the others ----
my $mix = json_of('-h', $good, '-n', '-c', 2, '-T', 1, '-f', spew('mix.sql', "\\if :client_id = 0\n\\set x 1\n\\else\nSELECT 1;\n\\endif\n"))->{run};
cmp_ok($mix->{statistics}{transactions}, '>', 1000, 'no-op scripts run');
done_testing();
