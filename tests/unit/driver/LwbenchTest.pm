# What the TAP files of lwbench share.
package LwbenchTest;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IPC::Run ();
use JSON::PP ();
use Test::More;
use Time::HiRes qw(usleep);

our @EXPORT = qw($lwbench run_bench bench_ok bench_fails slurp spew json_of workdir fake_server log_files);

my $root = abs_path(dirname(__FILE__) . '/../../..');
our $lwbench = $ENV{LWBENCH} || "$root/driver/lwbench";
my $fake = $ENV{FAKESERVER} || "$root/driver/build/fakeserver";
my $work = tempdir('lwbench-t.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my @fakes;

sub workdir { return $work }

sub slurp
{
	my ($path) = @_;
	open(my $f, '<', $path) or die "$path: $!";
	local $/;
	return scalar <$f>;
}

sub spew
{
	my ($name, $text) = @_;
	my $path = $name =~ m{^/} ? $name : "$work/$name";
	open(my $f, '>', $path) or die "$path: $!";
	print $f $text;
	close $f;
	return $path;
}

# exit code (128 + n for a signal), standard output, standard error
sub run_bench
{
	my (@args) = @_;
	my ($out, $err) = ('', '');
	my $prog = ref $args[0] ? ${ shift @args } : $lwbench;
	IPC::Run::run([ $prog, @args ], '<', \'', '>', \$out, '2>', \$err,
		IPC::Run::timeout(180));
	my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
	return ($code, $out, $err);
}

# runs with success; the output's patterns
sub bench_ok
{
	my ($name, $args, @patterns) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($code, $out, $err) = run_bench(@$args);
	is($code, 0, "$name: exit code") or diag("$out\n$err");
	like("$out\n$err", $_, "$name: $_") for @patterns;
	return wantarray ? ($out, $err) : $out;
}

sub bench_fails
{
	my ($name, $want, $args, @patterns) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($code, $out, $err) = run_bench(@$args);
	is($code, $want, "$name: exit code") or diag("$out\n$err");
	like($err, $_, "$name: $_") for @patterns;
	return ($out, $err);
}

# a run with --json: the document
sub json_of
{
	my (@args) = @_;
	my $path = "$work/run.json";
	unlink $path;
	my ($code, $out, $err) = run_bench(@args, "--json=$path");
	die "@args: exit code $code\n$out\n$err" unless -s $path;
	return JSON::PP->new->decode(slurp($path));
}

# log files of a prefix, oldest name first
sub log_files
{
	my ($prefix) = @_;
	return sort glob "$prefix.*";
}

# a stand-in server (tests/unit/driver/fakeserver.c); returns the host to connect to
sub fake_server
{
	my (@args) = @_;
	my $dir = tempdir('fake.XXXXXX', DIR => $work);
	my $pid = fork();
	if ($pid == 0) { exec $fake, $dir, @args; die "$fake: $!" }
	push @fakes, $pid;
	for (1 .. 500) { last if -S "$dir/.s.PGSQL.5432"; usleep(10_000) }
	return $dir;
}

END
{
	my $code = $?;
	kill 'TERM', @fakes if @fakes;
	waitpid($_, 0) for @fakes;
	$? = $code;
}

1;
