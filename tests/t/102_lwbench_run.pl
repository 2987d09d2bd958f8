# What lwbench does beyond pgbench, against a real server: the clock, the
# common window, schedules, histograms, logs, signals, restarts, sweeps, JSON.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/../unit/driver';
use LwbenchTest;
use PostgreSQL::Test::Cluster;
use Test::More;
use Time::HiRes qw(time usleep);

my $node = PostgreSQL::Test::Cluster->new('lwbench_run');
$node->init(extra => [ '--locale', 'C' ]);
$node->append_conf('postgresql.conf', "max_connections = 130\nfsync = off\nsuperuser_reserved_connections = 3");
$node->start;
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGDATABASE} = 'postgres';
bench_ok('initialisation', [ '-i', '-q' ]);
my $prefix = workdir() . '/log';

# ---- the clock starts when everybody is connected ----
my $r = json_of('-n', '-c', 100, '-j', 2, '-T', 1, '-f', spew('sleep.sql', "\\sleep 100 ms\nSELECT 1;\n"), '-P', 1);
my $run = $r->{run};
cmp_ok($run->{rate}{elapsed_s}, '>=', 1, 'the whole time is for running');
cmp_ok($run->{statistics}{transactions}, '>', 600, 'connecting takes nothing of it');
is($run->{connections}{time}{count}, 100, 'connection times of all clients');
cmp_ok($run->{connections}{initial_wall_s}, '>=', $run->{connections}{time}{max_ms} / 1000 * 0.99, 'all of them before GO');
my (undef, $err) = bench_ok('first progress line', [ '-n', '-c', 50, '-T', 2, '-P', 1, '-f', workdir() . '/sleep.sql' ],
	qr{progress: 1\.\d s, \d+\.\d tps, lat \d+\.\d+ ms stddev \d+\.\d+, 0 failed, p50 \d+\.\d+ p95 .* max \d+\.\d+ ms});
my @tps = $err =~ /progress: \S+ s, ([\d.]+) tps/g;
cmp_ok($tps[0], '>', 0.5 * $tps[1], 'counts running clients only');

# ---- late threads do not change the rate (the experiment with sleep before pthread_create) ----
my @late = ('-n', '-j', 4, '-c', 4, '-t', 100, '-f', spew('ms.sql', "\\sleep 5 ms\nSELECT 1;\n"));
my $in_time = json_of(@late)->{run}{rate}{tps};
{
	local $ENV{LWBENCH_TEST_THREAD_DELAY_MS} = 300;
	my $rate = json_of(@late)->{run}{rate};
	ok($rate->{tps} > 0.7 * $in_time && $rate->{tps} < 1.4 * $in_time, "tps $rate->{tps} with late threads, $in_time without");
	cmp_ok($rate->{elapsed_s}, '<', 1.5, 'the delay is not part of the run');
}
# a thread that ends early does not dilute the rate
my $early = json_of('-n', '-j', 2, '-c', 2, '-t', 100, '-f', spew('early.sql', "\\if :client_id = 0\n\\sleep 2 ms\n\\else\n\\sleep 10 ms\n\\endif\n"));
my $rate = $early->{run}{rate};
cmp_ok($rate->{window_s}, '<', 0.6 * $rate->{elapsed_s}, 'the common window ends with the first thread');
cmp_ok($rate->{tps}, '>', 1.3 * $rate->{whole_tps}, 'and its rate is that of both threads');
is(scalar @{ $early->{run}{per_thread} }, 2, 'start and end of each thread are recorded');

# ---- schedules ----
for my $kind (qw(poisson constant))
{
	my $run = json_of('-n', '-S', '-c', 4, '-j', 2, '-T', 2, '-R', 200, "--rate-schedule=$kind")->{run};
	my $n = $run->{statistics}{transactions};
	my $slack = $kind eq 'constant' ? 12 : 80;
	ok(abs($n - 400) <= $slack, "$kind: $n of 400 transactions");
	is($run->{statistics}{service_time}{count}, $n, 'service time of all');
	cmp_ok($run->{statistics}{latency}{mean_ms}, '>=', $run->{statistics}{service_time}{mean_ms}, 'latency counts from the intended start');
}
$run = json_of('-n', '-S', '-c', 4, '-T', 2, '--rate-schedule=constant,step,0:100,1:300')->{run};
my @sec = map { $_->{transactions} } @{ $run->{per_second} };
ok($sec[0] > 85 && $sec[0] < 115 && $sec[1] > 270 && $sec[1] < 330, "steps: @sec[0, 1]");
# no coordinated omission: a stall shows in latency, not in service time
$run = json_of('-n', '-c', 1, '-T', 2, '-R', 100, '--rate-schedule=constant', '-f',
	spew('stall.sql', "\\set first :first + 1\n\\if :first = 20\n\\sleep 500 ms\n\\endif\n"), '-D', 'first=0')->{run}{statistics};
cmp_ok($run->{latency}{p90_ms}, '>', 200, 'latency from the intended start shows a stall');
cmp_ok($run->{service_time}{p90_ms}, '<', 100, 'service time does not');
bench_ok('late transactions are skipped', [ '-n', '-t', 10, '-R', 100000, '-L', 1, '-f', spew('two.sql', '\sleep 2ms') ],
	qr{actually processed: [01]/10}, qr{transactions skipped: (9|10) \(}, qr{above the 1\.0 ms latency limit: [01]/}, qr{schedule lag|actually processed: 0});
bench_ok('an absurd rate ends in time', [ '-n', '-T', 1, '-R', 1000000000, '-L', 1, '-S' ], qr{transactions skipped: \d+});

# ---- numbers of the report agree with each other ----
$r = json_of('-n', '-c', 6, '-j', 3, '-t', 200, '-S', '-b', 'si', '-b', 'tpcb@0', '-r');
my $st = $r->{run}{statistics};
is($st->{transactions}, 1200, 'nothing is lost between threads');
my $sum = 0;
$sum += $_->{statistics}{transactions} for @{ $r->{run}{scripts} };
is($sum, 1200, 'scripts add up');
is($r->{run}{scripts}[2]{statistics}{transactions}, 0, 'weight 0 is never drawn');
my $lat = $st->{latency};
is($lat->{count}, 1200, 'a latency for each');
$sum = 0;
$sum += $_->[1] for @{ $lat->{buckets_ns} };
is($sum, 1200, 'buckets add up');
my @ordered = @$lat{qw(min_ms p50_ms p90_ms p95_ms p99_ms p99_9_ms max_ms)};
is("@ordered", join(' ', sort { $a <=> $b } @ordered), 'percentiles are in order and inside min and max');
is($r->{run}{scripts}[0]{commands}[0]{time}{count}, $r->{run}{scripts}[0]{statistics}{transactions}, 'per command');
ok(exists $r->{$_}, "document has $_") for qw(format format_version options environment server);
like($r->{server}{version}, qr/^\d+/, 'server version');
is($r->{server}{settings}{max_connections}, 130, 'server settings');
is($r->{options}{threads}, 3, 'options');

# ---- aggregates ----
bench_ok('aggregates', [ '-n', '-S', '-c', 4, '-j', 2, '-T', 3, '-R', 300, '-l', "--log-prefix=$prefix", '--aggregate-interval=1' ]);
my @files = log_files($prefix);
is(scalar @files, 1, 'one aggregate log for all threads');
my @agg = map { [ split ' ' ] } split /\n/, slurp($files[0]);
ok(@agg >= 3 && @agg <= 4, 'an interval per second, the last one included: ' . @agg);
is(scalar(grep { @$_ == 15 } @agg), scalar @agg, '15 columns');
unlink @files;
my $agg = json_of('-n', '-c', 3, '-j', 2, '-t', 37, '-S', '-l', "--log-prefix=$prefix", '--aggregate-interval=100');
@files = log_files($prefix);
is((split ' ', slurp($files[0]))[1], 111, 'a partial interval holds everything');
unlink @files;

# ---- signals ----
sub interrupted
{
	my ($signal, $after, @args) = @_;
	my ($out, $err) = ('', '');
	my $h = IPC::Run::start([ $lwbench, @args ], '<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(60));
	usleep($after * 1e6);
	my $from = time;
	$h->signal($signal);
	$h->finish;
	return ($h->full_result(0), $out, $err, time - $from);
}
for my $case ([ INT => 130 ], [ TERM => 143 ])
{
	my ($signal, $want) = @$case;
	my ($code, $out, $err, $took) = interrupted($signal, 1.5, '-n', '-S', '-c', 4, '-j', 2, '-T', 60, '-l', "--log-prefix=$prefix", '-r');
	is($code >> 8, $want, "SIG$signal: exit code");
	my ($n) = $out =~ /actually processed: (\d+)/;
	cmp_ok($n // 0, '>', 10, 'summary of what ran');
	like($out, qr{interrupted by signal \d+ after [\d.]+ s}, 'says so');
	like($out, qr{latency min .* p99 .*tps = \d+.*statement latencies}s, 'the whole summary');
	my $log = slurp((log_files($prefix))[0]);
	is(scalar(() = $log =~ /^\d \d+ \d+ 0 \d+ \d+\n/mg), $n, 'a whole log line for each transaction');
	like($log, qr/\n\z/, 'no cut line');
	cmp_ok($took, '<', 3, 'at once');
	unlink log_files($prefix);
}
my ($code, $out, undef, $took) = interrupted('INT', 1, '-n', '-c', 2, '-T', 60, '--stop-grace=0.3', '-f', spew('long.sql', 'SELECT pg_sleep(30);'));
is($code >> 8, 130, 'SIGINT during a long query');
like($out, qr{2 transactions cut off}, 'which is cut off');
cmp_ok($took, '<', 3, 'after the grace');
usleep(300_000);
is($node->safe_psql('postgres', q{select count(*) from pg_stat_activity where query like '%pg_sleep(30)%' and pid <> pg_backend_pid()}), 0, 'and cancelled in the server');
($code) = interrupted('INT', 0.5, '-n', '-T', 60, '-f', spew('sleep30.sql', "\\sleep 30 s\n"), '--stop-grace=0.1');
is($code >> 8, 130, 'SIGINT during \sleep');
($code) = interrupted('INT', 0.5, '-n', '-T', 60, '-f', spew('shell30.sql', "\\shell sleep 30\n"), '--stop-grace=0.1');
is($code >> 8, 130, 'SIGINT during \shell');
($code) = interrupted('TERM', 0.5, '-n', '-T', 60, '-C', '-c', 3, '-S');
is($code >> 8, 143, 'SIGTERM with a connection per transaction');
# -t may be interrupted too
($code, $out) = interrupted('INT', 0.5, '-n', '-t', 1000000, '-S');
is($code >> 8, 130, 'SIGINT under -t');
like($out, qr{actually processed: \d+/1000000\n}, 'with what was done');

# ---- connections ----
bench_fails('more clients than the server takes', 1, [ '-n', '-c', 200, '-j', 2, '-t', 1, '-S', '--connect-retries=0' ],
	qr{too many clients already}, qr{could not create connection for client \d+}, qr{\d+ of 200 clients could not connect}, qr{--min-clients});
my ($o) = bench_ok('a part of them will do', [ '-n', '-c', 200, '-j', 2, '-t', 5, '-S', '--connect-retries=1', '--min-clients=50' ],
	qr{number of clients that could not connect: \d+ of 200});
my ($clients, $done) = ($o =~ /number of clients: (\d+)/, $o =~ /actually processed: (\d+)\//);
cmp_ok($clients, '>=', 100, "$clients clients ran");
is($done, 5 * $clients, 'all their transactions');
bench_ok('one connection at a time', [ '-n', '-c', 10, '-j', 3, '-t', 1, '-S', '--connect-concurrency=1' ], qr{actually processed: 10/10});
bench_fails('no such database', 1, [ '-t', 1, 'nosuchdb' ], qr{database "nosuchdb" does not exist});
bench_ok('init SQL', [ '-n', '-c', 2, '-t', 2, '-C', '--init-sql', spew('init.sql', "SET application_name = 'bench :client_id'; SET work_mem = '1MB';"), '-f',
	spew('show.sql', "SELECT current_setting('work_mem') = '1MB' AS ok, right(current_setting('application_name'), 1)::int AS id \\gset\n\\set x debug(case when :ok then :id else -1 end)\n") ],
	qr{int 0\n.*int 0\n}s, qr{int 1\n.*int 1\n}s);
bench_fails('init SQL that fails', 1, [ '-n', '-t', 1, '-S', '--init-sql', spew('bad.sql', 'SELECT 1/0;') ], qr{error in --init-sql}, qr{division by zero});

# ---- a restart of the server ----
{
	my ($out, $err) = ('', '');
	my $h = IPC::Run::start([ $lwbench, '-n', '-S', '-c', 4, '-j', 2, '-T', 5, '--reconnect-on-failure', '-P', 1 ],
		'<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(60));
	usleep(1_500_000);
	$node->restart;
	$h->finish;
	is($h->full_result(0), 0, 'a restart does not end the run') or diag("$out\n$err");
	my ($failed) = $out =~ /number of connection failures: (\d+)/;
	cmp_ok($failed // -1, '>=', 1, 'failures are counted');
	cmp_ok($failed // 99, '<=', 8, 'once per lost connection');
	like($out, qr{number of reconnections: [1-9]}, 'and reconnections');
	my @tps = $err =~ /progress: \S+ s, ([\d.]+) tps/g;
	cmp_ok($tps[-1], '>', 0, 'it goes on afterwards');
}
{
	my ($out, $err) = ('', '');
	my $h = IPC::Run::start([ $lwbench, '-n', '-S', '-c', 4, '-T', 60 ], '<', \'', '>', \$out, '2>', \$err, IPC::Run::timeout(60));
	usleep(1_000_000);
	$node->stop('immediate');
	$h->finish;
	is($h->full_result(0) >> 8, 2, 'without the option it ends');
	like($err, qr{client \d (script 0 )?aborted in command}, 'with a message for each client');
	like($out, qr{actually processed: [1-9]}, 'and partial results');
	bench_fails('a dead server', 1, [ '-n', '-t', 1 ], qr{could not create connection for setup});
	$node->start;
}

# ---- warm-up, sweep, bar ----
$run = json_of('-n', '-S', '-c', 2, '-T', 1, '--warmup=1')->{run};
cmp_ok($run->{per_thread}[0]{started_s}, '<', -0.9, 'threads begin with the warm-up');
ok($run->{rate}{elapsed_s} > 0.99 && $run->{rate}{elapsed_s} < 2, 'which is not measured');
my $path = workdir() . '/sweep.json';
($o) = bench_ok('sweep', [ '-n', '-S', '-M', 'prepared', '--sweep-clients=1,2,3', '-T', 1, '--warmup=0.2', "--json=$path" ],
	qr{^ clients +tps}m, qr{Universal Scalability Law: X\(n\) = }, qr{highest measured: [\d.]+ tps at \d clients}, qr{knee: });
is(scalar(() = $o =~ /^ +[123] +\d+\.\d/mg), 3, 'a line for each step');
my $doc = JSON::PP->new->decode(slurp($path));
is(join(',', map { $_->{clients} } @{ $doc->{sweep} }), '1,2,3', 'and a run each in the document');
ok(defined $doc->{scalability}{lambda}, 'with the fit');
bench_ok('bar', [ '-n', '-S', '-T', 1, '--progress-bar=always' ], qr{\[#+\.*\] +\d+% });
(undef, $err) = bench_ok('no bar into a file', [ '-n', '-S', '-T', 1 ]);
unlike($err, qr{\[[#.]}, 'none where nobody looks');
bench_fails('JSON that cannot be written', 1, [ '-n', '-S', '-t', 1, '--json=/dev/full' ], qr{could not write to file "/dev/full"});
bench_fails('log that cannot be opened', 1, [ '-n', '-S', '-t', 1, '-l', '--log-prefix=/nonexistent/x' ], qr{could not open logfile "/nonexistent/x\.\d+"});
$node->stop;
done_testing();
