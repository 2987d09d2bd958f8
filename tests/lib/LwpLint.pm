# LwpLint: what the static checks have in common.
#
# The files to look at are those below the project's root that are neither
# generated nor somebody else's; all names are relative to the root.
package LwpLint;

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Find ();
use Test::More;

our @EXPORT_OK = qw(files c_files server_c_files need_tool run each_file lines_of server_flags
  project_flags);

my $root = $ENV{LWP_SRC} // abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "cannot go to $root: $!";

my $generated = qr{(?:^|/)(?:\.git|build|node_modules|tmp_check|results|output_iso)(?:/|$)};

# Every file of the project whose name matches, sorted.
sub files
{
	my ($pattern) = @_;
	my @found;
	File::Find::find(
		{
			no_chdir => 1,
			wanted   => sub {
				my $name = $_ =~ s{^\./}{}r;
				return if $name =~ $generated || !-f $_ || -l $_;
				push @found, $name if $name =~ $pattern;
			}
		},
		'.');
	my @sorted = sort @found;
	return @sorted;
}

sub c_files { return files(qr/\.[ch]$/) }

# C sources that are compiled against the server's headers.
sub server_c_files { return files(qr{^(?:extension|sampler|tests/modules|tests/unit/(?!driver/)).*\.c$}) }

# Skip the whole file when a program isn't there.
sub need_tool
{
	my ($tool) = @_;
	for my $dir (split /:/, $ENV{PATH})
	{
		return if -x "$dir/$tool";
	}
	plan skip_all => "$tool is not installed";
}

# Output (both streams) and exit status of a command.
sub run
{
	my @command = @_;
	my $pid = open(my $out, '-|') // die "fork: $!";
	if ($pid == 0)
	{
		open STDERR, '>&', \*STDOUT or die $!;
		exec @command or die "cannot run $command[0]: $!\n";
	}
	local $/;
	my $text = <$out> // '';
	close $out;
	return ($text, $? >> 8);
}

sub processors
{
	my $n = grep { /^processor\s*:/ } lines_of('/proc/cpuinfo');
	return $n > 0 ? $n : 1;
}

# One test per file: $code->($file) returns what is wrong with it, '' if nothing.
# As many at a time as there are processors.
sub each_file
{
	my ($name, $code, @files) = @_;
	my $jobs = processors();
	my @parts;
	for my $job (0 .. $jobs - 1)
	{
		my $pid = open($parts[$job], '-|') // die "fork: $!";
		next if $pid;
		for (my $i = $job; $i < @files; $i += $jobs)
		{
			my $wrong = $code->($files[$i]);
			$wrong =~ s/([%\n])/sprintf '%%%02x', ord $1/ge;
			print "$i $wrong\n";
		}
		close STDOUT;
		require POSIX;
		POSIX::_exit(0);
	}
	my @wrong;
	for my $part (@parts)
	{
		while (my $line = <$part>)
		{
			my ($i, $text) = $line =~ /^(\d+) (.*)$/ or die "lost track: $line";
			$text =~ s/%([0-9a-f]{2})/chr hex $1/ge;
			$wrong[$i] = $text;
		}
		close $part;
	}
	for my $i (0 .. $#files)
	{
		is($wrong[$i] // 'not looked at', '', "$name: $files[$i]");
	}
	return;
}

sub lines_of
{
	my ($file) = @_;
	open my $in, '<', $file or die "cannot read $file: $!";
	return <$in>;
}

sub pg_config
{
	my ($what) = @_;
	my ($text, $status) = run($ENV{PG_CONFIG} // 'pg_config', $what);
	die "pg_config $what failed: $text" if $status != 0;
	chomp $text;
	return $text;
}

# What it takes to compile C of the module; the server's own headers don't warn.
sub server_flags
{
	my ($file) = @_;
	return ('-D_GNU_SOURCE', '-std=gnu11', '-Iextension', '-Isampler', '-I' . dirname($file),
		'-isystem', pg_config('--includedir-server'));
}

# The same for any C of the project.
sub project_flags
{
	my ($file) = @_;
	return server_flags($file) if grep { $_ eq $file } server_c_files();
	return ('-D_GNU_SOURCE', '-std=gnu11', '-DLWP_PG_VERSION="0"', '-I' . dirname($file), '-Idriver',
		'-isystem', pg_config('--includedir'));
}

1;
