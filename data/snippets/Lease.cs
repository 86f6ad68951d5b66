// {{about}}
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
    private const string Name = "{{name}}";
    private const string Bridge = "{{bridge}}";
    private static readonly TimeSpan Ttl = TimeSpan.FromMilliseconds("{{ttl_milliseconds}}");

    private const string Take = "{{take.sql}}";

    private const string Renew = "{{renew.sql}}";

    private const string Release = "{{release.sql}}";

    private const string Bridged = "{{bridge.sql}}";

    private const string Fence = "{{fence_check.sql}}";

    public static async Task Before(NpgsqlConnection session, Func<Task> work)
    {
        await Command(session, "{{lock}}").ExecuteNonQueryAsync();
        try
        {
            await work();
        }
        finally
        {
            await Command(session, "{{unlock}}").ExecuteNonQueryAsync();
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
            await Command(session!, "{{hold}}").ExecuteNonQueryAsync();
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
