"""Distributed locks from a Holdfast server (`holdfast serve`). One file, standard library only, Python 3.8 or later.

    from holdfast import Holdfast, Contended, CannotTell, LeaseLost

    locks = Holdfast("http://127.0.0.1:7420", token="…")
    with locks.acquire("orders/42", wait=10, lease=30) as lease:
        database.write(order, fencing_token=lease.token)   # the data refuses a smaller token than it has seen
        lease.ensure_held()                                # raises LeaseLost

A background thread renews the lease. If it is lost, `on_lost(reason)` is called, `is_held` is False, `ensure_held()`
and the end of the `with` block raise LeaseLost. The three ways not to hold a lock are three exceptions: Contended
(somebody else has it), LeaseLost (you had it), CannotTell (the server or its store did not answer: you may hold it,
until its lease ends). Anything else that the server refuses is Refused.
"""

import http.client
import json
import ssl
import sys
import threading
import time
import traceback
import urllib.parse
import uuid

__all__ = ["Holdfast", "Lease", "HoldfastError", "Contended", "CannotTell", "LeaseLost", "Refused"]


class HoldfastError(Exception):
    """The base of all that this module raises."""


class Contended(HoldfastError):
    """Somebody else holds the lock, and went on holding it for as long as this call wanted to wait."""


class CannotTell(HoldfastError):
    """The server or its store did not answer. The lock may be held by this request until its lease ends."""


class LeaseLost(HoldfastError):
    """The lease ended before it was released; `reason` says why, such as "expired" or "evicted"."""

    def __init__(self, name, reason):
        super().__init__("the lease on %r was lost: %s" % (name, reason))
        self.name, self.reason = name, reason


class Refused(HoldfastError):
    """The request itself was refused; `code` and `status` say why, such as "unauthorized" and 401."""

    def __init__(self, status, code, detail):
        super().__init__("%s (%d): %s" % (code, status, detail))
        self.status, self.code = status, code


class Holdfast:
    """A server, or several behind one address. Thread-safe; holds no connection, so there is nothing to close."""

    def __init__(self, url, token=None, timeout=5.0, tls=None):
        """`token` is a bearer token, `timeout` how long an answer may take in seconds, `tls` an ssl.SSLContext."""
        self._url = urllib.parse.urlsplit(url.rstrip("/"))
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise ValueError("not the address of a server: %r; expected http(s)://HOST:PORT" % url)
        self._token, self._timeout, self._tls = token, timeout, tls

    def acquire(self, name, *, wait=0, lease=30, label="", on_lost=None, **more):
        """Takes a lock, or raises Contended or CannotTell.

        `wait` and `lease` are seconds. `on_lost(reason)` is called on a thread of its own if the lease is lost.
        `more` goes to the server as it is: kind="read" or "write", kind="permit" with permits and capacity, names=[…].
        """
        path = "/v1/locks/%s/leases" % urllib.parse.quote(name, safe="")
        headers = {"Idempotency-Key": uuid.uuid4().hex}  # a repeated request finds its own grant
        end = time.monotonic() + wait
        pause = 0.05
        while True:
            sent = time.monotonic()
            left = max(0.0, end - sent)
            body = dict(more, wait=_millis(left), lease=_millis(lease), label=label)
            try:
                grant = self._request("POST", path, body, left + self._timeout, headers)
                return Lease(self, name, grant, sent, on_lost)
            except CannotTell:
                if time.monotonic() > end + self._timeout:
                    raise
            time.sleep(pause)
            pause = min(1.0, 2 * pause)

    def _request(self, method, path, body, timeout, headers=None):
        """Sends one request. Returns what was answered, or raises what was refused."""
        headers = dict(headers or {}, Accept="application/json")
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._token is not None:
            headers["Authorization"] = "Bearer " + self._token
        if self._url.scheme == "https":
            connection = http.client.HTTPSConnection(
                self._url.hostname, self._url.port, timeout=timeout, context=self._tls or ssl.create_default_context())
        else:
            connection = http.client.HTTPConnection(self._url.hostname, self._url.port, timeout=timeout)
        try:
            connection.request(method, self._url.path + path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            answer = response.read()
            answer = json.loads(answer) if answer else {}
        except (OSError, http.client.HTTPException, ValueError) as failure:
            raise CannotTell("no answer from %s: %r" % (self._url.netloc.rpartition("@")[2], failure)) from failure
        finally:
            connection.close()
        if response.status < 300:
            return answer
        code = answer.get("code", "") if isinstance(answer, dict) else ""
        detail = answer.get("detail", response.reason) if isinstance(answer, dict) else response.reason
        if code == "contended":
            raise Contended(detail)
        if code in ("lease-lost", "lease-unknown"):
            raise LeaseLost(answer.get("name"), answer.get("reason", code))
        if response.status >= 500 or code == "lease-elsewhere":  # another instance may answer
            raise CannotTell(detail)
        raise Refused(response.status, code or "http", detail)


class Lease:
    """One holding of a lock. Thread-safe. Use it in a `with` block, or call release()."""

    def __init__(self, client, name, grant, sent, on_lost):
        self.name = name
        self.lease_id = grant["leaseId"]
        self.tokens = {each: int(token) for each, token in grant["tokens"].items()}
        self._client, self._on_lost = client, on_lost
        self._path = "/v1/leases/%s" % urllib.parse.quote(self.lease_id, safe="")
        self._changed = threading.Condition()
        self._ended = None  # None while held, then "released" or the reason of the loss
        self._take(sent, grant)
        for run in (self._keep, self._guard):
            threading.Thread(target=run, name="holdfast " + run.__name__, daemon=True).start()

    @property
    def token(self):
        """The fencing token, an int; with several names each has its own, in `tokens`."""
        if len(self.tokens) != 1:
            raise ValueError("this lease holds several names, each with a token of its own: use tokens[name]")
        return next(iter(self.tokens.values()))

    @property
    def is_held(self):
        """Whether the lease is held at this moment, by the clock."""
        return self._ended is None and time.monotonic() < self._deadline

    @property
    def remaining(self):
        """The seconds left until the lease is lost unless a renewal succeeds."""
        return max(0.0, self._deadline - time.monotonic()) if self._ended is None else 0.0

    def ensure_held(self):
        """Raises LeaseLost if the lease is not held at this moment."""
        if not self.is_held:
            raise LeaseLost(self.name, self._ended or "expired")

    def release(self):
        """Gives the lock up. Returns True if it was held until now, False if it was lost or released before."""
        if not self._end("released"):
            return False
        asked = False  # whether an earlier request may have released it without an answer
        for pause in (0.1, 0.5, None):
            try:
                self._client._request("DELETE", self._path, None, self._client._timeout)
                return True
            except LeaseLost as lost:
                if asked:
                    return True
                self._ended = lost.reason  # before the release, though nobody had told so yet
                return False
            except CannotTell:
                asked = True
                if pause is None or time.monotonic() > self._deadline:
                    return True  # it was held until now; the store ends it with its lease
                time.sleep(pause)

    def __enter__(self):
        self.ensure_held()
        return self

    def __exit__(self, kind, error, trace):
        if not self.release() and kind is None and self._ended != "released":
            raise LeaseLost(self.name, self._ended)

    def _end(self, how):
        """Ends the lease once; a deadline that has passed is a loss, whatever it is ended with."""
        with self._changed:
            if self._ended is not None:
                return False
            in_time = time.monotonic() < self._deadline
            self._ended = how if in_time or how != "released" else "expired"
            self._changed.notify_all()
        if self._ended != "released" and self._on_lost is not None:
            threading.Thread(target=self._call_back, name="holdfast on_lost", daemon=True).start()
        return self._ended == "released"

    def _take(self, sent, answer):
        # "validForMillis" counts from when the request arrived. Counted from when it was sent it ends a little sooner,
        # however long the request has waited or its answer was under way.
        self._deadline = sent + answer["validForMillis"] / 1000.0
        self._interval = max(0.05, answer["remainingMillis"] / 3000.0)

    def _call_back(self):
        try:
            self._on_lost(self._ended)
        except Exception:  # it has no caller who could take it
            traceback.print_exc(file=sys.stderr)

    def _renew(self):
        sent = time.monotonic()
        left = max(0.05, self._deadline - sent)
        answer = self._client._request("PUT", self._path, {}, min(self._client._timeout, left))
        with self._changed:
            if time.monotonic() < self._deadline:  # a lease that is over does not come back
                self._take(sent, answer)
                self._changed.notify_all()

    def _keep(self):
        pause = self._interval
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self._ended is not None, pause):
                    return
            try:
                self._renew()
                pause = self._interval
            except CannotTell:
                pause = min(1.0, self._interval / 4)  # until the deadline, which _guard watches
            except LeaseLost as lost:
                self._end(lost.reason)
            except HoldfastError as refused:
                self._end(str(refused))

    def _guard(self):
        """Tells the loss by the deadline. A thread of its own, because a renewal may hang."""
        with self._changed:
            while self._ended is None and self.remaining > 0:
                self._changed.wait(self.remaining)
        self._end("expired")


def _millis(seconds):
    return "%dms" % max(0, round(seconds * 1000))
