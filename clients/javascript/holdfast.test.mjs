// Tests of holdfast.mjs against a real server: HOLDFAST_URL=http://127.0.0.1:PORT node --test holdfast.test.mjs

import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotTell, Contended, Holdfast, LeaseLost, Refused } from './holdfast.mjs';

const url = process.env.HOLDFAST_URL;
const token = process.env.HOLDFAST_TOKEN || undefined;
const locks = new Holdfast(url, { token });
const name = () => `javascript/${process.hrtime.bigint()}-${Math.random()}`;
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

async function call(method, path, body) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.json();
}

const look = (lock) => call('GET', `/v1/locks/${encodeURIComponent(lock)}`);
const evict = (lock, grant) => call('POST', `/v1/locks/${encodeURIComponent(lock)}/evictions`, { token: String(grant), reason: 'a test' });

async function until(condition) {
  for (const end = performance.now() + 60_000; !(await condition()); await sleep(20)) assert.ok(performance.now() < end, 'waited for too long');
}

/** A server that takes connections and never answers. */
async function silentServer(t) {
  const server = net.createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

test('a lock is held until it is disposed of', async () => {
  const lock = name();
  const lease = await locks.acquire(lock, { label: 'a test' });
  assert.ok(lease.isHeld);
  assert.deepEqual((await look(lock)).holders.map(({ token: each, label }) => [each, label]), [[String(lease.token), 'a test']]);
  await lease[asyncDispose]();
  assert.ok(!lease.isHeld);
  assert.deepEqual((await look(lock)).holders, []);
});

test('a release whose answer was lost is no loss', async () => {
  const lock = name();
  const lost = [];
  class Lossy extends Holdfast {
    async request(method, ...rest) {
      const answer = await super.request(method, ...rest);
      if (method === 'DELETE' && lost.length === 0) {
        lost.push(method);
        throw new CannotTell('the answer was lost');
      }
      return answer;
    }
  }
  const lease = await new Lossy(url, { token }).acquire(lock);
  await lease[asyncDispose]();
  assert.deepEqual(lost, ['DELETE']);
  assert.deepEqual((await look(lock)).holders, []);
});

test('tokens are BigInts and grow', async () => {
  const lock = name();
  const first = await locks.with(lock, {}, async (lease) => lease.token);
  const second = await locks.with(lock, {}, async (lease) => lease.token);
  assert.equal(typeof first, 'bigint');
  assert.ok(second > first);
});

test('contended is an error of its own', async () => {
  const lock = name();
  const lease = await locks.acquire(lock);
  await assert.rejects(locks.acquire(lock), Contended);
  await assert.rejects(locks.acquire(lock, { wait: 200 }), Contended);
  await lease.release();
});

test('a waiter gets the lock when it is released', async () => {
  const lock = name();
  const first = await locks.acquire(lock);
  const waiting = locks.acquire(lock, { wait: 60_000 });
  await until(async () => (await look(lock)).waiters.length > 0);
  assert.equal(await first.release(), true);
  const second = await waiting;
  assert.ok(second.isHeld && second.token > first.token);
  await second.release();
});

test('a wait can be ended', async () => {
  const lock = name();
  const first = await locks.acquire(lock);
  const end = new AbortController();
  const waiting = locks.acquire(lock, { wait: 60_000, signal: end.signal });
  await until(async () => (await look(lock)).waiters.length > 0);
  end.abort(new Error('no longer wanted'));
  await assert.rejects(waiting, /no longer wanted/);
  await until(async () => (await look(lock)).waiters.length === 0);
  await first.release();
});

test('a lease is renewed for longer than it is long', async () => {
  const lease = await locks.acquire(name(), { lease: 3_000 });
  for (const end = performance.now() + 4_500; performance.now() < end; await sleep(50)) lease.ensureHeld();
  assert.equal(await lease.release(), true);
});

test('a loss is told by callback, by signal and by error', async () => {
  const lock = name();
  const reasons = [];
  const lease = await locks.acquire(lock, { lease: 3_000, onLost: (reason) => reasons.push(reason) });
  assert.equal((await evict(lock, lease.token)).evicted, 1);
  await until(() => reasons.length > 0);
  assert.deepEqual(reasons, ['evicted']);
  assert.ok(lease.signal.aborted && !lease.isHeld);
  assert.throws(() => lease.ensureHeld(), LeaseLost);
  await assert.rejects(async () => lease[asyncDispose](), (lost) => lost instanceof LeaseLost && lost.reason === 'evicted');
});

test('no answer is CannotTell and never Contended', async (t) => {
  await assert.rejects(new Holdfast(await silentServer(t), { timeout: 200 }).acquire(name()), CannotTell);
  await assert.rejects(new Holdfast('http://127.0.0.1:9', { timeout: 200 }).acquire(name()), CannotTell);
});

test('a server that is gone means a loss by the deadline', async (t) => {
  const sockets = [];
  const between = net.createServer((socket) => {
    const onward = net.connect(new URL(url).port, new URL(url).hostname);
    for (const each of [socket, onward]) sockets.push(each.on('error', () => {}));
    socket.pipe(onward).pipe(socket);
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  t.after(() => between.close());
  const reasons = [];
  const through = new Holdfast(`http://127.0.0.1:${between.address().port}`, { token });
  const lease = await through.acquire(name(), { lease: 2_000, onLost: (reason) => reasons.push(reason) });
  between.close();
  for (const socket of sockets) socket.destroy();
  await until(() => reasons.length > 0);
  assert.deepEqual(reasons, ['expired']);
  assert.equal(await lease.release(), false);
});

test('what is wrong with a request is said', async () => {
  await assert.rejects(locks.acquire(name(), { kind: 'nonsense' }), (refused) => refused instanceof Refused && [400, 422].includes(refused.status));
  assert.throws(() => new Holdfast('no address'), TypeError);
});

test('names are taken as they are', async () => {
  for (const begin of ['%2F/../ü?#&', '<script>alert(1)</script>', '\u202eright to left', '😀'.repeat(55), '__proto__']) {
    const lock = begin + Math.random();
    const lease = await locks.acquire(lock);
    const seen = await look(lock);
    assert.equal(seen.name, lock);
    assert.equal(seen.holders[0].token, String(lease.token));
    await lease.release();
  }
});
