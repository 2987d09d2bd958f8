\echo Use "CREATE EXTENSION lwp_test" to load this file. \quit

-- n times acquire and release; mode 's' or 'x'
CREATE FUNCTION lwp_test_acquire(lock int, mode text, n int) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- n conditional acquisitions, released at once when they succeed; returns successes
CREATE FUNCTION lwp_test_conditional(lock int, mode text, n int) RETURNS int
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- true: acquired (and released again); false: waited until it was free
CREATE FUNCTION lwp_test_acquire_or_wait(lock int, mode text) RETURNS bool
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- waits while the lock is held and its variable has this value
CREATE FUNCTION lwp_test_wait_for_var(lock int, oldval bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- acquire exclusively, hold ms, set the variable, hold ms more, release with clearing
CREATE FUNCTION lwp_test_var_holder(lock int, newval bigint, ms int) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- count locks from first on, then release them: 'reverse', 'forward' or 'interleaved'
CREATE FUNCTION lwp_test_nested(first int, count int, mode text, release_order text) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- count locks from first on, then an error: 'error' or 'fatal'
CREATE FUNCTION lwp_test_error(first int, count int, mode text, kind text) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- acquire, hold ms, release
CREATE FUNCTION lwp_test_hold(lock int, mode text, ms float8) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- hold count locks from first on for ms
CREATE FUNCTION lwp_test_hold_many(first int, count int, mode text, ms float8) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- loop for duration_ms: acquire, hold, release, pause; the times by this backend's own clock
CREATE FUNCTION lwp_test_contend(lock int, mode text, hold_ms float8, pause_ms float8,
    duration_ms float8, OUT acquisitions bigint, OUT acquire_ms float8, OUT total_ms float8)
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- nanoseconds per uncontended acquire + release pair
CREATE FUNCTION lwp_test_pair_ns(n int) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- a lock of a tranche this session makes up and registers under a name
CREATE FUNCTION lwp_test_new_tranche(name text, n int) RETURNS int
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- release a lock that is not held: the server's error
CREATE FUNCTION lwp_test_release_unheld(lock int) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- acquire the test locks until the server refuses
CREATE FUNCTION lwp_test_too_many() RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- number of LWLocks the server itself says this backend holds
CREATE FUNCTION lwp_test_held() RETURNS int
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- CLOCK_MONOTONIC in milliseconds
CREATE FUNCTION lwp_test_clock() RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- lock a page's content for ms, as a reader ('s') or writer ('x') of the page does
CREATE FUNCTION lwp_test_hold_page(rel regclass, fork int, block bigint, mode text, ms float8)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- hold partition n of 'BufferMapping', 'LockManager' or 'PredicateLockManager' for ms
CREATE FUNCTION lwp_test_hold_partition(kind text, n int, mode text, ms float8) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- hold one of the server's own locks for ms: 'ProcArray' or 'XactSLRU'
CREATE FUNCTION lwp_test_hold_server(name text, mode text, ms float8) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- acquire one lock, then another, hold both for ms
CREATE FUNCTION lwp_test_hold_two(first int, second int, mode text, ms float8) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- acquire and release count locks from first on, one after the other
CREATE FUNCTION lwp_test_acquire_each(first int, count int, mode text) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- take a spinlock for ms
CREATE FUNCTION lwp_test_spin(ms float8) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- number of this backend's PGPROC
CREATE FUNCTION lwp_test_procno() RETURNS int
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

-- nanoseconds per sleep of a group member that is woken at once: the blocked path without a wait
CREATE FUNCTION lwp_test_sleep_ns(n int) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;
