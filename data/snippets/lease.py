# {{about}}
#
# Needs psycopg 3. `work` gets the lease: it calls `lease.check()` between its steps.
import os
import secrets
import socket
import threading
import time

import psycopg

NAME = "{{name}}"
BRIDGE = "{{bridge}}"
TTL = "{{ttl}}"

TAKE = "{{take.sql}}"

RENEW = "{{renew.sql}}"

RELEASE = "{{release.sql}}"

BRIDGED = "{{bridge.sql}}"

FENCE = "{{fence_check.sql}}"


def before(dsn, work):
    with psycopg.connect(dsn, autocommit=True) as session:
        session.execute("{{lock}}")
        try:
            work()
        finally:
            session.execute("{{unlock}}")


def after(dsn, work):
    """Runs `work` under the lease; False, at once, if the lease is not to be had."""
    lease = Lease(dsn)
    if not lease.take():
        return False
    done = threading.Event()
    keeper = threading.Thread(target=lease.keep, args=(done,), daemon=True)
    keeper.start()
    try:
        work(lease)
        return True
    finally:
        done.set()
        keeper.join(TTL / 16)
        if not keeper.is_alive():
            lease.release()


class LeaseLost(Exception):
    """Stop, and roll back what is not committed."""


class Lease:
    def __init__(self, dsn):
        self.dsn = dsn
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
        self.lost = threading.Event()
        self.bridged = False
        self.session = self.connect()

    def check(self):
        if self.lost.is_set() or time.monotonic() > self.deadline:
            raise LeaseLost(NAME)

    def fence(self, transaction):
        """Last before COMMIT, on the work's own connection."""
        if transaction.execute(FENCE, self.term()).fetchone() is None:
            raise LeaseLost(NAME)

    def take(self):
        asked = time.monotonic()
        values = {"p1": NAME, "p2": self.holder, "p3": TTL, "p4": BRIDGE, "p5": None}
        granted = self.session.execute(TAKE, values).fetchone()
        if granted is None:
            self.session.close()
            return False
        self.token, _, _, mode, _ = granted
        self.deadline = asked + TTL * 3 / 4
        if mode == "both" and BRIDGE == "hold":
            self.hold()
        return True

    def hold(self):
        try:
            self.session.execute("{{hold}}")
            self.bridged = self.session.execute(BRIDGED, self.term()).fetchone() is not None
            if not self.bridged:
                raise LeaseLost(NAME)
        except BaseException:
            self.release()
            raise

    def keep(self, done):
        # Once the old key is held, the end of its session is the end of the lease: look often.
        usual = min(1, TTL / 4) if self.bridged else TTL / 4
        pause = usual
        while not done.wait(pause) and time.monotonic() < self.deadline:
            asked = time.monotonic()
            try:
                if self.session.closed:
                    self.session = self.connect()
                renewed = self.session.execute(RENEW, {**self.term(), "p4": TTL}).fetchone()
            except psycopg.Error:
                self.session.close()
                if self.bridged:
                    return self.lost.set()
                pause = TTL / 40
                continue
            if renewed is None:
                return self.lost.set()
            self.deadline = asked + TTL * 3 / 4
            pause = usual

    def release(self):
        try:
            self.session.execute(RELEASE, {**self.term(), "p4": None})
        except psycopg.Error:
            pass  # It ends by itself.
        self.session.close()

    def term(self):
        return {"p1": NAME, "p2": self.holder, "p3": self.token}

    def connect(self):
        patience = max(1, int(TTL / 16))
        return psycopg.connect(
            self.dsn,
            autocommit=True,
            connect_timeout=patience,
            tcp_user_timeout=patience * 1000,
        )
