// {{about}}
//
// Needs pg (node-postgres). The work gets an AbortSignal, and hands it on to what it waits for.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { Client } from "pg";

const NAME = "{{name}}";
const BRIDGE: string = "{{bridge}}";
const TTL = "{{ttl_milliseconds}}";

const TAKE = "{{take.sql}}";

const RENEW = "{{renew.sql}}";

const RELEASE = "{{release.sql}}";

const BRIDGED = "{{bridge.sql}}";

const FENCE = "{{fence_check.sql}}";

export class LeaseLost extends Error {}

export async function before(session: Client, work: () => Promise<void>): Promise<void> {
  await session.query("{{lock}}");
  try {
    await work();
  } finally {
    await session.query("{{unlock}}");
  }
}

export type Work = (lease: Lease, signal: AbortSignal) => Promise<void>;

/** Runs the work under the lease; false, at once, if the lease is not to be had. */
export async function after(url: string, work: Work): Promise<boolean> {
  const lease = new Lease(url);
  await lease.connect();
  if (!(await lease.take())) {
    await lease.close();
    return false;
  }
  const done = new AbortController();
  const kept = lease.keep(done.signal);
  try {
    await work(lease, lease.lost.signal);
    lease.lost.signal.throwIfAborted();
    return true;
  } finally {
    done.abort();
    await kept;
    await lease.release();
  }
}

export class Lease {
  readonly lost = new AbortController();
  private readonly url: string;
  private readonly holder = `${hostname()}:${process.pid}:${randomBytes(8).toString("hex")}`;
  private session!: Client;
  private broken = false;
  private bridged = false;
  private token = "";
  private alarm?: NodeJS.Timeout;

  constructor(url: string) {
    this.url = url;
  }

  /** Last before COMMIT, on the work's own connection. */
  async fence(transaction: Client): Promise<void> {
    const { rows } = await transaction.query(FENCE, this.term());
    if (rows.length === 0) throw new LeaseLost();
  }

  async take(): Promise<boolean> {
    const asked = performance.now();
    const values = [NAME, this.holder, TTL / 1000, BRIDGE, null];
    const [granted] = (await this.session.query(TAKE, values)).rows;
    if (granted === undefined) return false;
    this.token = granted.token;
    this.confirmed(asked);
    if (granted.mode === "both" && BRIDGE === "hold") await this.hold();
    return true;
  }

  private async hold(): Promise<void> {
    try {
      await this.session.query("{{hold}}");
      const { rows } = await this.session.query(BRIDGED, this.term());
      if (rows.length === 0) throw new LeaseLost();
      this.bridged = true;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  async keep(done: AbortSignal): Promise<void> {
    // Once the old key is held, the end of its session is the end of the lease: look often.
    const usual = this.bridged ? Math.min(1000, TTL / 4) : TTL / 4;
    let pause = usual;
    while (await this.sleeps(pause, done)) {
      const asked = performance.now();
      try {
        if (this.broken) await this.connect();
        const { rows } = await this.session.query(RENEW, [...this.term(), TTL / 1000]);
        if (rows.length === 0) return this.lose();
        this.confirmed(asked);
        pause = usual;
      } catch {
        await this.close();
        if (this.bridged) return this.lose();
        pause = TTL / 40;
      }
    }
  }

  async release(): Promise<void> {
    clearTimeout(this.alarm);
    // If this fails, the lease ends by itself.
    if (!this.broken) await this.session.query(RELEASE, [...this.term(), null]).catch(() => {});
    await this.close();
  }

  async connect(): Promise<void> {
    const session = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: TTL / 16,
      query_timeout: TTL / 16,
    });
    session.on("error", () => {
      if (session !== this.session) return;
      this.broken = true;
      if (this.bridged) this.lose();
    });
    this.session = session;
    this.broken = false;
    await session.connect();
  }

  async close(): Promise<void> {
    this.broken = true;
    this.session.end().catch(() => {});
  }

  /** Whether there is still something to keep. */
  private sleeps(pause: number, done: AbortSignal): Promise<boolean> {
    const over = AbortSignal.any([done, this.lost.signal]);
    if (over.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), pause);
      over.addEventListener("abort", () => (clearTimeout(timer), resolve(false)), { once: true });
    });
  }

  private confirmed(asked: number): void {
    clearTimeout(this.alarm);
    this.alarm = setTimeout(() => this.lose(), asked + (TTL * 3) / 4 - performance.now());
  }

  private lose(): void {
    this.lost.abort(new LeaseLost());
  }

  private term(): string[] {
    return [NAME, this.holder, this.token];
  }
}
