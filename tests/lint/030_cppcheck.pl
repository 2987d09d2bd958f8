# cppcheck has nothing to say.  It does not read the server's headers; the
# macros it needs are in postgres.cfg.  readdir() is safe: nothing here has threads.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";
use LwpLint qw(each_file need_tool run server_c_files);
use Test::More;

need_tool('cppcheck');

each_file(
	'cppcheck',
	sub {
		my ($file) = @_;
		my ($text, $status) = run('cppcheck', '--enable=warning,style,performance,portability', qw(--quiet
			  --std=c11 --inline-suppr --error-exitcode=1 --library=posix --library=gnu
			  --library=tests/lint/postgres.cfg --suppress=missingInclude
			  --suppress=readdirCalled
			  -D__x86_64__ -D__linux__ -DPG_VERSION_NUM=150000 -Iextension), $file);
		return $status == 0 ? '' : $text;
	},
	server_c_files());

done_testing();
