-- What scripts/demo prints after the load.  Variables: tps, clients, seconds.
SELECT format('TPC-B-like load, %s clients, %s s: %s tps', :'clients', :'seconds',
              round(:'tps'::numeric));
SELECT format('instrumentation: %s%s; %s samples, one every %s ms; sampler used %s %% of one CPU',
              mode, ' (' || reason || ')', passes, round(achieved_interval::numeric, 2),
              round((100 * sampler_cpu_time / nullif(observed_time + unobserved_time, 0))::numeric, 2))
FROM pg_lwprof_info;

SELECT E'\nWhere the time of active backends went (wait_pct: percent of it; times in ms)\n';
SELECT format('%-24s %8s %11s %9s %9s %10s %8s %8s', 'lock', 'wait_pct', 'avg_waiters', 'blocked',
              'of all', 'wait_time', 'mean', 'max');
SELECT format('%-24s %8s %11s %9s %9s %10s %8s %8s',
              coalesce(classic_name, wait_event, '(others)'),
              coalesce(round(wait_pct::numeric, 2)::text, '-'),
              coalesce(round(avg_waiters::numeric, 3)::text, '-'),
              coalesce(blocked::text, '-'),
              coalesce(round(blocked_pct::numeric, 1) || ' %', '-'),
              coalesce(round(wait_time::numeric, 1)::text, '-'),
              coalesce(round(mean_wait_time::numeric, 3)::text, '-'),
              coalesce(round(max_wait_time::numeric, 2)::text, '-'))
FROM pg_lwprof_contention
WHERE blocked > 0 OR (blocked IS NULL AND sampled_wait_time > 0)
LIMIT 10;

SELECT E'\nRequests for the three locks everybody asks about\n';
SELECT format('%-24s %12s %12s %10s %10s', 'lock', 'shared', 'exclusive', 'blocked', 'of all');
SELECT format('%-24s %12s %12s %10s %10s', l.classic_name,
              coalesce(l.shared_acquires::text, '-'), coalesce(l.exclusive_acquires::text, '-'),
              coalesce(c.blocked::text, '-'), coalesce(round(c.blocked_pct::numeric, 1) || ' %', '-'))
FROM pg_lwprof_locks l JOIN pg_lwprof_contention c USING (wait_event)
WHERE l.classic_name IS NOT NULL
ORDER BY array_position(ARRAY['WALInsertLock', 'CLogControlLock', 'ProcArrayLock'], l.classic_name);
SELECT format('%-24s %12s %12s %10s %10s', 'all locks', coalesce(sum(shared_acquires)::text, '-'),
              coalesce(sum(exclusive_acquires)::text, '-'),
              coalesce((SELECT sum(blocked) FROM pg_lwprof_contention)::text, '-'), '')
FROM pg_lwprof_locks;
