// {{about}}
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

private const val NAME = "{{name}}"
private const val BRIDGE = "{{bridge}}"
private const val TTL_MILLIS: Long = "{{ttl_milliseconds}}"

/** JDBC has a `?` for each place: [order] says which value belongs where. */
private class Sql(val text: String, vararg val order: Int)

private val TAKE = Sql("{{take.sql}}", "{{take.order}}")

private val RENEW = Sql("{{renew.sql}}", "{{renew.order}}")

private val RELEASE = Sql("{{release.sql}}", "{{release.order}}")

private val BRIDGED = Sql("{{bridge.sql}}", "{{bridge.order}}")

private val FENCE = Sql("{{fence_check.sql}}", "{{fence_check.order}}")

/** Stop, and roll back what is not committed. */
class LeaseLost : Exception("the lease is lost")

fun before(session: Connection, work: () -> Unit) {
    session.run("{{lock}}")
    try {
        work()
    } finally {
        session.run("{{unlock}}")
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
            session.run("{{hold}}")
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
