# {{about}}
#
# Needs postgrex. `options` are those of Postgrex.start_link/1.
defmodule Lease do
  @name "{{name}}"
  @bridge "{{bridge}}"
  # In milliseconds.
  @ttl "{{ttl_milliseconds}}"
  @usable div(@ttl * 3, 4)
  @patience max(div(@ttl, 16), 1)

  @take "{{take.sql}}"

  @renew "{{renew.sql}}"

  @release "{{release.sql}}"

  @bridged "{{bridge.sql}}"

  @fence "{{fence_check.sql}}"

  defstruct [:session, :holder, :token, :key_session]

  # `session` has one connection.
  def run_before(session, work) do
    Postgrex.query!(session, "{{lock}}", [])

    try do
      work.()
    after
      Postgrex.query!(session, "{{unlock}}", [])
    end
  end

  @doc """
  Runs the work under the lease, in a process of its own that is killed when the lease is lost:
  `{:ok, result}`, `{:error, :lost}`, or `:not_granted`, at once.
  """
  def run_after(options, work) do
    {:ok, session} = Postgrex.start_link(Keyword.put(options, :pool_size, 1))
    lease = %Lease{session: session, holder: new_holder()}
    asked = now()
    values = [@name, lease.holder, @ttl / 1000, @bridge, nil]

    try do
      case Postgrex.query!(session, @take, values).rows do
        [] -> :not_granted
        [[token, _, _, mode, _]] -> under(%{lease | token: token}, mode, asked, work)
      end
    after
      GenServer.stop(session)
    end
  end

  @doc "Last before COMMIT, in the work's own transaction."
  def fence!(lease, transaction) do
    case Postgrex.query!(transaction, @fence, term(lease)).rows do
      [] -> raise "the lease is lost"
      [_] -> :ok
    end
  end

  defp under(lease, mode, asked, work) do
    lease = if mode == "both" and @bridge == "hold", do: hold(lease), else: lease
    task = Task.async(fn -> work.(lease) end)
    keep(task, lease, asked + @usable, usual(lease))
  after
    # If this fails, the lease ends by itself.
    Postgrex.query(lease.session, @release, term(lease) ++ [nil], timeout: @patience)
  end

  defp keep(task, lease, until, pause) do
    case Task.yield(task, max(min(pause, until - now()), 0)) do
      {:ok, result} -> {:ok, result}
      nil -> confirm(task, lease, until)
    end
  end

  defp confirm(task, lease, until) do
    asked = now()
    renewed = renew(lease)

    cond do
      renewed == :yes ->
        keep(task, lease, asked + @usable, usual(lease))

      renewed == :unknown and lease.key_session == nil and now() < until ->
        keep(task, lease, until, div(@ttl, 40))

      true ->
        Task.shutdown(task, :brutal_kill)
        {:error, :lost}
    end
  end

  defp renew(lease) do
    with true <- lease.key_session in [nil, key_session(lease)],
         {:ok, %{rows: [_]}} <-
           Postgrex.query(lease.session, @renew, term(lease) ++ [@ttl / 1000], timeout: @patience) do
      :yes
    else
      {:error, _} -> :unknown
      _ -> :no
    end
  end

  # The driver connects anew by itself, and the key would be gone.
  defp hold(lease) do
    Postgrex.query!(lease.session, "{{hold}}", [])
    [_] = Postgrex.query!(lease.session, @bridged, term(lease)).rows
    %{lease | key_session: key_session(lease)}
  end

  defp key_session(lease) do
    case Postgrex.query(lease.session, "SELECT pg_backend_pid()", [], timeout: @patience) do
      {:ok, %{rows: [[pid]]}} -> pid
      {:error, _} -> :gone
    end
  end

  # Once the old key is held, the end of its session is the end of the lease: look often.
  defp usual(%Lease{key_session: nil}), do: div(@ttl, 4)
  defp usual(_), do: min(1000, div(@ttl, 4))

  defp term(lease), do: [@name, lease.holder, lease.token]

  defp now, do: System.monotonic_time(:millisecond)

  defp new_holder do
    {:ok, host} = :inet.gethostname()
    chance = Base.encode16(:crypto.strong_rand_bytes(8), case: :lower)
    "#{host}:#{System.pid()}:#{chance}"
  end
end
