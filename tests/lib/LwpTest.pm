# LwpTest: what the TAP tests of pg_lwprof have in common.
#
#   my $node = LwpTest::node('name', 'extra = settings');   # started, extensions created
#   my $s = LwpTest::Session->new($node);                    # one psql kept open
#   $s->query('SELECT 1');      # result as text, dies on an error
#   $s->send('SELECT slow()');  # returns at once ...
#   $s->result;                 # ... and this waits for it
package LwpTest;

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

our $preload = 'pg_lwprof, lwp_test';

sub configured_node
{
	my ($name, $settings, %opts) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(%opts);
	$node->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = '$preload'
compute_query_id = on
autovacuum = off
CONF
	$node->append_conf('postgresql.conf', $settings) if defined $settings;
	return $node;
}

sub node
{
	my $node = configured_node(@_);
	$node->start;
	create_extensions($node);
	return $node;
}

sub create_extensions
{
	my ($node) = @_;
	$node->safe_psql('postgres', 'CREATE EXTENSION pg_lwprof; CREATE EXTENSION lwp_test');
	return;
}

# Poll a condition for at most $seconds (default 30); true as soon as it holds.
sub wait_until
{
	my ($code, $seconds) = @_;
	my $end = time + ($seconds // 30);
	while (time < $end)
	{
		return 1 if $code->();
		usleep(20_000);
	}
	return 0;
}

# Apply settings with ALTER SYSTEM and a reload, and wait until sessions that start now see them.
sub reload_with
{
	my ($node, %settings) = @_;
	my $sql = join '', map { "ALTER SYSTEM SET $_ = '$settings{$_}';\n" } sort keys %settings;
	$node->safe_psql('postgres', $sql . 'SELECT pg_reload_conf()');
	for my $name (keys %settings)
	{
		wait_until(
			sub { $node->safe_psql('postgres', "SELECT setting = '$settings{$name}' OR "
					. "current_setting('$name') = '$settings{$name}' "
					. "FROM pg_settings WHERE name = '$name'") eq 't' })
		  or die "setting $name was not applied";
	}
	usleep(200_000);			# background processes follow a moment later
	return;
}

# Column values of one row, as a list.
sub row
{
	my ($node, $sql) = @_;
	return split /\|/, $node->safe_psql('postgres', $sql), -1;
}

# SQLSTATE and message a query fails with; ('', '') when it works.
sub failure
{
	my ($node, $sql, %opts) = @_;
	my ($stdout, $stderr);
	$node->psql('postgres', "\\set VERBOSITY verbose\n$sql", stdout => \$stdout,
		stderr => \$stderr, %opts);
	return ($1, $2) if $stderr =~ /(?:ERROR|FATAL):\s+([0-9A-Z]{5}): (.*)/;
	return ('', $stderr);
}

sub slurp_log
{
	my ($node) = @_;
	return slurp_file($node->logfile);
}

package LwpTest::Session;

use IPC::Open3;
use IO::Handle;

my $marker = 'lwp-test-end-of-result';

sub new
{
	my ($class, $node, %opts) = @_;
	my ($in, $out);
	my @cmd = ('psql', '-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=0', '-h', $node->host, '-p',
		$node->port, '-U', $opts{user} // $ENV{PGUSER} // scalar(getpwuid($<)), $opts{db} // 'postgres');
	my $pid = open3($in, $out, undef, @cmd);	# undef: stderr goes where stdout goes
	my $self = bless { in => $in, out => $out, psql => $pid }, $class;
	$in->autoflush(1);
	$self->{pid} = $self->query('SELECT pg_backend_pid()');
	return $self;
}

sub pid { return $_[0]->{pid} }

sub send
{
	my ($self, $sql) = @_;
	print { $self->{in} } "$sql;\n\\echo $marker\n" or die "psql is gone";
	return;
}

# Everything the last send() printed, errors included.
sub result
{
	my ($self) = @_;
	my $out = '';
	while (defined(my $line = readline $self->{out}))
	{
		if ($line eq "$marker\n")
		{
			chomp $out;
			return $out;
		}
		$out .= $line;
	}
	return $out;
}

sub query
{
	my ($self, $sql) = @_;
	$self->send($sql);
	my $out = $self->result;
	die "query failed: $sql\n$out" if $out =~ /^(?:psql:[^\n]*)?(?:ERROR|FATAL):/m;
	return $out;
}

sub close
{
	my ($self) = @_;
	if ($self->{in})
	{
		close $self->{in};
		waitpid $self->{psql}, 0;
		delete $self->{in};
	}
	return;
}

1;
