// Distributed locks from a Holdfast server (`holdfast serve`). One file, no dependency. For Node 18 or later, and for browsers on pages
// of the server's own origin: the server has no CORS, so a proxy has to serve the page and pass /v1/ on (docs/clients.md).
//
//   import { Holdfast, Contended, CannotTell, LeaseLost } from './holdfast.mjs';
//
//   const locks = new Holdfast('http://127.0.0.1:7420', { token: '…' });
//   await using lease = await locks.acquire('orders/42', { wait: 10_000, lease: 30_000 });
//   await database.write(order, { fencingToken: lease.token });  // the data refuses a smaller token than it has seen
//   lease.ensureHeld();                                          // throws LeaseLost
//
// Where there is no `await using` yet, call `lease.release()` in a `finally`, or `locks.with(name, options, action)`.
//
// A timer renews the lease. If it is lost, `onLost(reason)` is called, `lease.signal` is aborted, `lease.isHeld` is
// false, `ensureHeld()` and the end of the `using` throw LeaseLost. The three ways not to hold a lock are three errors:
// Contended (somebody else has it), LeaseLost (you had it), CannotTell (the server or its store did not answer: you may
// hold it, until its lease ends). Anything else that the server refuses is Refused.

const random = globalThis.crypto ?? (await import('node:crypto')).webcrypto;
const asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

export class HoldfastError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Somebody else holds the lock, and went on holding it for as long as this call wanted to wait. */
export class Contended extends HoldfastError {}

/** The server or its store did not answer. The lock may be held by this request until its lease ends. */
export class CannotTell extends HoldfastError {}

/** The lease ended before it was released; `reason` says why, such as "expired" or "evicted". */
export class LeaseLost extends HoldfastError {
  constructor(lock, reason) {
    super(`the lease on ${JSON.stringify(lock)} was lost: ${reason}`);
    this.lock = lock;
    this.reason = reason;
  }
}

/** The request itself was refused; `code` and `status` say why, such as "unauthorized" and 401. */
export class Refused extends HoldfastError {
  constructor(status, code, detail) {
    super(`${code} (${status}): ${detail}`);
    this.status = status;
    this.code = code;
  }
}

/** A server, or several behind one address. Holds no connection, so there is nothing to close. */
export class Holdfast {
  #url;
  #token;
  #timeout;

  /** `token` is a bearer token, `timeout` how long an answer may take in milliseconds. */
  constructor(url, { token, timeout = 5_000 } = {}) {
    this.#url = new URL(url).href.replace(/\/$/, '');
    this.#token = token;
    this.#timeout = timeout;
  }

  /**
   * Takes a lock, or throws Contended or CannotTell.
   *
   * `wait` and `lease` are milliseconds, `signal` ends the wait. `onLost(reason)` is called if the lease is lost. What
   * else there is goes to the server as it is: kind "read" or "write", kind "permit" with permits and capacity, names.
   */
  async acquire(name, { wait = 0, lease = 30_000, label = '', onLost, signal, ...more } = {}) {
    const path = `/v1/locks/${encodeURIComponent(name)}/leases`;
    const key = newKey(); // a repeated request finds its own grant
    const end = performance.now() + wait;
    for (let pause = 50; ; pause = Math.min(1_000, 2 * pause)) {
      const sent = performance.now();
      const left = Math.max(0, Math.ceil(end - sent));
      const body = { ...more, wait: `${left}ms`, lease: `${lease}ms`, label };
      try {
        const grant = await this.request('POST', path, body, left + this.#timeout, { signal, key });
        return new Lease(this, name, grant, sent, onLost);
      } catch (failure) {
        signal?.throwIfAborted();
        if (!(failure instanceof CannotTell) || performance.now() > end + this.#timeout) throw failure;
      }
      await sleep(pause);
    }
  }

  /** Runs an action with a lease and releases it; throws LeaseLost if it was lost although the action went well. */
  async with(name, options, action) {
    const lease = await this.acquire(name, options);
    let result;
    try {
      result = await action(lease);
    } catch (failure) {
      await lease.release();
      throw failure;
    }
    await lease[asyncDispose]();
    return result;
  }

  /** Sends one request. For leases. */
  async request(method, path, body, timeout = this.#timeout, { signal, key } = {}) {
    const headers = { Accept: 'application/json' };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (this.#token !== undefined) headers.Authorization = `Bearer ${this.#token}`;
    if (key !== undefined) headers['Idempotency-Key'] = key;
    const ended = new AbortController();
    const end = () => ended.abort(signal?.reason);
    const timer = setTimeout(end, Math.min(timeout, 2 ** 31 - 1));
    signal?.addEventListener('abort', end, { once: true });
    let response, answer;
    try {
      signal?.throwIfAborted();
      response = await fetch(this.#url + path, {
        method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: ended.signal, redirect: 'error', cache: 'no-store',
      });
      const text = await response.text();
      answer = text === '' ? {} : JSON.parse(text);
    } catch (failure) {
      throw new CannotTell(`no answer from ${new URL(this.#url).host}: ${failure.cause?.message ?? failure.message}`, { cause: failure });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
    if (response.ok) return answer;
    const { code = 'http', detail = response.statusText } = answer ?? {};
    if (code === 'contended') throw new Contended(detail);
    if (code === 'lease-lost' || code === 'lease-unknown') throw new LeaseLost(answer.name, answer.reason ?? code);
    if (response.status >= 500 || code === 'lease-elsewhere') throw new CannotTell(detail); // another instance may answer
    throw new Refused(response.status, code, detail);
  }
}

/** One holding of a lock: release it, or take it with `await using`. */
export class Lease {
  #client;
  #path;
  #onLost;
  #interval;
  #deadline;
  #guard;
  #renewal;
  #ended = null; // null while held, then "released" or the reason of the loss
  #lost = new AbortController();

  constructor(client, name, grant, sent, onLost) {
    this.name = name;
    this.leaseId = grant.leaseId;
    /** The fencing tokens, by name, as BigInt: they are too large for a number. */
    this.tokens = new Map(Object.entries(grant.tokens).map(([each, token]) => [each, BigInt(token)]));
    this.#client = client;
    this.#path = `/v1/leases/${encodeURIComponent(grant.leaseId)}`;
    this.#onLost = onLost;
    this.#goodFor(sent, grant);
    this.#renewAfter(this.#interval);
  }

  /** The fencing token, a BigInt; with several names each has its own, in `tokens`. */
  get token() {
    if (this.tokens.size !== 1) throw new TypeError('this lease holds several names, each with a token of its own: use tokens');
    return this.tokens.values().next().value;
  }

  /** Whether the lease is held at this moment, by the clock. */
  get isHeld() {
    return this.#ended === null && performance.now() < this.#deadline;
  }

  /** The milliseconds left until the lease is lost unless a renewal succeeds. */
  get remaining() {
    return this.#ended === null ? Math.max(0, this.#deadline - performance.now()) : 0;
  }

  /** Aborted when the lease is lost: give it to fetch and whatever else should stop then. */
  get signal() {
    return this.#lost.signal;
  }

  /** Throws LeaseLost if the lease is not held at this moment. */
  ensureHeld() {
    if (!this.isHeld) throw new LeaseLost(this.name, this.#ended ?? 'expired');
  }

  /** Gives the lock up. Resolves to true if it was held until now, to false if it was lost or released before. */
  async release() {
    if (!this.#end('released')) return false;
    let asked = false; // whether an earlier request may have released it without an answer
    for (const pause of [100, 500, null]) {
      try {
        await this.#client.request('DELETE', this.#path);
        return true;
      } catch (failure) {
        if (failure instanceof LeaseLost) {
          if (asked) return true;
          this.#ended = failure.reason; // before the release, though nobody had told so yet
          return false;
        }
        if (!(failure instanceof CannotTell)) throw failure;
        asked = true;
        if (pause === null || performance.now() > this.#deadline) return true; // the store ends it with its lease
        await sleep(pause);
      }
    }
  }

  async [asyncDispose]() {
    if (!(await this.release()) && this.#ended !== 'released') throw new LeaseLost(this.name, this.#ended);
  }

  /** The deadline counts from when the request was sent, however long it has waited or its answer was under way. */
  #goodFor(sent, { validForMillis, remainingMillis }) {
    this.#deadline = sent + validForMillis;
    this.#interval = Math.max(50, remainingMillis / 3);
    clearTimeout(this.#guard);
    const guard = () => (this.remaining > 0 ? (this.#guard = background(guard, this.remaining)) : this.#end('expired'));
    this.#guard = background(guard, this.remaining);
  }

  #renewAfter(pause) {
    this.#renewal = background(() => this.#renew(), pause);
  }

  async #renew() {
    const sent = performance.now();
    try {
      const answer = await this.#client.request('PUT', this.#path, {}, Math.max(50, Math.min(5_000, this.remaining)));
      if (!this.isHeld) return; // a lease that is over does not come back
      this.#goodFor(sent, answer);
      this.#renewAfter(this.#interval);
    } catch (failure) {
      if (failure instanceof CannotTell) { // until the deadline, which the other timer watches
        if (this.isHeld) this.#renewAfter(Math.min(1_000, this.#interval / 4));
      } else this.#end(failure.reason ?? failure.message);
    }
  }

  /** Ends the lease once; a deadline that has passed is a loss, whatever it is ended with. */
  #end(how) {
    if (this.#ended !== null) return false;
    this.#ended = how === 'released' && performance.now() >= this.#deadline ? 'expired' : how;
    clearTimeout(this.#guard);
    clearTimeout(this.#renewal);
    if (this.#ended === 'released') return true;
    const lost = new LeaseLost(this.name, this.#ended);
    this.#lost.abort(lost);
    if (this.#onLost) queueMicrotask(() => this.#onLost(lost.reason));
    return false;
  }
}

/** A timer that does not keep a Node process alive. */
function background(action, millis) {
  const timer = setTimeout(action, Math.min(millis, 2 ** 31 - 1));
  timer.unref?.();
  return timer;
}

function sleep(millis) {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

function newKey() {
  return Array.from(random.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
