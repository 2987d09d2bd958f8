# Two compilers have nothing to say.  At -O2, because some warnings need it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpLint qw(files each_file need_tool project_flags run);
use Test::More;

my @compilers = qw(gcc clang);
need_tool($_) for @compilers;

for my $compiler (@compilers)
{
	each_file(
		"$compiler -Wall -Wextra",
		sub {
			my ($file) = @_;
			my ($text, $status) = run($compiler, project_flags($file), qw(-O2 -Wall -Wextra
				  -Wvla -Wpointer-arith -Wformat-security -c -o /dev/null), $file);
			return $status == 0 ? $text : "$text\n(exit status $status)";
		},
		files(qr/\.c$/));
}

done_testing();
