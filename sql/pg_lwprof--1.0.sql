/* sql/pg_lwprof--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION pg_lwprof" to load this file. \quit

-- Exact counts, one row per lock.  Times in milliseconds.
CREATE FUNCTION pg_lwprof_locks(
    OUT wait_event text,
    OUT classic_name text,
    OUT shared_acquires bigint,
    OUT exclusive_acquires bigint,
    OUT blocked_shared bigint,
    OUT blocked_exclusive bigint,
    OUT conditional_failures bigint,
    OUT group_waits bigint,
    OUT wait_time double precision,
    OUT max_wait_time double precision,
    OUT var_waits bigint,
    OUT timed_waits bigint,
    OUT releases bigint,
    OUT held bigint
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_locks_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 100;

CREATE VIEW pg_lwprof_locks AS
    SELECT * FROM pg_lwprof_locks();

-- The headline: what is lost to which lock, most contended first.
CREATE FUNCTION pg_lwprof_contention(
    OUT wait_event text,
    OUT classic_name text,
    OUT wait_pct double precision,
    OUT avg_waiters double precision,
    OUT blocked bigint,
    OUT blocked_pct double precision,
    OUT wait_time double precision,
    OUT mean_wait_time double precision,
    OUT max_wait_time double precision,
    OUT hold_pct double precision,
    OUT sampled_wait_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_contention_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 100;

CREATE VIEW pg_lwprof_contention AS
    SELECT * FROM pg_lwprof_contention()
    ORDER BY coalesce(wait_time, sampled_wait_time) DESC NULLS LAST, blocked DESC NULLS LAST,
             wait_event;

-- Sampled time by lock, phase, mode, backend type and database.
CREATE FUNCTION pg_lwprof_profile(
    OUT wait_event text,
    OUT classic_name text,
    OUT phase text,
    OUT mode text,
    OUT backend_type text,
    OUT datid oid,
    OUT sampled_time double precision,
    OUT active_time double precision,
    OUT pct double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_profile_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 200;

CREATE VIEW pg_lwprof_profile AS
    SELECT p.wait_event, p.classic_name, p.phase, p.mode, p.backend_type, p.datid, d.datname,
           p.sampled_time, p.active_time, p.pct
    FROM pg_lwprof_profile() p
         LEFT JOIN pg_catalog.pg_database d ON d.oid = p.datid;

-- What every process does about locks now.
CREATE FUNCTION pg_lwprof_activity(
    OUT pid integer,
    OUT backend_type text,
    OUT datid oid,
    OUT active boolean,
    OUT phase text,
    OUT wait_event text,
    OUT classic_name text,
    OUT mode text,
    OUT waiting_for double precision,
    OUT holder_pids integer[],
    OUT held text[],
    OUT acquires bigint,
    OUT blocked bigint,
    OUT wait_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_activity_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 100;

CREATE VIEW pg_lwprof_activity AS
    SELECT a.pid, a.backend_type, a.datid, d.datname, a.active, a.phase, a.wait_event,
           a.classic_name, a.mode, a.waiting_for, a.holder_pids, a.held, a.acquires, a.blocked,
           a.wait_time
    FROM pg_lwprof_activity() a
         LEFT JOIN pg_catalog.pg_database d ON d.oid = a.datid;

-- The module about itself.
CREATE FUNCTION pg_lwprof_info(
    OUT mode text,
    OUT reason text,
    OUT version text,
    OUT enabled boolean,
    OUT unmatched_releases bigint,
    OUT sampler_pid integer,
    OUT sample_interval double precision,
    OUT achieved_interval double precision,
    OUT passes bigint,
    OUT late_passes bigint,
    OUT skipped_passes bigint,
    OUT observed_time double precision,
    OUT unobserved_time double precision,
    OUT sampler_cpu_time double precision,
    OUT overflows bigint,
    OUT tranche_overflows bigint,
    OUT profile_overflows bigint,
    OUT backend_type_overflows bigint,
    OUT slots integer,
    OUT bytes_per_slot bigint,
    OUT total_bytes bigint,
    OUT stats_reset timestamptz
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_info_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 1;

CREATE VIEW pg_lwprof_info AS
    SELECT * FROM pg_lwprof_info();

-- Everything counts from now.
CREATE FUNCTION pg_lwprof_reset()
RETURNS void
AS 'MODULE_PATHNAME', 'pg_lwprof_reset_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;

-- Everything cumulative as one document.
CREATE FUNCTION pg_lwprof_snapshot()
RETURNS jsonb
LANGUAGE sql VOLATILE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT jsonb_build_object(
        'format', 1,
        'taken_at', clock_timestamp(),
        'server_version', current_setting('server_version'),
        'postmaster_start_time', pg_postmaster_start_time(),
        'info', (SELECT to_jsonb(i) FROM pg_lwprof_info i),
        'contention', (SELECT coalesce(jsonb_agg(to_jsonb(c)), '[]') FROM pg_lwprof_contention c),
        'locks', (SELECT coalesce(jsonb_agg(to_jsonb(l)), '[]') FROM pg_lwprof_locks l),
        'profile', (SELECT coalesce(jsonb_agg(to_jsonb(p)), '[]') FROM pg_lwprof_profile p));
END;

-- Monitoring roles read everything; only a superuser, or whoever is granted it, resets.
REVOKE ALL ON FUNCTION pg_lwprof_locks() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_locks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_locks() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_locks TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_contention() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_contention FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_contention() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_contention TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_profile() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_profile FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_profile() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_profile TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_activity() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_activity FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_activity() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_activity TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_info() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_info FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_info() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_info TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_snapshot() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_snapshot() TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_reset() FROM PUBLIC;
