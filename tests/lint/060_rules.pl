# Rules of CONTRIBUTING.md that can be looked up in the text of the files.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpLint qw(c_files files lines_of);
use Test::More;

# Longer than this, a file has two jobs.
my $longest_c_file = 600;

# Lines of the given files that match, as "file:line: text".
sub grep_files
{
	my ($pattern, @files) = @_;
	my @found;
	for my $file (@files)
	{
		my $n = 0;
		for my $line (lines_of($file))
		{
			$n++;
			push @found, "$file:$n: $line" if $line =~ $pattern;
		}
	}
	return @found;
}

sub none
{
	my ($name, @found) = @_;
	is(join('', @found), '', $name);
	return;
}

my @text = grep { -T $_ } files(qr{^(?!.*\.(?:o|d|so|svg|png|ico)$)});
my @extension = grep { m{^(?:extension|sampler|sql|tests/modules)/} && $_ ne 'extension/compat.h' } @text;

cmp_ok(scalar(@text), '>=', 60, 'there are files to look at');

none('PG_VERSION_NUM is looked at in compat.h only',
	grep_files(qr/PG_VERSION_NUM/, grep { /\.[ch]$/ } @extension));
none('no white space at the end of a line',
	grep_files(qr/[ \t]+$/, grep { !/\.out$/ } @text));
none('no carriage returns', grep_files(qr/\r/, @text));
none('every file ends with a newline', map { "$_\n" } grep { ((lines_of($_))[-1] // "\n") !~ /\n\z/ } @text);

# What a machine has is asked for, not written down; the system's own places are fine.
none('no path of somebody\'s machine',
	grep_files(qr{(?<![\w.\$\}/])/(?:home|Users|work|root|mnt|opt|srv)/\w}, grep { !/^docs\// } @text));

none("no C file of more than $longest_c_file lines",
	map { "$_\n" } grep { my @lines = lines_of($_); @lines > $longest_c_file } c_files());
none('every C file says what it is for',
	map { "$_\n" } grep { my $name = $_ =~ s{.*/}{}r; join('', (lines_of($_))[ 0 .. 3 ]) !~ /^\/\*.*\Q$name\E/s }
	  grep { m{^(?:extension|sampler|tests/modules)/} } c_files());
none('no tabs where spaces belong', grep_files(qr/^ *\t/, grep { /\.(?:sql|md)$/ } @text));

# Every object of the extension is explained to its users.
my $docs = 'docs/views.md';
SKIP:
{
	skip "there is no $docs yet", 1 unless -f $docs;
	my $views = join '', lines_of($docs);
	my %objects = map { $_ => 1 }
	  map { /^CREATE (?:OR REPLACE )?(?:FUNCTION|VIEW) (\w+)/ ? $1 : () }
	  map { lines_of($_) } files(qr{^sql/.*\.sql$});
	none("every function and view is in $docs",
		map { "$_\n" } grep { $views !~ /\b\Q$_\E\b/ } sort keys %objects);
}

done_testing();
