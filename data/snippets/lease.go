// {{about}}
package lease

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	name   = "{{name}}"
	bridge = "{{bridge}}"
	ttl    = "{{ttl_milliseconds}}" * time.Millisecond
	usable = ttl * 3 / 4
)

const take = "{{take.sql}}"

const renew = "{{renew.sql}}"

const release = "{{release.sql}}"

const bridged = "{{bridge.sql}}"

const fence = "{{fence_check.sql}}"

// ErrLost says: stop, and roll back what is not committed.
var ErrLost = errors.New("the lease is lost")

func Before(ctx context.Context, conn *pgx.Conn, work func(context.Context) error) error {
	if _, err := conn.Exec(ctx, "{{lock}}"); err != nil {
		return err
	}
	defer conn.Exec(context.Background(), "{{unlock}}")
	return work(ctx)
}

// After runs work under the lease, with a context that ends with it; false, at once, if the lease
// is not to be had.
func After(ctx context.Context, url string, work func(context.Context, *Lease) error) (bool, error) {
	lease, err := newLease(ctx, url)
	if err != nil {
		return false, err
	}
	defer func() { lease.conn.Close(context.Background()) }()
	until, granted, err := lease.take(ctx)
	if err != nil || !granted {
		return false, err
	}
	working, stop := context.WithCancel(ctx)
	alarm := time.AfterFunc(time.Until(until), stop)
	done, kept := make(chan struct{}), make(chan bool)
	go func() { kept <- lease.keep(alarm, stop, done) }()
	defer lease.release()
	err = work(working, lease)
	close(done)
	if lost := !<-kept || !alarm.Stop(); lost && err == nil {
		err = ErrLost
	}
	stop()
	return true, err
}

// Lease is one grant.
type Lease struct {
	url, holder string
	token       int64
	conn        *pgx.Conn
	bridged     bool
}

func newLease(ctx context.Context, url string) (*Lease, error) {
	chance := make([]byte, 8)
	if _, err := rand.Read(chance); err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, url)
	return &Lease{url: url, holder: fmt.Sprintf("%s:%d:%x", host, os.Getpid(), chance), conn: conn}, err
}

// Fence is asked last before COMMIT, in the work's own transaction.
func (l *Lease) Fence(ctx context.Context, tx pgx.Tx) error {
	err := tx.QueryRow(ctx, fence, name, l.holder, l.token).Scan(nil, nil)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrLost
	}
	return err
}

func (l *Lease) take(ctx context.Context) (until time.Time, granted bool, err error) {
	until = time.Now().Add(usable)
	var mode string
	row := l.conn.QueryRow(ctx, take, name, l.holder, ttl.Seconds(), bridge, nil)
	err = row.Scan(&l.token, nil, nil, &mode, nil)
	if errors.Is(err, pgx.ErrNoRows) {
		return until, false, nil
	}
	if err == nil && mode == "both" && bridge == "hold" {
		err = l.hold(ctx)
	}
	return until, true, err
}

func (l *Lease) hold(ctx context.Context) error {
	_, err := l.conn.Exec(ctx, "{{hold}}")
	if err == nil {
		err = l.conn.QueryRow(ctx, bridged, name, l.holder, l.token).Scan(&l.bridged)
	}
	if err != nil {
		l.release()
	}
	return err
}

// keep says whether the lease was there until the work was done.
func (l *Lease) keep(alarm *time.Timer, stop func(), done <-chan struct{}) bool {
	usual := ttl / 4
	if l.bridged && usual > time.Second {
		usual = time.Second // The end of the key's session is the end of the lease: look often.
	}
	for pause := usual; ; {
		select {
		case <-done:
			return true
		case <-time.After(pause):
		}
		until := time.Now().Add(usable)
		err := l.renew()
		switch {
		case errors.Is(err, pgx.ErrNoRows), err != nil && l.bridged:
			stop()
			return false
		case err != nil:
			pause = ttl / 40
		default:
			alarm.Reset(time.Until(until))
			pause = usual
		}
	}
}

func (l *Lease) renew() error {
	ctx, cancel := context.WithTimeout(context.Background(), ttl/16)
	defer cancel()
	if l.conn.IsClosed() {
		conn, err := pgx.Connect(ctx, l.url)
		if err != nil {
			return err
		}
		l.conn = conn
	}
	err := l.conn.QueryRow(ctx, renew, name, l.holder, l.token, ttl.Seconds()).Scan(nil, nil, nil, nil)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		l.conn.Close(ctx)
	}
	return err
}

func (l *Lease) release() {
	ctx, cancel := context.WithTimeout(context.Background(), ttl/16)
	defer cancel()
	// If this fails, the lease ends by itself.
	_, _ = l.conn.Exec(ctx, release, name, l.holder, l.token, nil)
}
