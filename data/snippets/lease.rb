# {{about}}
#
# Needs the gem pg. The work's thread is stopped by an exception, LeaseLost.
require "pg"
require "securerandom"
require "socket"
require "timeout"

class LeaseLost < StandardError; end

class Lease
  NAME = "{{name}}"
  BRIDGE = "{{bridge}}"
  TTL = "{{ttl}}"

  TAKE = "{{take.sql}}"

  RENEW = "{{renew.sql}}"

  RELEASE = "{{release.sql}}"

  BRIDGED = "{{bridge.sql}}"

  FENCE = "{{fence_check.sql}}"

  def self.before(session)
    session.exec("{{lock}}")
    yield
  ensure
    session.exec("{{unlock}}")
  end

  # Runs the block under the lease; false, at once, if the lease is not to be had.
  def self.after(url)
    lease = new(url)
    return false unless lease.take
    worker = Thread.current
    keeper = Thread.new { lease.keep(worker) }
    begin
      yield lease
      true
    ensure
      keeper.kill.join
      lease.release
    end
  end

  def initialize(url)
    @url = url
    @holder = "#{Socket.gethostname}:#{Process.pid}:#{SecureRandom.hex(8)}"
    @session = connect
  end

  # Last before COMMIT, on the work's own connection.
  def fence(transaction)
    raise LeaseLost if transaction.exec_params(FENCE, term).ntuples.zero?
  end

  def take
    asked = now
    granted = @session.exec_params(TAKE, [NAME, @holder, TTL, BRIDGE, nil]).first
    return @session.close && false if granted.nil?
    @token = granted["token"]
    @until = asked + TTL * 0.75
    hold if granted["mode"] == "both" && BRIDGE == "hold"
    true
  end

  def keep(worker)
    # Once the old key is held, the end of its session is the end of the lease: look often.
    usual = @bridged ? [1, TTL / 4.0].min : TTL / 4.0
    pause = usual
    loop do
      sleep(pause)
      asked = now
      begin
        renewed = Timeout.timeout(TTL / 16.0) do
          @session = connect if @session.finished?
          @session.exec_params(RENEW, term + [TTL]).ntuples == 1
        end
        return worker.raise(LeaseLost) unless renewed
        @until = asked + TTL * 0.75
        pause = usual
      rescue PG::Error, Timeout::Error
        @session.close unless @session.finished?
        return worker.raise(LeaseLost) if @bridged || now > @until
        pause = TTL / 40.0
      end
    end
  end

  def release
    Timeout.timeout(TTL / 16.0) { @session.exec_params(RELEASE, term + [nil]) } unless @session.finished?
  rescue PG::Error, Timeout::Error
    # It ends by itself.
  ensure
    @session.close unless @session.finished?
  end

  private

  def hold
    @session.exec("{{hold}}")
    @bridged = @session.exec_params(BRIDGED, term).ntuples == 1
    raise LeaseLost unless @bridged
  rescue StandardError
    release
    raise
  end

  def term
    [NAME, @holder, @token]
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def connect
    patience = [1, (TTL / 16).to_i].max
    PG.connect(@url, connect_timeout: patience, tcp_user_timeout: patience * 1000)
  end
end
