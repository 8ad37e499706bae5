// The page of one lock: who holds it, who waits, and what became of it in the last minutes.

import { cannotBeAsked, look, past } from './api.js';
import { fill, fillForeign, foreign, h, keyed, set, text } from './dom.js';
import { openEviction } from './evict.js';
import { count, duration, timeOfDay } from './format.js';
import { parts, t } from './i18n.js';
import { leaseBar } from './lease-bar.js';
import { reasonOf } from './losses.js';
import { isQuiet } from './model.js';
import { timeline } from './timeline.js';

const tickMillis = 250;
const askAgainMillis = 2_000; // at the soonest, for what the server remembers
const askAnywayMillis = 10_000; // because a grant may be too short for the server's looks
const holdersShown = 200;
const waitersShown = 200;
const eventsShown = 50;

export function lockView(model, name, rights) {
  const mayEvict = rights.mayEvict(name);
  const kind = h('p', { class: 'about' });
  const holders = h('div', { class: 'holders', id: 'holders' });
  const moreHolders = h('p', { class: 'muted' });
  const evictAll = h('button', { type: 'button', class: 'danger', hidden: true, onclick: () => openEviction(model, name, null, evictAll) }, t('evict_all'));
  const waiters = h('ol', { class: 'waiters', id: 'waiters' });
  const moreWaiters = h('p', { class: 'muted' });
  const lastEviction = h('p', { class: 'last-eviction', id: 'last-eviction' });
  const events = h('ol', { class: 'events', id: 'events' });
  const noEvents = h('p', { class: 'muted' }, t('no_events'));
  const times = timeline();
  const element = h('section', { class: 'page lock-view' },
    h('p', { class: 'back' }, h('a', { href: '#/' }, '← ', t('back'))),
    h('h1', { tabindex: -1 }, foreign(name)), kind,
    h('h2', null, t('holders')), holders, moreHolders,
    h('p', null, evictAll, mayEvict ? null : h('span', { class: 'muted', id: 'may-not-evict' }, t('may_not_evict'))), lastEviction,
    h('h2', null, t('line'), ' ', h('span', { class: 'badge', id: 'waiting' })), waiters, moreWaiters,
    times.element,
    h('h2', null, t('events')), events, noEvents);
  const waiting = element.querySelector('#waiting');
  let drawn = -1;
  let told = null; // the entry that was drawn
  let asking = null; // a timer, or the request after it
  let askedAt = -Infinity;
  let closed = false;
  let free = null; // what the server tells of the lock while nobody holds it: the events leave it out then

  function draw() {
    drawn = model.changes;
    const entry = model.entry(name);
    if (entry !== undefined) free = null;
    else if (free === null && model.loaded) askForFree();
    const lock = entry?.lock ?? { kind: null, capacity: 1, holders: [], holderCount: 0, waiters: [], waiterCount: 0, lastEviction: null };
    const units = lock.holders.reduce((sum, holder) => sum + holder.units, 0);
    text(kind, lock.kind === null ? '' : t(`about_${lock.kind}`, { units: count(units), capacity: count(lock.capacity) }));
    if (lock.holders.length === 0) {
      if (holders.firstElementChild?.className !== 'muted') {
        keyed(holders, [], null, null);
        fill(holders, h('p', { class: 'muted' }, t(model.loaded ? 'nobody_holds' : 'loading')));
      } else text(holders.firstElementChild, t(model.loaded ? 'nobody_holds' : 'loading'));
    } else {
      if (holders.firstElementChild?.className === 'muted') holders.firstElementChild.remove();
      keyed(holders, lock.holders.slice(0, holdersShown), (holder) => holder.token,
        (holder) => new HolderCard(model, name, holder, lock, mayEvict));
    }
    text(moreHolders, lock.holderCount > holdersShown ? t('and_more', { n: count(lock.holderCount - holdersShown) }) : '');
    evictAll.hidden = !mayEvict || lock.holders.length < 2;
    drawLine(lock);
    drawEvents();
    tick();
    if (entry !== told) {
      told = entry;
      askForPast();
    }
  }

  /** The server knows more than its looks show: what was before, and what went through it between two looks. */
  function askForPast() {
    if (asking !== null) return;
    asking = setTimeout(async () => {
      const of = told;
      try {
        model.learn(name, await past(name));
      } catch (problem) {
        console.warn(problem); // without it the page begins when it was opened
      }
      asking = null;
      if (told !== of && !closed) askForPast();
    }, Math.max(0, askedAt + askAgainMillis - performance.now()));
    askedAt = Math.max(performance.now(), askedAt + askAgainMillis);
  }

  async function askForFree() {
    free = { lock: { lastEviction: null }, at: 0 };
    if (cannotBeAsked(name)) return;
    const asked = free;
    try {
      const lock = await look(name);
      if (free === asked) free = { lock, at: performance.now() };
    } catch (problem) {
      console.warn(problem); // without it the page only lacks the last eviction
    }
  }

  function drawLine(lock) {
    text(waiting, count(lock.waiterCount));
    keyed(waiters, lock.waiters.slice(0, waitersShown).map((waiter, place) => ({ waiter, place })), ({ place }) => place, () => new WaiterItem(lock));
    text(moreWaiters, lock.waiterCount > waitersShown ? t('and_more', { n: count(lock.waiterCount - waitersShown) })
      : lock.waiterCount === 0 ? t('nobody_waits') : '');
  }

  function drawEvents() {
    const told = [];
    for (const segment of model.history(name).segments) {
      const nodes = { client: foreign(segment.client), token: h('code', null, segment.token) };
      told.push({ moment: segment.from, order: 0, key: `${segment.token} begin`, nodes: parts('event_granted', nodes) });
      if (segment.to === null) continue;
      const ended = { client: foreign(segment.client), token: h('code', null, segment.token) };
      told.push({ moment: segment.to, order: 1, key: `${segment.token} ${segment.end}`, lost: !isQuiet(segment.end),
        nodes: isQuiet(segment.end) ? parts(`event_${segment.end}`, ended) : parts('event_lost', { ...ended, reason: h('span', null, reasonOf({ ...segment, reason: segment.end })) }) });
    }
    told.sort((a, b) => b.moment - a.moment || b.order - a.order);
    keyed(events, told.slice(0, eventsShown), (item) => item.key, (item) => {
      const line = h('li', { class: item.lost ? 'lost' : null }, h('time', null, timeOfDay(item.moment)), h('span', null, item.nodes));
      return { element: line, update() {} };
    });
    noEvents.hidden = told.length > 0;
  }

  function tick() {
    const now = performance.now();
    const entry = model.entry(name);
    for (const part of holders.shownByKey?.values() ?? []) part.tick(entry, now);
    for (const part of waiters.shownByKey?.values() ?? []) part.tick(entry, now);
    drawLastEviction(entry ?? free, now);
    if (now - askedAt > askAnywayMillis && model.state === 'live') askForPast();
    times.draw(model, name, now);
  }

  let evictionShown = '';
  function drawLastEviction(told, now) {
    const eviction = told?.lock.lastEviction ?? null;
    const ago = eviction === null ? '' : duration(eviction.agoMillis + now - told.at);
    const key = eviction === null ? '' : `${ago} ${eviction.by} ${eviction.reason}`;
    if (key === evictionShown) return;
    evictionShown = key;
    fill(lastEviction, eviction === null ? null
      : parts('last_eviction', { ago, by: foreign(eviction.by), reason: foreign(eviction.reason) }));
  }

  const unwatch = model.watch(() => { if (model.changes !== drawn) draw(); });
  const ticking = setInterval(tick, tickMillis);
  return {
    element,
    title: name,
    begin: draw,
    close() {
      closed = true;
      clearTimeout(asking);
      clearInterval(ticking);
      unwatch();
    },
  };
}

/** What a holder or waiter of a lock that is not exclusive has of it. */
function shareOf(lock, units) {
  if (lock.kind === 'read-write') return t(units === lock.capacity ? 'as_writer' : 'as_reader');
  return lock.kind === 'semaphore' ? t('permits', { n: count(units), count: units }) : '';
}

class HolderCard {
  constructor(model, name, holder, lock, mayEvict) {
    this.token = holder.token;
    this.held = h('dd');
    this.bar = leaseBar();
    const share = shareOf(lock, holder.units);
    const evict = h('button', { type: 'button', class: 'danger', onclick: () => openEviction(model, name, this.token, evict) }, t('evict'));
    const pair = (term, ...value) => h('div', null, h('dt', null, t(term)), value);
    this.element = h('article', { class: 'holder-card', 'data-token': holder.token },
      h('h3', null, foreign(holder.client), share === '' ? null : [' ', h('span', { class: 'kind' }, share)]),
      h('dl', null, holder.label === '' ? null : pair('label', h('dd', null, foreign(holder.label))),
        pair('token', h('dd', null, h('code', null, holder.token))), pair('held_for', this.held),
        pair('lease_left', h('dd', null, this.bar.element))),
      mayEvict ? evict : null);
  }

  update() {}

  tick(entry, now) {
    const holder = entry?.lock.holders.find(({ token }) => token === this.token);
    if (holder === undefined) return;
    const held = entry.heldMillis(holder, now);
    text(this.held, t('held_since', { held: duration(held), time: timeOfDay(now - held) }));
    this.bar.update(entry, holder, now);
  }
}

class WaiterItem {
  constructor(lock) {
    this.lock = lock;
    this.client = h('bdi', { class: 'foreign client' });
    this.label = h('bdi', { class: 'foreign label' });
    this.share = h('span', { class: 'kind' });
    this.time = h('span', { class: 'muted' });
    this.element = h('li', null, this.client, ' ', this.share, ' ', this.label, ' ', this.time);
  }

  update({ waiter, place }) {
    this.place = place;
    fillForeign(this.client, waiter.client);
    fillForeign(this.label, waiter.label);
    const share = shareOf(this.lock, waiter.units);
    text(this.share, share);
    set(this.share, 'hidden', share === '');
  }

  tick(entry, now) {
    const waiter = entry?.lock.waiters[this.place];
    if (waiter !== undefined) text(this.time, t('waits_for', { time: duration(entry.waitingMillis(waiter, now)) }));
  }
}
