"""Tests of holdfast.py against a real server: HOLDFAST_URL=http://127.0.0.1:PORT python3 -m unittest test_holdfast"""

import json
import os
import socket
import threading
import time
import unittest
import urllib.parse
import urllib.request
import uuid

from holdfast import CannotTell, Contended, Holdfast, LeaseLost, Refused

URL = os.environ["HOLDFAST_URL"]
TOKEN = os.environ.get("HOLDFAST_TOKEN")


def name():
    return "python/" + uuid.uuid4().hex


def call(method, path, body=None):
    request = urllib.request.Request(URL + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    if TOKEN:
        request.add_header("Authorization", "Bearer " + TOKEN)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def look(lock):
    return call("GET", "/v1/locks/" + urllib.parse.quote(lock, safe=""))


def evict(lock, token):
    return call("POST", "/v1/locks/%s/evictions" % urllib.parse.quote(lock, safe=""), {"token": str(token), "reason": "a test"})


class HoldfastTest(unittest.TestCase):

    def setUp(self):
        self.locks = Holdfast(URL, token=TOKEN)

    def test_a_lock_is_held_in_the_block_and_free_after_it(self):
        lock = name()
        with self.locks.acquire(lock, label="a test") as lease:
            self.assertTrue(lease.is_held)
            self.assertEqual([(h["token"], h["label"]) for h in look(lock)["holders"]], [(str(lease.token), "a test")])
        self.assertFalse(lease.is_held)
        self.assertEqual(look(lock)["holders"], [])

    def test_a_release_whose_answer_was_lost_is_no_loss(self):
        lock, lost = name(), []

        class Lossy(Holdfast):
            def _request(self, method, *rest):
                answer = super()._request(method, *rest)
                if method == "DELETE" and not lost:
                    lost.append(method)
                    raise CannotTell("the answer was lost")
                return answer

        with Lossy(URL, token=TOKEN).acquire(lock) as lease:
            self.assertTrue(lease.is_held)
        self.assertEqual(lost, ["DELETE"])
        self.assertEqual(look(lock)["holders"], [])
        self.assertFalse(lease.release())

    def test_tokens_are_ints_and_grow(self):
        lock = name()
        tokens = []
        for _ in range(3):
            with self.locks.acquire(lock) as lease:
                tokens.append(lease.token)
        self.assertTrue(all(type(token) is int for token in tokens), tokens)
        self.assertEqual(tokens, sorted(set(tokens)))

    def test_contended_is_an_exception_of_its_own(self):
        lock = name()
        with self.locks.acquire(lock):
            with self.assertRaises(Contended):
                self.locks.acquire(lock)
            with self.assertRaises(Contended):
                self.locks.acquire(lock, wait=0.2)

    def test_a_waiter_gets_the_lock_when_it_is_released(self):
        lock = name()
        first = self.locks.acquire(lock)
        got = []
        waiter = threading.Thread(target=lambda: got.append(self.locks.acquire(lock, wait=60, lease=3)), daemon=True)
        waiter.start()
        deadline = time.monotonic() + 60
        while not look(lock)["waiters"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        time.sleep(1.2)  # part of the wait has passed: the deadline is counted from the grant, not from the request
        self.assertTrue(first.release())
        waiter.join(60)
        self.assertTrue(got[0].is_held)
        self.assertGreater(got[0].token, first.token)
        got[0].release()

    def test_a_lease_is_renewed_for_longer_than_it_is_long(self):
        with self.locks.acquire(name(), lease=3) as lease:
            end = time.monotonic() + 4.5
            while time.monotonic() < end:
                lease.ensure_held()
                time.sleep(0.05)

    def test_a_loss_is_told_by_callback_and_by_exception(self):
        lock, told, reasons = name(), threading.Event(), []
        with self.assertRaises(LeaseLost) as raised:
            with self.locks.acquire(lock, lease=3, on_lost=lambda reason: (reasons.append(reason), told.set())) as lease:
                self.assertEqual(evict(lock, lease.token)["evicted"], 1)
                self.assertTrue(told.wait(60))
                self.assertFalse(lease.is_held)
                with self.assertRaises(LeaseLost):
                    lease.ensure_held()
        self.assertEqual(reasons, ["evicted"])
        self.assertEqual(raised.exception.reason, "evicted")

    def test_an_error_in_the_block_is_not_hidden_by_the_loss(self):
        lock = name()
        with self.assertRaises(KeyError):
            with self.locks.acquire(lock, lease=3) as lease:
                evict(lock, lease.token)
                raise KeyError("mine")

    def test_no_answer_is_cannot_tell_and_never_contended(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            with self.assertRaises(CannotTell):
                Holdfast("http://127.0.0.1:%d" % silent.getsockname()[1], timeout=0.2).acquire(name())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with self.assertRaises(CannotTell):
            Holdfast("http://127.0.0.1:%d" % port, timeout=0.2).acquire(name())

    def test_a_server_that_is_gone_means_a_loss_by_the_deadline(self):
        reasons, told = [], threading.Event()
        lease = self.locks.acquire(name(), lease=2, on_lost=lambda reason: (reasons.append(reason), told.set()))
        with socket.socket() as silent:  # takes connections and never answers
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            lease._client = Holdfast("http://127.0.0.1:%d" % silent.getsockname()[1])
            self.assertTrue(told.wait(60))
        self.assertEqual(reasons, ["expired"])
        self.assertFalse(lease.release())

    def test_what_is_wrong_with_a_request_is_said(self):
        with self.assertRaises(Refused) as raised:
            self.locks.acquire(name(), kind="nonsense")
        self.assertIn(raised.exception.status, (400, 422))
        with self.assertRaises(ValueError):
            Holdfast("localhost:80")

    def test_names_are_taken_as_they_are(self):
        for lock in ("%2F/../ü?#&", "<script>alert(1)</script>", "\u202eright to left", "😀" * 60):
            lock += uuid.uuid4().hex[:8]
            with self.locks.acquire(lock) as lease:
                self.assertEqual(look(lock)["name"], lock)
                self.assertEqual(look(lock)["holders"][0]["token"], str(lease.token))


if __name__ == "__main__":
    unittest.main()
