<?php

// {{about}}
//
// Needs ext-pdo_pgsql and ext-pcntl: a signal interrupts the work for each renewal, and throws LeaseLost into it.
// It counts whole seconds, so a lease needs eight at least, and it waits for calls that PHP cannot interrupt, a long
// query for one: keep those shorter than a quarter of the lease.

final class LeaseLost extends Exception
{
}

final class Lease
{
    private const NAME = "{{name}}";
    private const BRIDGE = "{{bridge}}";
    private const TTL = "{{ttl}}";

    private const TAKE = "{{take.sql}}";

    private const RENEW = "{{renew.sql}}";

    private const RELEASE = "{{release.sql}}";

    private const BRIDGED = "{{bridge.sql}}";

    private const FENCE = "{{fence_check.sql}}";

    private string $dsn;
    private string $holder;
    private ?PDO $session;
    private int $token;
    private bool $bridged = false;
    private float $until;

    public static function before(PDO $session, callable $work): void
    {
        $session->query("{{lock}}");
        try {
            $work();
        } finally {
            $session->query("{{unlock}}");
        }
    }

    /** Runs the work under the lease; false, at once, if the lease is not to be had. */
    public static function after(string $dsn, callable $work): bool
    {
        $lease = new self($dsn);
        if (!$lease->take()) {
            return false;
        }
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, fn () => $lease->keep());
        pcntl_alarm($lease->pause());
        try {
            $work($lease);
            return true;
        } finally {
            pcntl_alarm(0);
            $lease->release();
        }
    }

    private function __construct(string $dsn)
    {
        $this->dsn = $dsn;
        $this->holder = sprintf('%s:%d:%s', gethostname(), getmypid(), bin2hex(random_bytes(8)));
        $this->session = $this->connect();
    }

    /** Last before COMMIT, on the work's own connection. */
    public function fence(PDO $transaction): void
    {
        if ($this->ask($transaction, self::FENCE, $this->term()) === null) {
            throw new LeaseLost();
        }
    }

    private function take(): bool
    {
        $asked = self::now();
        $values = [self::NAME, $this->holder, self::TTL, self::BRIDGE, null];
        $granted = $this->ask($this->session, self::TAKE, $values);
        if ($granted === null) {
            return false;
        }
        $this->token = (int) $granted['token'];
        $this->until = $asked + self::TTL * 0.75;
        if ($granted['mode'] === 'both' && self::BRIDGE === 'hold') {
            $this->hold();
        }
        return true;
    }

    private function hold(): void
    {
        try {
            $this->session->query("{{hold}}");
            $this->bridged = $this->ask($this->session, self::BRIDGED, $this->term()) !== null;
            if (!$this->bridged) {
                throw new LeaseLost();
            }
        } catch (Exception $failure) {
            $this->release();
            throw $failure;
        }
    }

    private function keep(): void
    {
        $asked = self::now();
        if ($asked > $this->until) {
            throw new LeaseLost();
        }
        try {
            $this->session ??= $this->connect();
            $renewed = $this->ask($this->session, self::RENEW, [...$this->term(), self::TTL]);
        } catch (PDOException $unknown) {
            $this->session = null;
            if ($this->bridged) {
                throw new LeaseLost();
            }
            pcntl_alarm(max(1, (int) (self::TTL / 40)));
            return;
        }
        if ($renewed === null) {
            throw new LeaseLost();
        }
        $this->until = $asked + self::TTL * 0.75;
        pcntl_alarm($this->pause());
    }

    private function pause(): int
    {
        // Once the old key is held, the end of its session is the end of the lease: look often.
        return $this->bridged ? 1 : max(1, (int) (self::TTL / 4));
    }

    private function release(): void
    {
        try {
            if ($this->session !== null) {
                $this->ask($this->session, self::RELEASE, [...$this->term(), null]);
            }
        } catch (PDOException $unknown) {
            // It ends by itself.
        }
        $this->session = null;
    }

    private function term(): array
    {
        return [self::NAME, $this->holder, $this->token];
    }

    private function ask(PDO $session, string $sql, array $values): ?array
    {
        $statement = $session->prepare($sql);
        foreach ($values as $place => $value) {
            $statement->bindValue(':p' . ($place + 1), $value);
        }
        $statement->execute();
        return $statement->fetch(PDO::FETCH_ASSOC) ?: null;
    }

    private function connect(): PDO
    {
        $patience = max(1, (int) (self::TTL / 16));
        $dsn = $this->dsn . ';tcp_user_timeout=' . $patience * 1000;
        return new PDO($dsn, null, null, [
            PDO::ATTR_TIMEOUT => $patience,
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        ]);
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
