package holdfast

// Tests against a real server: HOLDFAST_URL=http://127.0.0.1:PORT go test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var (
	address = os.Getenv("HOLDFAST_URL")
	token   = os.Getenv("HOLDFAST_TOKEN")
	locks   = New(address, Token(token))
	ctx     = context.Background()
)

func name() string { return fmt.Sprintf("go/%d-%d", time.Now().UnixNano(), rand.Int()) }

type view struct {
	Name             string
	Holders, Waiters []struct{ Token, Label string }
	Evicted          int
}

func call(t *testing.T, method, path string, body any) (seen view) {
	t.Helper()
	text, _ := json.Marshal(body)
	request, err := http.NewRequest(method, address+path, bytes.NewReader(text))
	check(t, err)
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	if response.StatusCode != 200 {
		t.Fatalf("%s %s: %s", method, path, response.Status)
	}
	check(t, json.NewDecoder(response.Body).Decode(&seen))
	return seen
}

func look(t *testing.T, lock string) view {
	t.Helper()
	return call(t, "GET", "/v1/locks/"+url.PathEscape(lock), nil)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func acquire(t *testing.T, lock string, options Options) *Lease {
	t.Helper()
	lease, err := locks.Acquire(ctx, lock, options)
	check(t, err)
	return lease
}

func until(t *testing.T, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited for too long")
		}
	}
}

func TestALockIsHeldUntilItIsReleased(t *testing.T) {
	lock := name()
	lease := acquire(t, lock, Options{Label: "a test"})
	check(t, lease.Err())
	holders := look(t, lock).Holders
	if len(holders) != 1 || holders[0].Token != strconv.FormatInt(lease.Token(), 10) || holders[0].Label != "a test" {
		t.Fatal(holders)
	}
	check(t, lease.Release())
	if !errors.Is(lease.Err(), ErrLeaseLost) || len(look(t, lock).Holders) != 0 {
		t.Fatal("still held")
	}
}

func TestContendedIsAnErrorOfItsOwn(t *testing.T) {
	lock := name()
	lease := acquire(t, lock, Options{})
	for _, wait := range []time.Duration{0, 200 * time.Millisecond} {
		if _, err := locks.Acquire(ctx, lock, Options{Wait: wait}); !errors.Is(err, ErrContended) {
			t.Fatal(err)
		}
	}
	check(t, lease.Release())
}

func TestAWaiterGetsTheLockWhenItIsReleased(t *testing.T) {
	lock := name()
	first := acquire(t, lock, Options{})
	got := make(chan *Lease, 1)
	go func() {
		second, err := locks.Acquire(ctx, lock, Options{Wait: time.Minute})
		if err != nil {
			t.Error(err)
		}
		got <- second
	}()
	until(t, func() bool { return len(look(t, lock).Waiters) == 1 })
	check(t, first.Release())
	second := <-got
	if second == nil || second.Token() <= first.Token() {
		t.Fatal("no larger token")
	}
	check(t, second.Release())
}

func TestALeaseIsRenewedForLongerThanItIsLong(t *testing.T) {
	lease := acquire(t, name(), Options{Lease: 3 * time.Second})
	for end := time.Now().Add(4500 * time.Millisecond); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		check(t, lease.Err())
	}
	check(t, lease.Release())
}

func TestALossCancelsTheContext(t *testing.T) {
	lock := name()
	lease := acquire(t, lock, Options{Lease: 3 * time.Second})
	body := map[string]string{"token": strconv.FormatInt(lease.Token(), 10), "reason": "a test"}
	if n := call(t, "POST", "/v1/locks/"+url.PathEscape(lock)+"/evictions", body).Evicted; n != 1 {
		t.Fatal(n)
	}
	select {
	case <-lease.Context().Done():
	case <-time.After(time.Minute):
		t.Fatal("not told")
	}
	if err := lease.Err(); !errors.Is(err, ErrLeaseLost) || !strings.Contains(err.Error(), "evicted") {
		t.Fatal(err)
	}
	if err := lease.Release(); !errors.Is(err, ErrLeaseLost) {
		t.Fatal(err)
	}
}

func TestNoAnswerIsCannotTellAndALossByTheDeadline(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	check(t, err)
	defer silent.Close()
	nowhere := New("http://"+silent.Addr().String(), Timeout(200*time.Millisecond))
	if _, err := nowhere.Acquire(ctx, name(), Options{}); !errors.Is(err, ErrCannotTell) {
		t.Fatal(err)
	}
	wire := &wire{}
	client := New(address, Token(token))
	client.http.Transport = wire
	lease, err := client.Acquire(ctx, name(), Options{Lease: 2 * time.Second})
	check(t, err)
	wire.cut.Store(true)
	select {
	case <-lease.Context().Done():
	case <-time.After(time.Minute):
		t.Fatal("not told")
	}
	if err := lease.Err(); !errors.Is(err, ErrLeaseLost) || !strings.Contains(err.Error(), "expired") {
		t.Fatal(err)
	}
}

func TestAReleaseWhoseAnswerWasLostIsNoLoss(t *testing.T) {
	lock := name()
	client := New(address, Token(token))
	lossy := &lossy{}
	client.http.Transport = lossy
	lease, err := client.Acquire(ctx, lock, Options{})
	check(t, err)
	check(t, lease.Release())
	if lossy.lost.Load() != 1 || len(look(t, lock).Holders) != 0 {
		t.Fatal("not as it was meant")
	}
	check(t, lease.Release())
}

// lossy loses the first answer to a release.
type lossy struct{ lost atomic.Int32 }

func (l *lossy) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil && request.Method == "DELETE" && l.lost.CompareAndSwap(0, 1) {
		response.Body.Close()
		return nil, errors.New("the answer was lost")
	}
	return response, err
}

// wire can be cut.
type wire struct{ cut atomic.Bool }

func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	if w.cut.Load() {
		return nil, errors.New("the wire is cut")
	}
	return http.DefaultTransport.RoundTrip(request)
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	lock := name()
	lease := acquire(t, lock, Options{})
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := locks.Acquire(short, lock, Options{Wait: time.Minute}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	check(t, lease.Release())
}

func TestNamesAreTakenAsTheyAre(t *testing.T) {
	for _, begin := range []string{"%2F/../ü?#&", "<script>alert(1)</script>", "\u202eright to left", strings.Repeat("😀", 55)} {
		lock := fmt.Sprint(begin, rand.Int31())
		lease := acquire(t, lock, Options{})
		if seen := look(t, lock); seen.Name != lock || len(seen.Holders) != 1 {
			t.Fatal(seen)
		}
		check(t, lease.Release())
	}
}
