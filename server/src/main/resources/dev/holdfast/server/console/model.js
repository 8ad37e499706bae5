// What the server has told: the locks as they are, what became of them in the last minutes, and which leases were lost.
//
// Times are in milliseconds of performance.now(). The server sends durations, so its clock is never compared with the
// browser's. What is remembered is bounded: segments for each lock, locks that are free again, losses.

export const rememberedMillis = 10 * 60_000;
export const rememberedLosses = 500;
const segmentsPerLock = 200;
const countsPerLock = 300;
const freeNames = 20_000;
const roundingMillis = 10;

/** Whether a segment ended without a loss: released, or its end was not seen because there was no connection. */
export const isQuiet = (end) => end === 'released' || end === 'unseen';

/** A lock at the moment when the server told of it. */
class Entry {
  constructor(lock, at, before) {
    this.lock = lock;
    this.at = at;
    this.sought = [lock.name, ...lock.holders.flatMap((holder) => [holder.client, holder.label])].join('\n').toLowerCase();
    // The length of a lease is not known, only what is left of it: the most that was ever left is the full bar.
    this.full = new Map();
    for (const { token, remainingMillis } of lock.holders) {
      if (remainingMillis !== null) this.full.set(token, Math.max(remainingMillis, before?.full.get(token) ?? 0, 1));
    }
  }

  heldMillis(holder, now) {
    return holder.heldMillis + (now - this.at);
  }

  /** What is left of a lease; null where it has no end of its own. */
  remainingMillis(holder, now) {
    return holder.remainingMillis === null ? null : Math.max(0, holder.remainingMillis - (now - this.at));
  }

  /** From 1, just renewed, to 0, over. */
  remainingShare(holder, now) {
    return holder.remainingMillis === null ? 1 : this.remainingMillis(holder, now) / this.full.get(holder.token);
  }

  waitingMillis(waiter, now) {
    return waiter.waitingMillis + (now - this.at);
  }

  /** The holder whose lease ends first; which one that is changes with each renewal. */
  get ending() {
    const { holders } = this.lock;
    return holders.reduce((a, b) => ((b.remainingMillis ?? Infinity) < (a.remainingMillis ?? Infinity) ? b : a), holders[0]);
  }
}

/** What is remembered of one name. */
class History {
  since = null; // from when on the server's history is complete; null if it was not asked for
  segments = []; // { token, client, label, from, to, end, seenFrom }, oldest first; to is null while it is held
  counts = []; // { at, waiters }

  open(token) {
    return this.segments.find((segment) => segment.token === token && segment.to === null);
  }

  /** The grant that was told of last under this token, still held or not. */
  last(token) {
    return this.segments.findLast((segment) => segment.token === token);
  }

  forgetBefore(moment) {
    this.segments = this.segments.filter((segment) => segment.to === null || segment.to > moment).slice(-segmentsPerLock);
    const kept = this.counts.findLastIndex((count) => count.at <= moment);
    this.counts = this.counts.slice(Math.max(0, kept)).slice(-countsPerLock);
  }

  /** Takes what the server remembers; where it knows more than two looks could tell, it is right. */
  learn({ sinceMillis, grants, waiting }, now) {
    this.since = now - sinceMillis;
    for (const { token, client, label, agoMillis, endedAgoMillis, end, exact, by, why } of grants) {
      const to = endedAgoMillis === null ? null : now - endedAgoMillis;
      const known = this.last(token);
      if (known === undefined) {
        this.segments.push({ token, client, label, from: now - agoMillis, to, end, by, why, seenFrom: now });
      } else if (to !== null && (known.to === null || exact || known.end === 'unseen' || end === 'unseen')) {
        Object.assign(known, { to: Math.min(to, known.to ?? to), end, by: by ?? known.by, why: why ?? known.why });
      }
    }
    this.segments.sort((a, b) => a.from - b.from);
    const first = this.counts[0]?.at ?? now;
    const earlier = waiting.map(({ agoMillis, waiters }) => ({ at: now - agoMillis, waiters })).filter(({ at }) => at < first - roundingMillis);
    this.counts = [...earlier, ...this.counts];
  }

  get empty() {
    return this.segments.length === 0;
  }
}

export class Model {
  entries = new Map(); // by name
  losses = []; // newest first
  lossesInAll = 0;
  state = 'connecting'; // connecting, live, trouble or broken
  troubleDetail = '';
  staleSince = null; // when the last news came, unless live
  loaded = false; // whether a whole snapshot has come
  truncated = false;
  since = performance.now();
  changes = 0; // grows with each change of entries
  #histories = new Map();
  #coming = null; // the parts of a snapshot
  #listeners = new Set();

  /** Calls back after each event. Returns what ends that. */
  watch(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  setState(state, detail = '') {
    const now = performance.now();
    if (state === 'live') this.staleSince = null;
    else if (this.state === 'live') this.staleSince = now;
    this.state = state;
    this.troubleDetail = detail;
    this.#tell({ type: 'state' });
  }

  /** Takes an event of the server's stream. */
  take(type, data) {
    const now = performance.now();
    switch (type) {
      case 'snapshot':
        this.#snapshot(data, now);
        break;
      case 'changed':
        for (const lock of data.locks) this.#put(lock, now);
        break;
      case 'gone':
        for (const name of data.names) this.#remove(name, now);
        break;
      case 'loss':
        this.#loss(data, now);
        break;
      case 'trouble':
        this.setState('trouble', data.detail ?? '');
        return;
      case 'stopping':
      case 'cut':
      case 'reconnect':
        this.setState('broken');
        return;
      default:
        return; // of a newer server
    }
    this.changes++;
    this.#tell({ type, data });
  }

  entry(name) {
    return this.entries.get(name);
  }

  history(name) {
    const history = this.#histories.get(name);
    history?.forgetBefore(performance.now() - rememberedMillis);
    return history ?? new History();
  }

  /** Takes what the server remembers of a lock. */
  learn(name, told) {
    const now = performance.now();
    let history = this.#histories.get(name);
    if (history === undefined) this.#histories.set(name, (history = new History()));
    history.learn(told, now);
    this.changes++;
    this.#tell({ type: 'history', data: { name } });
  }

  /** From when on it is known what became of a lock. */
  sinceOf(name) {
    return Math.min(this.since, this.#histories.get(name)?.since ?? Infinity);
  }

  /** Forgets what nobody can see any more; called now and then. */
  tidy() {
    const before = performance.now() - rememberedMillis;
    for (const [name, history] of this.#histories) {
      history.forgetBefore(before);
      if (history.empty && !this.entries.has(name)) this.#histories.delete(name);
    }
    let tooMany = this.#histories.size - this.entries.size - freeNames;
    for (const name of this.#histories.keys()) {
      if (tooMany <= 0) break;
      if (!this.entries.has(name)) {
        this.#histories.delete(name);
        tooMany--;
      }
    }
  }

  #snapshot({ locks, first, last, truncated }, now) {
    // One that was broken off begins again.
    if (first) this.#coming = [];
    this.#coming ??= [];
    this.#coming.push(...locks);
    if (!last) return;
    const coming = this.#coming;
    this.#coming = null;
    const names = new Set(coming.map((lock) => lock.name));
    for (const name of [...this.entries.keys()]) if (!names.has(name)) this.#remove(name, now, 'unseen');
    for (const lock of coming) this.#put(lock, now, 'unseen');
    this.truncated = truncated === true;
    this.loaded = true;
    this.setState('live');
  }

  /** A new stream begins with a snapshot of its own; the parts of one that was broken off do not count. */
  begin() {
    this.#coming = null;
  }

  #put(lock, now, end = 'released') {
    const before = this.entries.get(lock.name);
    this.entries.set(lock.name, new Entry(lock, now, before));
    let history = this.#histories.get(lock.name);
    if (history === undefined) this.#histories.set(lock.name, (history = new History()));
    const held = new Set(lock.holders.map((holder) => holder.token));
    this.#endAllBut(history, held, now, end);
    for (const { token, client, label, heldMillis, remainingMillis } of lock.holders) {
      const known = history.last(token);
      if (known !== undefined) known.inSession = remainingMillis === null;
      else {
        const inSession = remainingMillis === null;
        history.segments.push({ token, client, label, from: now - heldMillis, to: null, end: null, seenFrom: now, inSession });
      }
    }
    const waiters = lock.waiterCount;
    if (history.counts.at(-1)?.waiters !== waiters) history.counts.push({ at: now, waiters });
    if (history.segments.length > 2 * segmentsPerLock || history.counts.length > 2 * countsPerLock) {
      history.forgetBefore(now - rememberedMillis);
    }
  }

  #remove(name, now, end = 'released') {
    this.entries.delete(name);
    const history = this.#histories.get(name);
    if (history === undefined) return;
    this.#endAllBut(history, new Set(), now, end);
    if (history.counts.at(-1)?.waiters > 0) history.counts.push({ at: now, waiters: 0 });
  }

  #endAllBut(history, held, now, end) {
    for (const segment of history.segments) {
      if (segment.to === null && !held.has(segment.token)) {
        segment.to = now;
        // A grant that lives as long as a session may have ended with it.
        segment.end = segment.inSession ? 'unseen' : end;
      }
    }
  }

  #loss(data, now) {
    this.losses.unshift({ ...data, moment: now });
    this.losses.length = Math.min(this.losses.length, rememberedLosses);
    this.lossesInAll++;
    const history = this.#histories.get(data.name);
    const segment = history?.open(data.token) ?? history?.last(data.token);
    if (segment === undefined) return;
    segment.to ??= now;
    segment.end = data.reason;
    segment.by = data.by;
    segment.why = data.why;
  }

  #tell(event) {
    for (const listener of this.#listeners) listener(event);
  }
}
