/*
 * workloads.h
 *		Scripts that each make one lock of the server hot.
 *
 * Included by builtin.c alone.  docs/lwbench-workloads.md tells why each one
 * works and what was measured.  The objects live in the schema "lwbench" and
 * are dropped and made anew by "lwbench -i -b NAME".  Most of the work is done
 * by procedures that commit inside the server, so that the clients spend their
 * time at the lock and not at the network.
 */
#ifndef LWP_WORKLOADS_H
#define LWP_WORKLOADS_H

#define LWP_SCHEMA "CREATE SCHEMA IF NOT EXISTS lwbench;\n"
#define LWP_NOSYNC "SET synchronous_commit = off;\n"

/* more writers than the eight insertion locks, each copying a lot */
#define LWP_WL_WAL_INSERT                                                                          \
	{                                                                                              \
		.name = "wal-insert", .desc = "<builtin: WAL insertion>", .target = "WALInsert",           \
		.doc = "large WAL records from more sessions than there are insertion locks",              \
		.init = LWP_SCHEMA,                                                                        \
		.script = LWP_NOSYNC                                                                       \
			"SELECT count(pg_logical_emit_message(false, 'lwbench', repeat('x', 4000))) "          \
			"FROM generate_series(1, 100);\n"                                                      \
	}

/* nothing but commits that wait for the flush */
#define LWP_WL_WAL_WRITE                                                                           \
	{                                                                                              \
		.name = "wal-write", .desc = "<builtin: WAL flush at commit>", .target = "WALWrite",       \
		.doc = "tiny synchronous commits that wait for each other's flush", .init = LWP_SCHEMA,    \
		.script = "SELECT pg_logical_emit_message(true, 'lwbench', 'x');\n"                        \
	}

/* TransactionIdIsInProgress scans the array, commits want it alone */
#define LWP_WL_PROC_ARRAY                                                                          \
	{                                                                                              \
		.name = "proc-array", .desc = "<builtin: scans of the process array>",                     \
		.target = "ProcArray",                                                                     \
		.doc = "commits against many checks of whether a transaction is in progress",              \
		.init =                                                                                    \
			LWP_SCHEMA "CREATE OR REPLACE PROCEDURE lwbench.proc_array(n int, m int) "             \
					   "LANGUAGE plpgsql AS $$\n"                                                  \
					   "DECLARE x bigint; d bigint;\n"                                             \
					   "BEGIN\n"                                                                   \
					   "  FOR i IN 1..n LOOP\n"                                                    \
					   "    x := pg_current_xact_id()::text::bigint;\n"                            \
					   "    SELECT count(pg_xact_status((x - 1 - g % 60)::text::xid8)) INTO d\n"   \
					   "      FROM generate_series(1, m) g;\n"                                     \
					   "    COMMIT;\n"                                                             \
					   "  END LOOP;\n"                                                             \
					   "END $$;\n",                                                                \
		.script = LWP_NOSYNC "CALL lwbench.proc_array(5, 1000);\n"                                 \
	}

/* status of old transactions is read while new ones write theirs */
#define LWP_WL_XACT_SLRU                                                                           \
	{                                                                                              \
		.name = "xact-slru", .desc = "<builtin: transaction status lookups>",                      \
		.target = "XactSLRU",                                                                      \
		.doc = "transaction status lookups against commits that write theirs",                     \
		.init = LWP_SCHEMA "CREATE OR REPLACE PROCEDURE lwbench.xact_slru(n int, m int) "          \
						   "LANGUAGE plpgsql AS $$\n"                                              \
						   "DECLARE x bigint; d bigint;\n"                                         \
						   "BEGIN\n"                                                               \
						   "  FOR i IN 1..n LOOP\n"                                                \
						   "    x := pg_current_xact_id()::text::bigint;\n"                        \
						   "    SELECT count(pg_xact_status((x - 200 - g)::text::xid8)) INTO d\n"  \
						   "      FROM generate_series(1, m) g;\n"                                 \
						   "    COMMIT;\n"                                                         \
						   "  END LOOP;\n"                                                         \
						   "END $$;\n",                                                            \
		.script = LWP_NOSYNC "CALL lwbench.xact_slru(20, 500);\n"                                  \
	}

/* more than 64 subtransactions: every snapshot must look parents up */
#define LWP_WL_SUBTRANS_SLRU                                                                       \
	{                                                                                              \
		.name = "subtrans-slru", .desc = "<builtin: overflowed subtransactions>",                  \
		.target = "SubtransSLRU",                                                                  \
		.doc = "scans with snapshots whose subtransactions have overflowed",                       \
		.init = LWP_SCHEMA                                                                         \
			"DROP TABLE IF EXISTS lwbench.subtrans;\n"                                             \
			"CREATE UNLOGGED TABLE lwbench.subtrans (client int, id int, v int) "                  \
			"WITH (fillfactor = 50);\n"                                                            \
			"INSERT INTO lwbench.subtrans SELECT c, g, 0 FROM generate_series(0, 63) c, "          \
			"generate_series(1, 70) g;\n"                                                          \
			"CREATE INDEX ON lwbench.subtrans (client, id);\n"                                     \
			"VACUUM ANALYZE lwbench.subtrans;\n"                                                   \
			"CREATE OR REPLACE PROCEDURE lwbench.subtrans_slru(c int) "                            \
			"LANGUAGE plpgsql AS $$\n"                                                             \
			"DECLARE d bigint;\n"                                                                  \
			"BEGIN\n"                                                                              \
			"  FOR i IN 1..70 LOOP\n"                                                              \
			"    BEGIN\n"                                                                          \
			"      UPDATE lwbench.subtrans SET v = v + 1 WHERE client = c AND id = i;\n"           \
			"    EXCEPTION WHEN division_by_zero THEN NULL;\n"                                     \
			"    END;\n"                                                                           \
			"  END LOOP;\n"                                                                        \
			"  FOR i IN 1..5 LOOP\n"                                                               \
			"    SELECT count(v) INTO d FROM lwbench.subtrans;\n"                                  \
			"  END LOOP;\n"                                                                        \
			"END $$;\n",                                                                           \
		.script = LWP_NOSYNC "CALL lwbench.subtrans_slru(:client_id % 64);\n"                      \
	}

/* rows whose xmax is a multixact with an updater in it: readers look inside */
#define LWP_WL_MULTIXACT_SLRU                                                                      \
	{                                                                                              \
		.name = "multixact-slru", .desc = "<builtin: multixact lookups>",                          \
		.target = "MultiXactMemberSLRU",                                                           \
		.doc = "reads of rows that are key-share locked while an update of them is open",          \
		.init = LWP_SCHEMA                                                                         \
			"DROP TABLE IF EXISTS lwbench.multixact;\n"                                            \
			"CREATE UNLOGGED TABLE lwbench.multixact (id int PRIMARY KEY, v int, filler text);\n"  \
			"ALTER TABLE lwbench.multixact ALTER filler SET STORAGE plain;\n"                      \
			"INSERT INTO lwbench.multixact SELECT g, 0, repeat('x', 3500) "                        \
			"FROM generate_series(1, 400) g;\n"                                                    \
			"VACUUM ANALYZE lwbench.multixact;\n",                                                 \
		.script = LWP_NOSYNC                                                                       \
			"\\if :client_id = 0\n"                                                                \
			"BEGIN;\n"                                                                             \
			"UPDATE lwbench.multixact SET v = v + 1;\n"                                            \
			"\\sleep 1 s\n"                                                                        \
			"COMMIT;\n"                                                                            \
			"\\else\n"                                                                             \
			"SELECT count(*) FROM (SELECT 1 FROM lwbench.multixact WHERE id = ANY (ARRAY("         \
			"SELECT 1 + (random() * 399)::int FROM generate_series(1, 5))) FOR KEY SHARE) s;\n"    \
			"SELECT count(v) FROM lwbench.multixact;\n"                                            \
			"SELECT count(v) FROM lwbench.multixact;\n"                                            \
			"SELECT count(v) FROM lwbench.multixact;\n"                                            \
			"\\endif\n"                                                                            \
	}

/* every read evicts: scale 1 is 256 MB, one row per page */
#define LWP_WL_BUFFER_MAPPING                                                                      \
	{                                                                                              \
		.name = "buffer-mapping", .desc = "<builtin: buffer replacement>",                         \
		.target = "BufferMapping",                                                                 \
		.doc = "random reads of a table larger than shared_buffers (256 MB per unit of -s)",       \
		.init = LWP_SCHEMA "DROP TABLE IF EXISTS lwbench.buffer_mapping;\n"                        \
						   "CREATE UNLOGGED TABLE lwbench.buffer_mapping (id int, filler text);\n" \
						   "ALTER TABLE lwbench.buffer_mapping ALTER filler SET STORAGE plain;\n"  \
						   "INSERT INTO lwbench.buffer_mapping SELECT g, repeat('x', 6000) "       \
						   "FROM generate_series(1, 32768 * :scale) g;\n"                          \
						   "CREATE UNIQUE INDEX ON lwbench.buffer_mapping (id);\n"                 \
						   "VACUUM ANALYZE lwbench.buffer_mapping;\n",                             \
		.script = "SELECT sum(length(filler)) FROM lwbench.buffer_mapping WHERE id = ANY (ARRAY("  \
				  "SELECT 1 + (random() * (32768 * :scale - 1))::int "                             \
				  "FROM generate_series(1, 200)));\n"                                              \
	}

/* everybody inserts into the right-most leaf of one index */
#define LWP_WL_BUFFER_CONTENT                                                                      \
	{                                                                                              \
		.name = "buffer-content", .desc = "<builtin: right-most index leaf>",                      \
		.target = "BufferContent",                                                                 \
		.doc = "inserts of ascending keys, all into the right-most leaf of one index",             \
		.init = LWP_SCHEMA                                                                         \
			"DROP TABLE IF EXISTS lwbench.buffer_content;\n"                                       \
			"CREATE UNLOGGED TABLE lwbench.buffer_content (id bigserial PRIMARY KEY);\n",          \
		.script =                                                                                  \
			LWP_NOSYNC "INSERT INTO lwbench.buffer_content SELECT FROM generate_series(1, 100);\n" \
	}

/* more relations per query than the sixteen of the fast path */
#define LWP_WL_LOCK_MANAGER                                                                        \
	{                                                                                              \
		.name = "lock-manager", .desc = "<builtin: relation locks>", .target = "LockManager",      \
		.doc = "queries on more partitions than a session's fast-path locks",                      \
		.init = LWP_SCHEMA                                                                         \
			"DROP TABLE IF EXISTS lwbench.lock_manager;\n"                                         \
			"CREATE TABLE lwbench.lock_manager (id int PRIMARY KEY, v int) "                       \
			"PARTITION BY RANGE (id);\n"                                                           \
			"DO $$ BEGIN FOR i IN 0..63 LOOP EXECUTE format('CREATE TABLE "                        \
			"lwbench.lock_manager_%s PARTITION OF lwbench.lock_manager "                           \
			"FOR VALUES FROM (%s) TO (%s)', i, i * 100, i * 100 + 100); END LOOP; END $$;\n"       \
			"INSERT INTO lwbench.lock_manager SELECT g, 0 FROM generate_series(0, 6399) g;\n"      \
			"ANALYZE lwbench.lock_manager;\n",                                                     \
		.script = "SELECT count(v) FROM lwbench.lock_manager WHERE id % 6400 = 5;\n"               \
	}

/* serializable reads of the same rows: their locks hash to the same partitions */
#define LWP_WL_PREDICATE_LOCK                                                                      \
	{                                                                                              \
		.name = "predicate-lock", .desc = "<builtin: serializable reads>",                         \
		.target = "PredicateLockManager",                                                          \
		.doc = "serializable transactions that all read the same rows",                            \
		.init = LWP_SCHEMA                                                                         \
			"DROP TABLE IF EXISTS lwbench.predicate_lock;\n"                                       \
			"CREATE UNLOGGED TABLE lwbench.predicate_lock (id int PRIMARY KEY, v int);\n"          \
			"INSERT INTO lwbench.predicate_lock SELECT g, 0 FROM generate_series(1, 100000) g;\n"  \
			"VACUUM ANALYZE lwbench.predicate_lock;\n"                                             \
			"CREATE OR REPLACE PROCEDURE lwbench.predicate_lock(n int, m int) "                    \
			"LANGUAGE plpgsql AS $$\n"                                                             \
			"DECLARE d int;\n"                                                                     \
			"BEGIN\n"                                                                              \
			"  FOR i IN 1..n LOOP\n"                                                               \
			"    COMMIT;\n"                                                                        \
			"    FOR k IN 1..m LOOP\n"                                                             \
			"      SELECT v INTO d FROM lwbench.predicate_lock WHERE id = k * 1000;\n"             \
			"    END LOOP;\n"                                                                      \
			"  END LOOP;\n"                                                                        \
			"END $$;\n",                                                                           \
		.script = "SET default_transaction_isolation = serializable;\n"                            \
				  "CALL lwbench.predicate_lock(20, 80);\n"                                         \
	}

/* a new listener looks at all others with the queue locked */
#define LWP_WL_NOTIFY_QUEUE                                                                        \
	{                                                                                              \
		.name = "notify-queue", .desc = "<builtin: notification queue>", .target = "NotifyQueue",  \
		.doc = "sessions that begin and end to LISTEN all the time",                               \
		.init = LWP_SCHEMA "CREATE OR REPLACE PROCEDURE lwbench.notify_queue(n int) "              \
						   "LANGUAGE plpgsql AS $$\n"                                              \
						   "BEGIN\n"                                                               \
						   "  FOR i IN 1..n LOOP\n"                                                \
						   "    EXECUTE 'LISTEN lwbench_queue';\n"                                 \
						   "    COMMIT;\n"                                                         \
						   "    EXECUTE 'UNLISTEN lwbench_queue';\n"                               \
						   "    COMMIT;\n"                                                         \
						   "  END LOOP;\n"                                                         \
						   "END $$;\n",                                                            \
		.script = "CALL lwbench.notify_queue(100);\n"                                              \
	}

#define LWP_WORKLOADS                                                                              \
	LWP_WL_WAL_INSERT, LWP_WL_WAL_WRITE, LWP_WL_PROC_ARRAY, LWP_WL_XACT_SLRU,                      \
		LWP_WL_SUBTRANS_SLRU, LWP_WL_MULTIXACT_SLRU, LWP_WL_BUFFER_MAPPING, LWP_WL_BUFFER_CONTENT, \
		LWP_WL_LOCK_MANAGER, LWP_WL_PREDICATE_LOCK, LWP_WL_NOTIFY_QUEUE
#endif
