# C is formatted as .clang-format says; "make format" does it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpLint qw(c_files each_file need_tool run);
use Test::More;

need_tool('clang-format');

each_file(
	'formatted',
	sub {
		my ($text, $status) = run('clang-format', '--dry-run', '--Werror', $_[0]);
		return $status == 0 ? '' : $text;
	},
	c_files());

done_testing();
