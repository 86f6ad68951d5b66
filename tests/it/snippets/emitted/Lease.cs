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
// Needs .NET 8, C# 11 and Npgsql. The work's token is cancelled when the lease is lost.
using System;
using System.Diagnostics;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Npgsql;

public sealed class LeaseLost : Exception { }

public sealed class Lease
{
    private const string Name = "sweep";
    private const string Bridge = "hold";
    private static readonly TimeSpan Ttl = TimeSpan.FromMilliseconds(2000);

    private const string Take = """
        WITH seen AS (
            SELECT
                l.holder AS holder,
                l.token AS token,
                l.mode AS mode,
                l.holder IS NULL OR l.holder = @p2 OR l.expires_at <= pg_catalog.clock_timestamp() AS free,
                l.key AS key,
                l.key1 AS key1,
                l.key2 AS key2
            FROM lockaudit_lease AS l
            WHERE l.name = @p1
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
                WHEN @p4 = 'hold' THEN true
                WHEN @p4 <> 'probe' THEN false
                WHEN s.key IS NOT NULL THEN pg_catalog.pg_try_advisory_xact_lock_shared(s.key)
                ELSE pg_catalog.pg_try_advisory_xact_lock_shared(s.key1, s.key2)
            END
        ), granted AS (
            INSERT INTO lockaudit_lease AS l (
                name, holder, token, taken_at, ttl, expires_at, mode, bridged, key, key1, key2
            )
            SELECT
                @p1,
                @p2,
                o.floor + 1,
                c.at,
                pg_catalog.make_interval(secs => @p3),
                c.at + pg_catalog.make_interval(secs => @p3),
                o.mode,
                o.mode = 'both' AND @p4 = 'probe',
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
            SELECT g.taken_at, @p1, o.token, 'expired', o.holder, NULL::text
            FROM granted AS g
            CROSS JOIN open AS o
            WHERE o.holder IS NOT NULL AND g.token = greatest(o.token, o.floor) + 1
            UNION ALL
            SELECT g.taken_at, @p1, g.token, 'granted', @p2, @p5
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
    """;

    private const string Renew = """
        WITH mine AS MATERIALIZED (
            SELECT
                l.name AS name,
                l.expires_at AS expires_at,
                pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                    WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                    ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
            FROM lockaudit_lease AS l
            WHERE l.name = @p1 AND l.holder = @p2 AND l.token = @p3
            FOR NO KEY UPDATE
        )
        UPDATE lockaudit_lease AS l SET
            ttl = pg_catalog.make_interval(secs => @p4),
            expires_at = pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => @p4)
        FROM mine AS m
        WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
        RETURNING
            l.expires_at AS expires_at,
            extract(epoch FROM l.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds,
            l.mode AS mode,
            l.bridged AS bridged
    """;

    private const string Release = """
        WITH released AS (
            UPDATE lockaudit_lease AS l SET holder = NULL, expires_at = '-infinity', bridged = false
            WHERE l.name = @p1 AND l.holder = @p2 AND l.token = @p3
            RETURNING
                l.token AS token,
                pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
                    WHEN 'off' THEN 'on' WHEN 'local' THEN 'on'
                    ELSE pg_catalog.current_setting('synchronous_commit') END, true) AS durable
        ), logged AS (
            INSERT INTO lockaudit_lease_log (name, token, event, holder, reason)
            SELECT @p1, r.token, 'released', @p2, @p4
            FROM released AS r
            ON CONFLICT DO NOTHING
        )
        SELECT r.token AS token
        FROM released AS r
    """;

    private const string Bridged = """
        WITH mine AS MATERIALIZED (
            SELECT l.name AS name, l.expires_at AS expires_at
            FROM lockaudit_lease AS l
            WHERE l.name = @p1 AND l.holder = @p2 AND l.token = @p3
            FOR NO KEY UPDATE
        )
        UPDATE lockaudit_lease AS l SET bridged = true
        FROM mine AS m
        WHERE l.name = m.name AND m.expires_at > pg_catalog.clock_timestamp()
        RETURNING l.bridged AS bridged
    """;

    private const string Fence = """
        WITH mine AS MATERIALIZED (
            SELECT l.expires_at AS expires_at
            FROM lockaudit_lease AS l
            WHERE l.name = @p1 AND l.holder = @p2 AND l.token = @p3
            FOR SHARE
        )
        SELECT
            m.expires_at AS expires_at,
            extract(epoch FROM m.expires_at - pg_catalog.clock_timestamp())::float8 AS remaining_seconds
        FROM mine AS m
        WHERE m.expires_at > pg_catalog.clock_timestamp()
    """;

    public static async Task Before(NpgsqlConnection session, Func<Task> work)
    {
        await Command(session, "SELECT pg_advisory_lock(42)").ExecuteNonQueryAsync();
        try
        {
            await work();
        }
        finally
        {
            await Command(session, "SELECT pg_advisory_unlock(42)").ExecuteNonQueryAsync();
        }
    }

    /// <summary>Runs the work under the lease; false, at once, if the lease is not to be had.</summary>
    public static async Task<bool> After(string connectionString, Func<Lease, CancellationToken, Task> work)
    {
        var lease = new Lease(connectionString);
        await lease.Connect();
        if (!await lease.IsTaken())
        {
            lease.Close();
            return false;
        }
        using var done = new CancellationTokenSource();
        var kept = lease.Keep(done.Token);
        try
        {
            await work(lease, lease.lost.Token);
            if (lease.lost.IsCancellationRequested) throw new LeaseLost();
            return true;
        }
        finally
        {
            done.Cancel();
            await kept;
            await lease.GiveBack();
        }
    }

    private readonly string connectionString;
    private readonly string holder =
        $"{Environment.MachineName}:{Environment.ProcessId}:{RandomNumberGenerator.GetHexString(16, lowercase: true)}";
    private readonly CancellationTokenSource lost = new();
    private NpgsqlConnection? session;
    private long token;
    private bool bridged;

    private Lease(string connectionString)
    {
        // Without a pool, and without a time limit of the driver's, which would cancel on the server.
        var builder = new NpgsqlConnectionStringBuilder(connectionString) { Pooling = false, CommandTimeout = 0 };
        this.connectionString = builder.ConnectionString;
    }

    /// <summary>Last before COMMIT, in the work's own transaction.</summary>
    public async Task AskFence(NpgsqlTransaction transaction)
    {
        if (!await HasRow(transaction.Connection!, Fence, Name, holder, token)) throw new LeaseLost();
    }

    private async Task<bool> IsTaken()
    {
        var asked = Stopwatch.GetTimestamp();
        await using var take = Command(session!, Take, Name, holder, Ttl.TotalSeconds, Bridge, null);
        string mode;
        await using (var granted = await take.ExecuteReaderAsync())
        {
            if (!await granted.ReadAsync()) return false;
            token = granted.GetInt64(0);
            mode = granted.GetString(3);
        }
        Confirmed(asked);
        if (mode == "both" && Bridge == "hold") await Hold();
        return true;
    }

    private async Task Hold()
    {
        try
        {
            await Command(session!, "SELECT set_config('lock_timeout', '2s', true), pg_advisory_lock_shared(42)").ExecuteNonQueryAsync();
            bridged = await HasRow(session!, Bridged, Name, holder, token);
            if (!bridged) throw new LeaseLost();
        }
        catch
        {
            await GiveBack();
            throw;
        }
    }

    private async Task Keep(CancellationToken done)
    {
        // Once the old key is held, the end of its session is the end of the lease: look often.
        var usual = bridged && Ttl > TimeSpan.FromSeconds(4) ? TimeSpan.FromSeconds(1) : Ttl / 4;
        var pause = usual;
        using var over = CancellationTokenSource.CreateLinkedTokenSource(done, lost.Token);
        while (!over.IsCancellationRequested)
        {
            try
            {
                await Task.Delay(pause, over.Token);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            var asked = Stopwatch.GetTimestamp();
            try
            {
                if (session is null) await Connect();
                if (!await HasRow(session!, Renew, Name, holder, token, Ttl.TotalSeconds).WaitAsync(Ttl / 16))
                {
                    lost.Cancel();
                    return;
                }
                Confirmed(asked);
                pause = usual;
            }
            catch (Exception unknown) when (unknown is NpgsqlException or TimeoutException)
            {
                Close();
                if (bridged) lost.Cancel();
                pause = Ttl / 40;
            }
        }
    }

    private async Task GiveBack()
    {
        try
        {
            if (session is not null) await HasRow(session, Release, Name, holder, token, null).WaitAsync(Ttl / 16);
        }
        catch (Exception unknown) when (unknown is NpgsqlException or TimeoutException)
        {
            // It ends by itself.
        }
        Close();
    }

    private async Task Connect()
    {
        var opened = new NpgsqlConnection(connectionString);
        using var patience = new CancellationTokenSource(Ttl / 16);
        try
        {
            await opened.OpenAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            throw new TimeoutException();
        }
        session = opened;
    }

    private void Close()
    {
        var closed = session;
        session = null;
        if (closed is not null) _ = Task.Run(closed.Dispose);
    }

    private void Confirmed(long asked)
    {
        var left = Ttl * 3 / 4 - Stopwatch.GetElapsedTime(asked);
        lost.CancelAfter(left > TimeSpan.Zero ? left : TimeSpan.Zero);
    }

    private static async Task<bool> HasRow(NpgsqlConnection session, string sql, params object?[] values)
    {
        await using var command = Command(session, sql, values);
        await using var row = await command.ExecuteReaderAsync();
        return await row.ReadAsync();
    }

    private static NpgsqlCommand Command(NpgsqlConnection session, string sql, params object?[] values)
    {
        var command = new NpgsqlCommand(sql, session);
        for (var place = 0; place < values.Length; place++)
        {
            command.Parameters.AddWithValue($"p{place + 1}", values[place] ?? DBNull.Value);
        }
        return command;
    }
}
