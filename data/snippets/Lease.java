// {{about}}
//
// Needs the PostgreSQL JDBC driver.
import java.net.InetAddress;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

public final class Lease {
    private static final String NAME = "{{name}}";
    private static final String BRIDGE = "{{bridge}}";
    private static final long TTL_MILLIS = "{{ttl_milliseconds}}";

    // JDBC has a `?` for each place: beside each statement stands which value belongs where.
    private static final String TAKE = "{{take.sql}}";
    private static final int[] TAKE_ORDER = {"{{take.order}}"};

    private static final String RENEW = "{{renew.sql}}";
    private static final int[] RENEW_ORDER = {"{{renew.order}}"};

    private static final String RELEASE = "{{release.sql}}";
    private static final int[] RELEASE_ORDER = {"{{release.order}}"};

    private static final String BRIDGED = "{{bridge.sql}}";
    private static final int[] BRIDGED_ORDER = {"{{bridge.order}}"};

    private static final String FENCE = "{{fence_check.sql}}";
    private static final int[] FENCE_ORDER = {"{{fence_check.order}}"};

    public interface Work {
        void run(Lease lease) throws Exception;
    }

    /** Stop, and roll back what is not committed. */
    public static final class Lost extends Exception {}

    public static void before(Connection session, Runnable work) throws SQLException {
        run(session, "{{lock}}");
        try {
            work.run();
        } finally {
            run(session, "{{unlock}}");
        }
    }

    /**
     * Runs the work under the lease, in this thread, which is interrupted when the lease is lost; false, at once, if
     * the lease is not to be had.
     */
    public static boolean after(String url, Work work) throws Exception {
        Lease lease = new Lease(url);
        if (!lease.take()) {
            lease.session.close();
            return false;
        }
        Thread worker = Thread.currentThread();
        Thread keeper = new Thread(() -> lease.keep(worker));
        keeper.start();
        try {
            work.run(lease);
            lease.check();
            return true;
        } finally {
            lease.done.countDown();
            boolean interrupted = Thread.interrupted();
            keeper.join();
            if (interrupted && !lease.lost) {
                worker.interrupt();
            } else {
                Thread.interrupted();
            }
            lease.release();
        }
    }

    private final String url;
    private final String holder;
    private final CountDownLatch done = new CountDownLatch(1);
    private Connection session;
    private long token;
    private boolean bridged;
    private volatile boolean lost;
    private volatile long until;

    private Lease(String url) throws Exception {
        String host = InetAddress.getLocalHost().getHostName();
        long pid = ProcessHandle.current().pid();
        this.holder = String.format("%s:%d:%016x", host, pid, new SecureRandom().nextLong());
        this.url = url;
        this.session = connect();
    }

    /** For work that does not look at its interrupts. */
    public void check() throws Lost {
        if (lost || System.nanoTime() - until > 0) {
            throw new Lost();
        }
    }

    /** Last before COMMIT, on the work's own connection. */
    public void fence(Connection transaction) throws SQLException, Lost {
        if (!hasRow(transaction, FENCE, FENCE_ORDER, NAME, holder, token)) {
            throw new Lost();
        }
    }

    private boolean take() throws SQLException, Lost {
        long asked = System.nanoTime();
        double seconds = TTL_MILLIS / 1000.0;
        try (PreparedStatement take = bound(session, TAKE, TAKE_ORDER, NAME, holder, seconds, BRIDGE, null);
                ResultSet granted = take.executeQuery()) {
            if (!granted.next()) {
                return false;
            }
            token = granted.getLong("token");
            confirmed(asked);
            if (granted.getString("mode").equals("both") && BRIDGE.equals("hold")) {
                hold();
            }
            return true;
        }
    }

    private void hold() throws SQLException, Lost {
        try {
            run(session, "{{hold}}");
            bridged = hasRow(session, BRIDGED, BRIDGED_ORDER, NAME, holder, token);
        } finally {
            if (!bridged) {
                release();
            }
        }
        check();
    }

    private void keep(Thread worker) {
        // Once the old key is held, the end of its session is the end of the lease: look often.
        long usual = bridged ? Math.min(1000, TTL_MILLIS / 4) : TTL_MILLIS / 4;
        long pause = usual;
        try {
            while (!done.await(pause, TimeUnit.MILLISECONDS)) {
                long asked = System.nanoTime();
                try {
                    if (session.isClosed()) {
                        session = connect();
                    }
                    if (!hasRow(session, RENEW, RENEW_ORDER, NAME, holder, token, TTL_MILLIS / 1000.0)) {
                        lost = true;
                        break;
                    }
                    confirmed(asked);
                    pause = usual;
                } catch (SQLException unknown) {
                    close();
                    pause = TTL_MILLIS / 40;
                    if (bridged || System.nanoTime() - until > 0) {
                        lost = true;
                        break;
                    }
                }
            }
        } catch (InterruptedException stopped) {
            lost = true;
        }
        if (lost) {
            worker.interrupt();
        }
    }

    private void release() {
        try {
            hasRow(session, RELEASE, RELEASE_ORDER, NAME, holder, token, null);
        } catch (SQLException unknown) {
            // It ends by itself.
        }
        close();
    }

    private void close() {
        try {
            session.close();
        } catch (SQLException gone) {
            // It was closed by the other side.
        }
    }

    private void confirmed(long asked) {
        until = asked + TimeUnit.MILLISECONDS.toNanos(TTL_MILLIS * 3 / 4);
    }

    private Connection connect() throws SQLException {
        String patience = String.valueOf(Math.max(1, TTL_MILLIS / 16_000));
        Properties properties = new Properties();
        properties.setProperty("connectTimeout", patience);
        properties.setProperty("socketTimeout", patience);
        return DriverManager.getConnection(url, properties);
    }

    private static void run(Connection session, String sql) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute(sql);
        }
    }

    private static boolean hasRow(Connection session, String sql, int[] order, Object... values)
            throws SQLException {
        try (PreparedStatement statement = bound(session, sql, order, values);
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    private static PreparedStatement bound(Connection session, String sql, int[] order, Object... values)
            throws SQLException {
        PreparedStatement statement = session.prepareStatement(sql);
        for (int place = 0; place < order.length; place++) {
            statement.setObject(place + 1, values[order[place] - 1]);
        }
        return statement;
    }
}
