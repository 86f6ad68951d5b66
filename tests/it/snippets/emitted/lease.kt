// Before: an advisory key, held by a session for as long as the work lasts. After: a lease, a row
// that ends by itself.
//
// The lease is renewed every quarter of its time, on a connection of its own. An error is not a
// refusal: the renewal may have been done, so it is asked for again, on a new connection. The work
// is stopped at once when the lease is lost for certain, and when three quarters of its time have
// passed unconfirmed; it has the last quarter to stop in. A process that stood still for longer
// notices too late: what must never be written twice asks for the fence, in its own transaction,
// last before COMMIT.
//
// BRIDGE is what this code does about the old key while the name is in mode `both` of the
// migration. `hold`: it holds the key, shared, on the lease's connection, which must lead straight
// to the server, not through a transaction-mode pooler. `probe`: it asks for the key as it takes
// the lease, which is enough only where the old code looks for a lease once it has the key. `none`:
// it gets no lease in that mode. In mode `advisory` nobody gets one, and the old code works on.
//
// Needs kotlinx.coroutines and the PostgreSQL JDBC driver.
import java.net.InetAddress
import java.security.SecureRandom
import java.sql.Connection
import java.sql.DriverManager
import java.sql.PreparedStatement
import java.sql.SQLException
import java.util.Properties
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

private const val NAME = "sweep"
private const val BRIDGE = "hold"
private const val TTL_MILLIS: Long = 2000

/** JDBC has a `?` for each place: [order] says which value belongs where. */
private class Sql(val text: String, vararg val order: Int)

private val TAKE = Sql("""
    WITH seen AS (
        SELECT
            l.holder AS holder,
            l.token AS token,
            l.mode AS mode,
            l.holder IS NULL OR l.holder = ? OR l.expires_at <= pg_catalog.clock_timestamp() AS free,
            l.key AS key,
            l.key1 AS key1,
            l.key2 AS key2
        FROM lockaudit_lease AS l
        WHERE l.name = ?
    ), timeline AS (
        SELECT ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))
            ::pg_catalog.bit(32)::bigint << 40 AS floor
    ), open AS MATERIALIZED (
        SELECT
            s.holder AS holder,
            s.token AS token,
            coalesce(s.mode, 'lease') AS mode,
            t.floor AS floor,
            s.key AS key,
            s.key1 AS key1,
            s.key2 AS key2,
            pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
        FROM timeline AS t
        LEFT JOIN seen AS s ON true
        WHERE CASE
            WHEN NOT coalesce(s.free, true) THEN false
            WHEN coalesce(s.mode, 'lease') = 'lease' THEN true
            WHEN s.mode <> 'both' THEN false
            WHEN ? = 'hold' THEN true
            WHEN ? <> 'probe' THEN false
            WHEN s.key IS NOT NULL THEN pg_catalog.pg_try_advisory_xact_lock_shared(s.key)
            ELSE pg_catalog.pg_try_advisory_xact_lock_shared(s.key1, s.key2)
        END
    ), granted AS (
        INSERT INTO lockaudit_lease AS l (
            name, holder, token, taken_at, ttl, expires_at, mode, bridged, key, key1, key2
        )
        SELECT
            ?,
            ?,
            o.floor + 1,
            c.at,
            pg_catalog.make_interval(secs => ?),
            c.at + pg_catalog.make_interval(secs => ?),
            o.mode,
            o.mode = 'both' AND ? = 'probe',
            o.key,
            o.key1,
            o.key2
        FROM open AS o
        CROSS JOIN (SELECT pg_catalog.clock_timestamp() AS at) AS c
        ON CONFLICT (name) DO UPDATE SET
            (holder, token, taken_at, ttl, expires_at, bridged) = (
                SELECT
                    excluded.holder,
                    CASE WHEN c.same THEN l.token ELSE greatest(l.token + 1, excluded.token) END,
                    CASE WHEN c.same THEN l.taken_at ELSE c.at END,
                    excluded.ttl,
                    c.at + excluded.ttl,
                    CASE WHEN c.same THEN l.bridged ELSE excluded.bridged END
                FROM (
                    SELECT n.at AS at, l.holder = excluded.holder AND l.expires_at > n.at AS same
                    FROM (SELECT pg_catalog.clock_timestamp() AS at) AS n
                ) AS c
            )
        WHERE l.mode = excluded.mode
            AND (l.holder IS NULL OR l.holder = excluded.holder OR l.expires_at <= pg_catalog.clock_timestamp())
        RETURNING l.token AS token, l.taken_at AS taken_at, l.expires_at AS expires_at, l.mode AS mode, l.bridged AS bridged
    ), logged AS (
        INSERT INTO lockaudit_lease_log (at, name, token, event, holder, reason)
        SELECT g.taken_at, ?, o.token, 'expired', o.holder, NULL::text
        FROM granted AS g
        CROSS JOIN open AS o
        WHERE o.holder IS NOT NULL AND g.token = greatest(o.token, o.floor) + 1
        UNION ALL
        SELECT g.taken_at, ?, g.token, 'granted', ?, ?
        FROM granted AS g
        ON CONFLICT DO NOTHING
    )
    SELECT
        g.token AS token,
        g.expires_at AS expires_at,
        extract(epoch FROM g.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
        g.mode AS mode,
        g.bridged AS bridged
    FROM granted AS g
""", 2, 1, 4, 4, 1, 2, 3, 3, 4, 1, 1, 2, 5)

private val RENEW = Sql("""
    WITH mine AS MATERIALIZED (
        SELECT
            l.name AS name,
            l.expires_at AS expires_at,
            pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
        FROM lockaudit_lease AS l
        WHERE l.name = ? AND l.holder = ? AND l.token = ?
        FOR NO KEY UPDATE
    )
    UPDATE lockaudit_lease AS l SET
        ttl = pg_catalog.make_interval(secs => ?),
        expires_at = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => ?)
    FROM mine AS m
    WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
    RETURNING
        l.expires_at AS expires_at,
        extract(epoch FROM l.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
        l.mode AS mode,
        l.bridged AS bridged
""", 1, 2, 3, 4, 4)

private val RELEASE = Sql("""
    WITH released AS (
        UPDATE lockaudit_lease AS l SET holder = NULL, expires_at = '-infinity', bridged = false
        WHERE l.name = ? AND l.holder = ? AND l.token = ?
        RETURNING
            l.token AS token,
            pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
    ), logged AS (
        INSERT INTO lockaudit_lease_log (name, token, event, holder, reason)
        SELECT ?, r.token, 'released', ?, ?
        FROM released AS r
        ON CONFLICT DO NOTHING
    )
    SELECT r.token AS token
    FROM released AS r
""", 1, 2, 3, 1, 2, 4)

private val BRIDGED = Sql("""
    WITH mine AS MATERIALIZED (
        SELECT l.name AS name, l.expires_at AS expires_at
        FROM lockaudit_lease AS l
        WHERE l.name = ? AND l.holder = ? AND l.token = ?
        FOR NO KEY UPDATE
    )
    UPDATE lockaudit_lease AS l SET bridged = true
    FROM mine AS m
    WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
    RETURNING l.bridged AS bridged
""", 1, 2, 3)

private val FENCE = Sql("""
    WITH mine AS MATERIALIZED (
        SELECT l.expires_at AS expires_at
        FROM lockaudit_lease AS l
        WHERE l.name = ? AND l.holder = ? AND l.token = ?
        FOR SHARE
    )
    SELECT
        m.expires_at AS expires_at,
        extract(epoch FROM m.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds
    FROM mine AS m
    WHERE m.expires_at > pg_catalog.clock_timestamp()
""", 1, 2, 3)

/** Stop, and roll back what is not committed. */
class LeaseLost : Exception("the lease is lost")

fun before(session: Connection, work: () -> Unit) {
    session.run("SELECT pg_advisory_lock(42)")
    try {
        work()
    } finally {
        session.run("SELECT pg_advisory_unlock(42)")
    }
}

/** Runs the work under the lease, and cancels it when the lease is lost; false, at once, if it is not to be had. */
suspend fun after(url: String, work: suspend (Lease) -> Unit): Boolean {
    val lease = withContext(Dispatchers.IO) { Lease.taken(url) } ?: return false
    try {
        coroutineScope {
            val keeper = launch(Dispatchers.IO) { lease.keep() }
            work(lease)
            keeper.cancel()
        }
    } finally {
        withContext(NonCancellable + Dispatchers.IO) { lease.release() }
    }
    return true
}

class Lease private constructor(private val url: String, private var session: Connection) {
    private val holder = "%s:%d:%016x".format(
        InetAddress.getLocalHost().hostName, ProcessHandle.current().pid(), SecureRandom().nextLong())
    private var token = 0L
    private var bridged = false
    private var until = 0L

    /** Last before COMMIT, on the work's own connection. */
    fun fence(transaction: Connection) {
        if (!transaction.hasRow(FENCE, NAME, holder, token)) throw LeaseLost()
    }

    private fun take(): Boolean {
        confirmed(System.nanoTime())
        session.bound(TAKE, NAME, holder, TTL_MILLIS / 1000.0, BRIDGE, null).use { take ->
            val granted = take.executeQuery()
            if (!granted.next()) return false
            token = granted.getLong("token")
            if (granted.getString("mode") == "both" && BRIDGE == "hold") hold()
            return true
        }
    }

    private fun hold() {
        try {
            session.run("SELECT set_config('lock_timeout', '2s', true), pg_advisory_lock_shared(42)")
            bridged = session.hasRow(BRIDGED, NAME, holder, token)
        } finally {
            if (!bridged) release()
        }
        if (!bridged) throw LeaseLost()
    }

    /** Ends when the work does, or with an exception, which cancels the work. */
    internal suspend fun keep() {
        // Once the old key is held, the end of its session is the end of the lease: look often.
        val usual = if (bridged) minOf(1000L, TTL_MILLIS / 4) else TTL_MILLIS / 4
        var pause = usual
        while (true) {
            delay(pause)
            val asked = System.nanoTime()
            try {
                if (session.isClosed) session = connect(url)
                if (!session.hasRow(RENEW, NAME, holder, token, TTL_MILLIS / 1000.0)) throw LeaseLost()
                confirmed(asked)
                pause = usual
            } catch (unknown: SQLException) {
                runCatching { session.close() }
                if (bridged || System.nanoTime() - until > 0) throw LeaseLost()
                pause = TTL_MILLIS / 40
            }
        }
    }

    internal fun release() {
        // If this fails, the lease ends by itself.
        runCatching { session.hasRow(RELEASE, NAME, holder, token, null) }
        runCatching { session.close() }
    }

    private fun confirmed(asked: Long) {
        until = asked + TTL_MILLIS * 3 / 4 * 1_000_000
    }

    companion object {
        internal fun taken(url: String): Lease? {
            val lease = Lease(url, connect(url))
            if (lease.take()) return lease
            lease.session.close()
            return null
        }

        private fun connect(url: String): Connection {
            val patience = maxOf(1L, TTL_MILLIS / 16_000).toString()
            val properties = Properties()
            properties["connectTimeout"] = patience
            properties["socketTimeout"] = patience
            return DriverManager.getConnection(url, properties)
        }
    }
}

private fun Connection.run(sql: String) {
    createStatement().use { it.execute(sql) }
}

private fun Connection.hasRow(sql: Sql, vararg values: Any?): Boolean =
    bound(sql, *values).use { it.executeQuery().next() }

private fun Connection.bound(sql: Sql, vararg values: Any?): PreparedStatement {
    val statement = prepareStatement(sql.text)
    sql.order.forEachIndexed { place, number -> statement.setObject(place + 1, values[number - 1]) }
    return statement
}
