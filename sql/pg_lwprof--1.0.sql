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
    OUT sampled_wait_time double precision,
    OUT p50_wait_time double precision,
    OUT p90_wait_time double precision,
    OUT p99_wait_time double precision,
    OUT p999_wait_time double precision
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
    OUT attribution_evictions bigint,
    OUT instance_evictions bigint,
    OUT caller_evictions bigint,
    OUT histogram_overflows bigint,
    OUT stack_evictions bigint,
    OUT spinlock_overflows bigint,
    OUT samples_overwritten bigint,
    OUT history_overwritten bigint,
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

-- Which lock of its kind: the heaviest, with what was not seen of each at most.
CREATE FUNCTION pg_lwprof_instances(
    OUT wait_event text,
    OUT classic_name text,
    OUT kind text,
    OUT number integer,
    OUT datid oid,
    OUT reltablespace oid,
    OUT relfilenode oid,
    OUT fork text,
    OUT block bigint,
    OUT address text,
    OUT page_kind text,
    OUT blocked bigint,
    OUT wait_time double precision,
    OUT max_wait_time double precision,
    OUT waiters integer,
    OUT missed_wait_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_instances_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 200;

-- Name of a relation by its file, in this database or shared; NULL elsewhere, or when it is gone.
CREATE FUNCTION pg_lwprof_relation(datid oid, reltablespace oid, relfilenode oid)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN $1 = 0 OR $1 = (SELECT d.oid FROM pg_catalog.pg_database d
                                     WHERE d.datname = current_database())
           THEN pg_catalog.pg_filenode_relation($2, $3)::regclass::text END;
END;

CREATE VIEW pg_lwprof_instances AS
    SELECT i.wait_event, i.classic_name, i.kind, i.number, i.datid, d.datname,
           pg_lwprof_relation(i.datid, i.reltablespace, i.relfilenode) AS relation,
           i.reltablespace, i.relfilenode, i.fork, i.block, i.page_kind, i.address, i.blocked,
           i.wait_time, i.max_wait_time, i.waiters, i.missed_wait_time
    FROM pg_lwprof_instances() i
         LEFT JOIN pg_catalog.pg_database d ON d.oid = i.datid
    ORDER BY i.wait_time DESC, i.blocked DESC;

-- Which code asked for the lock.
CREATE FUNCTION pg_lwprof_callers(
    OUT wait_event text,
    OUT classic_name text,
    OUT caller text,
    OUT module text,
    OUT code_offset bigint,
    OUT blocked bigint,
    OUT wait_time double precision,
    OUT max_wait_time double precision,
    OUT missed_wait_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_callers_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 100;

CREATE VIEW pg_lwprof_callers AS
    SELECT c.wait_event, c.classic_name, c.caller, c.module, sum(c.blocked)::bigint AS blocked,
           sum(c.wait_time) AS wait_time, max(c.max_wait_time) AS max_wait_time,
           100 * sum(c.wait_time) / nullif(sum(sum(c.wait_time)) OVER (PARTITION BY c.wait_event), 0)
               AS lock_pct,
           sum(c.missed_wait_time) AS missed_wait_time
    FROM pg_lwprof_callers() c
    GROUP BY c.wait_event, c.classic_name, c.caller, c.module
    ORDER BY sum(c.wait_time) DESC, sum(c.blocked) DESC;

-- Whole call stacks, while pg_lwprof.track_stacks is on; folded, outermost function first.
CREATE FUNCTION pg_lwprof_stacks(
    OUT wait_event text,
    OUT classic_name text,
    OUT stack text,
    OUT sampled_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_stacks_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 200;

CREATE VIEW pg_lwprof_stacks AS
    SELECT s.wait_event, s.classic_name, s.stack, sum(s.sampled_time) AS sampled_time
    FROM pg_lwprof_stacks() s
    GROUP BY s.wait_event, s.classic_name, s.stack
    ORDER BY sum(s.sampled_time) DESC;

-- Distribution of exact wait times; bounds in milliseconds, upper one exclusive.
CREATE FUNCTION pg_lwprof_histogram(
    OUT wait_event text,
    OUT classic_name text,
    OUT mode text,
    OUT bucket integer,
    OUT lower_bound double precision,
    OUT upper_bound double precision,
    OUT count bigint
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_histogram_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 500;

CREATE VIEW pg_lwprof_histogram AS
    SELECT h.wait_event, h.classic_name, h.mode, h.bucket, h.lower_bound, h.upper_bound,
           sum(h.count)::bigint AS count
    FROM pg_lwprof_histogram() h
    GROUP BY h.wait_event, h.classic_name, h.mode, h.bucket, h.lower_bound, h.upper_bound
    ORDER BY h.wait_event, h.mode, h.bucket;

-- The same for hold times, while pg_lwprof.track_hold_time is on.
CREATE FUNCTION pg_lwprof_hold_histogram(
    OUT wait_event text,
    OUT classic_name text,
    OUT mode text,
    OUT bucket integer,
    OUT lower_bound double precision,
    OUT upper_bound double precision,
    OUT count bigint
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_hold_histogram_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 500;

CREATE VIEW pg_lwprof_hold_histogram AS
    SELECT h.wait_event, h.classic_name, h.mode, h.bucket, h.lower_bound, h.upper_bound,
           sum(h.count)::bigint AS count
    FROM pg_lwprof_hold_histogram() h
    GROUP BY h.wait_event, h.classic_name, h.mode, h.bucket, h.lower_bound, h.upper_bound
    ORDER BY h.wait_event, h.mode, h.bucket;

-- Who holds what others wait for, and what the holder does meanwhile.
CREATE FUNCTION pg_lwprof_holders(
    OUT wait_event text,
    OUT classic_name text,
    OUT holder_mode text,
    OUT holder_backend_type text,
    OUT holder_wait_event_type text,
    OUT holder_wait_event text,
    OUT holder_queryid bigint,
    OUT sampled_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_holders_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 200;

CREATE VIEW pg_lwprof_holders AS
    SELECT h.*,
           100 * h.sampled_time / nullif(sum(h.sampled_time) OVER (PARTITION BY h.wait_event), 0)
               AS lock_pct
    FROM pg_lwprof_holders() h
    ORDER BY h.sampled_time DESC;

-- What the holder waits for, and so on to the root.
CREATE FUNCTION pg_lwprof_chains(
    OUT wait_event text,
    OUT classic_name text,
    OUT chain text,
    OUT length integer,
    OUT ends_with text,
    OUT root_wait_event_type text,
    OUT root_wait_event text,
    OUT root_backend_type text,
    OUT root_queryid bigint,
    OUT sampled_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_chains_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 200;

CREATE VIEW pg_lwprof_chains AS
    SELECT c.*,
           100 * c.sampled_time / nullif(sum(c.sampled_time) OVER (PARTITION BY c.wait_event), 0)
               AS lock_pct
    FROM pg_lwprof_chains() c
    ORDER BY c.sampled_time DESC;

-- Processes that hold the lock a process waits for now; empty when it waits for none.
CREATE FUNCTION pg_lwprof_blocking_pids(pid integer)
RETURNS integer[]
LANGUAGE sql VOLATILE STRICT PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT coalesce((SELECT a.holder_pids FROM pg_lwprof_activity() a WHERE a.pid = $1), '{}');
END;

-- Texts of pg_stat_statements, where that is installed and loaded; else no row.
CREATE FUNCTION pg_lwprof_statements(
    OUT queryid bigint,
    OUT userid oid,
    OUT dbid oid,
    OUT query text
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_statements_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 1000;

-- Which query waited for which lock.
CREATE FUNCTION pg_lwprof_queries(
    OUT what text,
    OUT wait_event text,
    OUT classic_name text,
    OUT backend_type text,
    OUT others boolean,
    OUT queryid bigint,
    OUT command text,
    OUT datid oid,
    OUT userid oid,
    OUT sampled_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_queries_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 500;

CREATE VIEW pg_lwprof_queries AS
    WITH q AS MATERIALIZED (SELECT * FROM pg_lwprof_queries()),
         s AS MATERIALIZED (SELECT * FROM pg_lwprof_statements()),
         active AS (
             SELECT q.backend_type, q.others, q.queryid, q.command, q.datid, q.userid,
                    sum(q.sampled_time) AS active_time
             FROM q WHERE q.what = 'active'
             GROUP BY q.backend_type, q.others, q.queryid, q.command, q.datid, q.userid)
    SELECT q.wait_event, q.classic_name, q.backend_type, q.queryid, q.command, q.others, q.datid,
           d.datname,
           q.userid, r.rolname AS usename, q.sampled_time,
           100 * q.sampled_time / nullif(sum(q.sampled_time) OVER (PARTITION BY q.wait_event), 0)
               AS lock_pct,
           a.active_time,
           100 * q.sampled_time / nullif(a.active_time, 0) AS query_pct,
           s.query
    FROM q
         LEFT JOIN active a ON a.backend_type IS NOT DISTINCT FROM q.backend_type
              AND a.others = q.others AND a.queryid IS NOT DISTINCT FROM q.queryid
              AND a.command IS NOT DISTINCT FROM q.command
              AND a.datid IS NOT DISTINCT FROM q.datid AND a.userid IS NOT DISTINCT FROM q.userid
         LEFT JOIN s ON s.queryid = q.queryid AND s.dbid = q.datid AND s.userid = q.userid
         LEFT JOIN pg_catalog.pg_database d ON d.oid = q.datid
         LEFT JOIN pg_catalog.pg_roles r ON r.oid = q.userid
    WHERE q.what = 'waiting'
    ORDER BY q.sampled_time DESC;

-- Everything an active backend does: on CPU, or one wait event.  The parts sum to all of it.
CREATE FUNCTION pg_lwprof_waits(
    OUT backend_type text,
    OUT wait_event_type text,
    OUT wait_event text,
    OUT sampled_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_waits_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 200;

CREATE VIEW pg_lwprof_waits AS
    SELECT w.backend_type, w.wait_event_type, w.wait_event, sum(w.sampled_time) AS sampled_time,
           100 * sum(w.sampled_time)
               / nullif(sum(sum(w.sampled_time)) OVER (PARTITION BY w.backend_type), 0) AS pct
    FROM pg_lwprof_waits() w
    GROUP BY w.backend_type, w.wait_event_type, w.wait_event
    ORDER BY sum(w.sampled_time) DESC;

-- One row per waiting backend and sampling pass, the latest ones.
CREATE FUNCTION pg_lwprof_samples(
    OUT sampled_at timestamptz,
    OUT pid integer,
    OUT backend_type text,
    OUT wait_event text,
    OUT classic_name text,
    OUT mode text,
    OUT kind text,
    OUT number integer,
    OUT instance_datid oid,
    OUT reltablespace oid,
    OUT relfilenode oid,
    OUT fork text,
    OUT block bigint,
    OUT address text,
    OUT holder_pid integer,
    OUT queryid bigint,
    OUT datid oid,
    OUT userid oid,
    OUT waiting_for double precision,
    OUT weight double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_samples_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 5000;

CREATE VIEW pg_lwprof_samples AS
    SELECT * FROM pg_lwprof_samples();

-- Spinlocks whose first try failed, by place in the code.
CREATE FUNCTION pg_lwprof_spinlocks(
    OUT file text,
    OUT line integer,
    OUT function text,
    OUT entries bigint,
    OUT delays bigint,
    OUT wait_time double precision
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_spinlocks_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 20;

CREATE VIEW pg_lwprof_spinlocks AS
    SELECT s.file || ':' || s.line AS place, s.function, s.entries, s.delays, s.wait_time
    FROM pg_lwprof_spinlocks() s
    ORDER BY s.wait_time DESC;

-- The seconds that were looked at.
CREATE FUNCTION pg_lwprof_history_seconds(
    OUT second timestamptz,
    OUT observed_time double precision,
    OUT unobserved_time double precision,
    OUT all_active_time double precision,
    OUT active_time double precision,
    OUT passes bigint
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_history_seconds_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 3600;

CREATE VIEW pg_lwprof_history_seconds AS
    SELECT * FROM pg_lwprof_history_seconds();

-- What each lock was like in each of them.
CREATE FUNCTION pg_lwprof_history(
    OUT second timestamptz,
    OUT wait_event text,
    OUT classic_name text,
    OUT all_waiting_time double precision,
    OUT waiting_time double precision,
    OUT acquiring_time double precision,
    OUT holding_time double precision,
    OUT active_time double precision,
    OUT observed_time double precision,
    OUT blocked bigint,
    OUT wait_time double precision,
    OUT acquires bigint
)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'pg_lwprof_history_1_0'
LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED ROWS 50000;

CREATE VIEW pg_lwprof_history AS
    SELECT h.*, 100 * h.waiting_time / nullif(h.active_time, 0) AS wait_pct
    FROM pg_lwprof_history() h;

-- The headline for a window of the history: seconds from ... up to, but not including, until.
CREATE FUNCTION pg_lwprof_contention_between(
    from_time timestamptz,
    until_time timestamptz,
    OUT wait_event text,
    OUT classic_name text,
    OUT wait_pct double precision,
    OUT avg_waiters double precision,
    OUT blocked bigint,
    OUT blocked_pct double precision,
    OUT wait_time double precision,
    OUT mean_wait_time double precision,
    OUT hold_pct double precision,
    OUT sampled_wait_time double precision,
    OUT acquires bigint,
    OUT seconds bigint
)
RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL RESTRICTED ROWS 50
BEGIN ATOMIC
    WITH window_seconds AS (
        SELECT count(*) AS n, sum(s.active_time) AS active, sum(s.observed_time) AS observed
        FROM pg_lwprof_history_seconds() s
        WHERE s.second >= $1 AND s.second < $2),
    locks AS (
        SELECT h.wait_event, h.classic_name, sum(h.waiting_time) AS waiting,
               sum(h.all_waiting_time) AS all_waiting, sum(h.holding_time) AS holding,
               sum(h.blocked) AS blocked, sum(h.wait_time) AS wait_time,
               sum(h.acquires) AS acquires
        FROM pg_lwprof_history() h
        WHERE h.second >= $1 AND h.second < $2
        GROUP BY h.wait_event, h.classic_name)
    SELECT l.wait_event, l.classic_name, 100 * l.waiting / nullif(w.active, 0),
           l.all_waiting / nullif(w.observed, 0), l.blocked::bigint,
           100 * (l.blocked / nullif(sum(l.blocked) OVER (), 0))::double precision,
           l.wait_time, l.wait_time / nullif(l.blocked, 0)::double precision,
           100 * l.holding / nullif(w.active, 0), l.all_waiting, l.acquires::bigint, w.n
    FROM locks l, window_seconds w
    ORDER BY l.all_waiting DESC, l.blocked DESC NULLS LAST;
END;

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
        'profile', (SELECT coalesce(jsonb_agg(to_jsonb(p)), '[]') FROM pg_lwprof_profile p),
        'waits', (SELECT coalesce(jsonb_agg(to_jsonb(w)), '[]') FROM pg_lwprof_waits w),
        'instances', (SELECT coalesce(jsonb_agg(to_jsonb(i)), '[]') FROM pg_lwprof_instances i),
        'holders', (SELECT coalesce(jsonb_agg(to_jsonb(h)), '[]') FROM pg_lwprof_holders h),
        'chains', (SELECT coalesce(jsonb_agg(to_jsonb(c)), '[]') FROM pg_lwprof_chains c),
        'callers', (SELECT coalesce(jsonb_agg(to_jsonb(c)), '[]') FROM pg_lwprof_callers c),
        'stacks', (SELECT coalesce(jsonb_agg(to_jsonb(s)), '[]') FROM pg_lwprof_stacks s),
        'queries', (SELECT coalesce(jsonb_agg(to_jsonb(q)), '[]') FROM pg_lwprof_queries q),
        'histogram', (SELECT coalesce(jsonb_agg(to_jsonb(h)), '[]') FROM pg_lwprof_histogram h),
        'hold_histogram', (SELECT coalesce(jsonb_agg(to_jsonb(h)), '[]')
                           FROM pg_lwprof_hold_histogram h),
        'spinlocks', (SELECT coalesce(jsonb_agg(to_jsonb(s)), '[]') FROM pg_lwprof_spinlocks s));
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
REVOKE ALL ON FUNCTION pg_lwprof_instances() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_instances FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_instances() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_instances TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_callers() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_callers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_callers() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_callers TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_stacks() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_stacks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_stacks() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_stacks TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_histogram() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_histogram FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_histogram() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_histogram TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_hold_histogram() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_hold_histogram FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_hold_histogram() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_hold_histogram TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_holders() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_holders FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_holders() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_holders TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_chains() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_chains FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_chains() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_chains TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_queries() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_queries FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_queries() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_queries TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_waits() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_waits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_waits() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_waits TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_samples() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_samples FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_samples() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_samples TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_spinlocks() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_spinlocks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_spinlocks() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_spinlocks TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_history_seconds() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_history_seconds FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_history_seconds() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_history_seconds TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_history() FROM PUBLIC;
REVOKE ALL ON pg_lwprof_history FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_history() TO pg_read_all_stats;
GRANT SELECT ON pg_lwprof_history TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_snapshot() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_snapshot() TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_statements() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_statements() TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_blocking_pids(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_blocking_pids(integer) TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_contention_between(timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_lwprof_contention_between(timestamptz, timestamptz) TO pg_read_all_stats;
REVOKE ALL ON FUNCTION pg_lwprof_reset() FROM PUBLIC;
