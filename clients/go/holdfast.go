// Package holdfast takes distributed locks from a Holdfast server ("holdfast serve"). One file, standard library only:
// copy it.
//
//	locks := holdfast.New("http://127.0.0.1:7420", holdfast.Token("…"))
//	lease, err := locks.Acquire(ctx, "orders/42", holdfast.Options{Wait: 10 * time.Second, Lease: 30 * time.Second})
//	if errors.Is(err, holdfast.ErrContended) { … }
//	defer lease.Release()
//	err = write(lease.Context(), order, lease.Token()) // the data refuses a smaller token than it has seen
//
// A goroutine renews the lease. If it is lost, its context is cancelled and Err returns ErrLeaseLost. The three ways not
// to hold a lock are three errors: ErrContended (somebody else has it), ErrLeaseLost (you had it), ErrCannotTell (the
// server or its store did not answer: you may hold it, until its lease ends).
package holdfast

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	// ErrContended: somebody else holds the lock, and went on holding it for as long as the call wanted to wait.
	ErrContended = errors.New("contended")
	// ErrLeaseLost: the lease ended before it was released.
	ErrLeaseLost = errors.New("lease lost")
	// ErrCannotTell: no answer. The lock may be held by this request until its lease ends.
	ErrCannotTell = errors.New("cannot tell")
	// ErrRefused: the request itself was refused; the message says why.
	ErrRefused = errors.New("refused")
)

// Client is a server, or several behind one address. Safe for use by many goroutines.
type Client struct {
	base, token string
	timeout     time.Duration
	http        *http.Client
}

// New makes a client; it does not connect.
func New(base string, options ...func(*Client)) *Client {
	client := &Client{base: strings.TrimRight(base, "/"), timeout: 5 * time.Second, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, option := range options {
		option(client)
	}
	return client
}

// Token sets a bearer token.
func Token(token string) func(*Client) { return func(client *Client) { client.token = token } }

// Timeout sets how long an answer may take.
func Timeout(timeout time.Duration) func(*Client) {
	return func(client *Client) { client.timeout = timeout }
}

// Options of one acquire. The zero value does not wait, and takes a lease of 30 seconds.
type Options struct {
	Wait, Lease time.Duration
	Label       string
}

// Lease is one holding of a lock. Safe for use by many goroutines.
type Lease struct {
	client *Client
	path   string
	name   string
	token  int64
	ctx    context.Context
	cancel context.CancelFunc

	mutex    sync.Mutex // guards what follows
	deadline time.Time
	guard    *time.Timer
	ended    string // "" while held, then "released" or the reason of the loss
}

type answer struct {
	LeaseID                         string `json:"leaseId"`
	Token                           string
	ValidForMillis, RemainingMillis int64
	Code, Detail, Reason            string
}

// Acquire takes a lock. Its error is one of the package's, or that of the context.
func (c *Client) Acquire(ctx context.Context, name string, options Options) (*Lease, error) {
	if options.Lease == 0 {
		options.Lease = 30 * time.Second
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	key := hex.EncodeToString(random) // a repeated request finds its own grant
	end := time.Now().Add(options.Wait)
	for pause := 50 * time.Millisecond; ; pause = shorter(2*pause, time.Second) {
		sent := time.Now()
		left := end.Sub(sent)
		if left < 0 {
			left = 0
		}
		body := map[string]string{"wait": millis(left), "lease": millis(options.Lease), "label": options.Label}
		grant, err := c.request(ctx, "POST", "/v1/locks/"+url.PathEscape(name)+"/leases", body, key, left+c.timeout)
		if err == nil {
			return c.lease(name, grant, sent)
		}
		if !errors.Is(err, ErrCannotTell) || ctx.Err() != nil || time.Now().After(end.Add(c.timeout)) {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *Client) lease(name string, grant answer, sent time.Time) (*Lease, error) {
	token, err := strconv.ParseInt(grant.Token, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: not a token: %q", ErrCannotTell, grant.Token)
	}
	lease := &Lease{client: c, path: "/v1/leases/" + url.PathEscape(grant.LeaseID), name: name, token: token}
	lease.ctx, lease.cancel = context.WithCancel(context.Background())
	go lease.keep(lease.goodFor(sent, grant))
	return lease, nil
}

func (c *Client) request(ctx context.Context, method, path string, body any, key string, timeout time.Duration) (answer, error) {
	var result answer
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return result, err
	}
	request, err := http.NewRequestWithContext(limited, method, c.base+path, bytes.NewReader(text))
	if err != nil {
		return result, fmt.Errorf("%w: %v", ErrRefused, err)
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return result, ctx.Err()
		}
		return result, fmt.Errorf("%w: %v", ErrCannotTell, err)
	}
	defer response.Body.Close()
	text, err = io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &result)
	}
	switch {
	case response.StatusCode < 300 && err != nil:
		return result, fmt.Errorf("%w: %v", ErrCannotTell, err)
	case response.StatusCode < 300:
		return result, nil
	case result.Code == "contended":
		return result, fmt.Errorf("%w: %s", ErrContended, result.Detail)
	case result.Code == "lease-lost" || result.Code == "lease-unknown":
		return result, fmt.Errorf("%w: %s", ErrLeaseLost, result.Detail)
	case response.StatusCode >= 500 || result.Code == "lease-elsewhere": // another instance may answer
		return result, fmt.Errorf("%w: %s", ErrCannotTell, result.Detail)
	default:
		return result, fmt.Errorf("%w: %s (%d): %s", ErrRefused, result.Code, response.StatusCode, result.Detail)
	}
}

// Token is the fencing token.
func (l *Lease) Token() int64 { return l.token }

// Context is cancelled when the lease is lost or released.
func (l *Lease) Context() context.Context { return l.ctx }

// Err tells whether the lease is held at this moment: nil, or ErrLeaseLost with the reason.
func (l *Lease) Err() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	reason := l.ended
	if reason == "" && !time.Now().Before(l.deadline) {
		reason = "expired"
	}
	if reason == "" {
		return nil
	}
	return fmt.Errorf("%w: %q: %s", ErrLeaseLost, l.name, reason)
}

// Release gives the lock up. It returns ErrLeaseLost if the lease was lost before. Releasing twice is fine.
func (l *Lease) Release() error {
	first := l.end("released")
	l.mutex.Lock()
	ended := l.ended
	l.mutex.Unlock()
	if ended != "released" {
		return fmt.Errorf("%w: %q: %s", ErrLeaseLost, l.name, ended)
	}
	if !first {
		return nil
	}
	asked := false // whether an earlier request may have released it without an answer
	for _, pause := range []time.Duration{0, 100 * time.Millisecond, 500 * time.Millisecond} {
		time.Sleep(pause)
		_, err := l.client.request(context.Background(), "DELETE", l.path, struct{}{}, "", l.client.timeout)
		if asked && errors.Is(err, ErrLeaseLost) {
			return nil
		}
		if !errors.Is(err, ErrCannotTell) {
			return err
		}
		asked = true
	}
	return nil // it was held until now; the store ends it with its lease
}

// goodFor counts from when the request was sent, however long it has waited or its answer was under way.
// It returns when to renew.
func (l *Lease) goodFor(sent time.Time, said answer) time.Duration {
	interval := time.Duration(said.RemainingMillis) * time.Millisecond / 3
	if interval < 50*time.Millisecond {
		interval = 50 * time.Millisecond
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.ended != "" || (l.guard != nil && !time.Now().Before(l.deadline)) {
		return interval // a lease that is over does not come back
	}
	l.deadline = sent.Add(time.Duration(said.ValidForMillis) * time.Millisecond)
	if l.guard != nil {
		l.guard.Stop()
	}
	l.guard = time.AfterFunc(time.Until(l.deadline), l.expire)
	return interval
}

// expire ends the lease unless it was renewed while the timer fired.
func (l *Lease) expire() {
	l.mutex.Lock()
	over := !time.Now().Before(l.deadline)
	l.mutex.Unlock()
	if over {
		l.end("expired")
	}
}

// end ends the lease once, and tells whether it did; a deadline that has passed is a loss, whatever it is ended with.
func (l *Lease) end(how string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.ended != "" {
		return false
	}
	if how == "released" && !time.Now().Before(l.deadline) {
		how = "expired"
	}
	l.ended = how
	l.guard.Stop()
	l.cancel()
	return true
}

func (l *Lease) keep(interval time.Duration) {
	pause := interval
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-time.After(pause):
		}
		sent := time.Now()
		answer, err := l.client.request(l.ctx, "PUT", l.path, struct{}{}, "", l.client.timeout)
		switch {
		case err == nil:
			interval = l.goodFor(sent, answer)
			pause = interval
		case errors.Is(err, ErrCannotTell):
			pause = shorter(interval/4, time.Second) // until the deadline, which the timer watches
		case l.ctx.Err() != nil:
			return
		case answer.Reason != "":
			l.end(answer.Reason)
		default:
			l.end(err.Error())
		}
	}
}

func shorter(a, b time.Duration) time.Duration {
	if a < b {
		return a
	}
	return b
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }
