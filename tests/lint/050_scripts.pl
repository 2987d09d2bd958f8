# Shell and Perl: shellcheck has nothing to say, perl compiles without a warning.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpLint qw(each_file files lines_of need_tool run);
use Test::More;

need_tool('shellcheck');

# The interpreter of a script, or ''.
sub interpreter
{
	my ($first) = lines_of($_[0]);
	return defined $first && $first =~ m{^#!.*?\b(perl|bash|sh)\b} ? $1 : '';
}

my @scripts = files(qr{^(?:scripts|bench|tests|driver|client|\.ci)/});
my @shell = grep { /\.sh$/ || interpreter($_) =~ /^(?:bash|sh)$/ } @scripts;
my @perl = grep { /\.p[lm]$/ || interpreter($_) eq 'perl' } @scripts;

cmp_ok(scalar(@shell), '>=', 4, 'there are shell scripts to look at');
cmp_ok(scalar(@perl), '>=', 10, 'there are Perl files to look at');

# SC2317 doesn't know that a trap calls a function, SC2119 that a function's arguments are optional.
each_file(
	'shellcheck',
	sub {
		my ($text, $status) = run(qw(shellcheck --external-sources --source-path=SCRIPTDIR
			  --exclude=SC2317 --exclude=SC2119), $_[0]);
		return $status == 0 ? '' : $text;
	},
	@shell);

each_file(
	'perl -c',
	sub {
		my ($text, $status) = run($^X, '-Itests/lib', '-wc', $_[0]);
		return $status == 0 && $text =~ /\A\S+ syntax OK\n\z/ ? '' : $text;
	},
	@perl);

done_testing();
