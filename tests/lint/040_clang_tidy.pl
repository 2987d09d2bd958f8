# clang-tidy has nothing to say; .clang-tidy lists the checks.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpLint qw(each_file need_tool run server_c_files server_flags);
use Test::More;

need_tool('clang-tidy');

each_file(
	'clang-tidy',
	sub {
		my ($file) = @_;
		my ($text, $status) = run('clang-tidy', '--quiet', $file, '--', server_flags($file));
		return $status == 0 ? '' : $text;
	},
	server_c_files());

done_testing();
