// The list of all locks: filter, order, and rows that move with the time.

import { append, fill, fillForeign, foreign, foreignText, h, set, text } from './dom.js';
import { compareTokens, count, duration } from './format.js';
import { parts, t } from './i18n.js';
import { leaseBar } from './lease-bar.js';
import { Rows } from './rows.js';

export const lockAddress = (name) => `#/lock/${encodeURIComponent(name)}`;

const tickMillis = 250;
const orderMillis = 500; // live changes put the list into order again this often at most

/** What the reader has chosen; it stays when the reader comes back from a lock. */
export const choice = { filter: '', show: 'all', sort: 'name', descending: false, scrollTop: 0 };

const byName = (a, b) => (a.lock.name < b.lock.name ? -1 : a.lock.name > b.lock.name ? 1 : 0);

/** What each column is ordered by, of an entry; undefined stands at the end whichever way. */
const columns = {
  name: { key: (entry) => entry.lock.name },
  holder: { key: (entry) => entry.lock.holders[0]?.client },
  waiters: { key: (entry) => entry.lock.waiterCount, descendingFirst: true },
  token: { key: (entry) => entry.lock.holders[0]?.token, compare: compareTokens },
  held_for: { key: (entry, now) => entry.lock.holders[0] && entry.heldMillis(entry.lock.holders[0], now), descendingFirst: true },
  lease: { key: (entry, now) => entry.ending && (entry.remainingMillis(entry.ending, now) ?? Infinity) },
};

const shows = {
  all: () => true,
  held: (entry) => entry.lock.holders.length > 0,
  wanted: (entry) => entry.lock.waiterCount > 0,
  ending: (entry, now) => entry.ending !== undefined && entry.remainingShare(entry.ending, now) < 1 / 3,
};

/** The names to show, in order. */
export function order(entries, { filter, show, sort, descending }, now) {
  const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const kept = [];
  for (const entry of entries) {
    if (shows[show](entry, now) && words.every((word) => entry.sought.includes(word))) kept.push(entry);
  }
  const { key, compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0) } = columns[sort];
  const keyed = kept.map((entry) => ({ entry, key: key(entry, now), lock: entry.lock }));
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined) return (a.key === undefined) - (b.key === undefined) || byName(a, b);
    return (descending ? -1 : 1) * compare(a.key, b.key) || byName(a, b);
  });
  return keyed.map(({ lock }) => lock.name);
}

export function listView(model, prefix) {
  const heads = Object.fromEntries(Object.keys(columns).map((column) => [column, head(column)]));
  const body = h('div', { class: 'rows', role: 'rowgroup' });
  const list = h(
    'div',
    { class: 'grid', id: 'locks', role: 'grid', tabindex: 0, 'aria-label': t('list_label') },
    h('div', { role: 'rowgroup', class: 'heads' }, h('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 }, Object.values(heads))),
    body,
  );
  const filter = h('input', {
    id: 'filter', type: 'search', 'aria-label': t('filter'), placeholder: t('filter'), value: choice.filter,
    autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'search', dir: 'auto',
    oninput: () => { choice.filter = filter.value; arrange(); },
    onkeydown: (event) => { if (event.key === 'ArrowDown') { event.preventDefault(); list.focus(); } },
  });
  const show = h('select', { id: 'show', 'aria-label': t('show'), onchange: () => { choice.show = show.value; arrange(); } },
    Object.keys(shows).map((key) => h('option', { value: key, selected: key === choice.show }, t(`show_${key}`))));
  const shown = h('p', { class: 'shown', id: 'shown', role: 'status' });
  const empty = h('p', { class: 'empty', hidden: true });
  const notes = h('div', { class: 'notes' });
  const element = h('section', { class: 'list-view' },
    h('h1', { tabindex: -1 }, t('locks')),
    h('div', { class: 'tools' }, filter, show, shown), notes, list, empty);

  const rows = new Rows(list, body, () => new Row(model), (name) => { location.hash = lockAddress(name); });
  let arranged = { at: -Infinity, changes: -1 };
  let scrolled = choice.scrollTop;

  function arrange() {
    const now = performance.now();
    arranged = { at: now, changes: model.changes };
    const names = order(model.entries.values(), choice, now);
    rows.show(names);
    if (scrolled > 0) { // back from a lock
      list.scrollTop = scrolled;
      scrolled = 0;
    }
    set(list, 'aria-rowcount', names.length + 1);
    for (const [column, cell] of Object.entries(heads)) cell.mark();
    text(shown, model.loaded ? t('shown_of', { shown: count(names.length), all: count(model.entries.size), count: model.entries.size }) : t('loading'));
    tellEmpty(names.length === 0 && model.loaded);
    fill(notes, prefix === '' ? null : h('p', null, parts('prefix_only', { prefix: foreign(prefix) })),
      model.truncated ? h('p', { class: 'warning' }, t('truncated')) : null);
  }

  function tellEmpty(nothing) {
    empty.hidden = !nothing;
    list.classList.toggle('nothing', nothing);
    if (!nothing) return;
    const filtered = model.entries.size > 0;
    text(empty, t(filtered ? 'none_match' : 'none_yet'));
    if (filtered) append(empty, [' ', h('button', { type: 'button', onclick: clear }, t('clear_filter'))]);
  }

  function clear() {
    filter.value = choice.filter = '';
    show.value = choice.show = 'all';
    arrange();
    filter.focus();
  }

  function head(column) {
    const arrow = h('span', { class: 'arrow', 'aria-hidden': 'true' });
    const button = h('button', { type: 'button', title: t('sort_by', { column: t(column) }), onclick: () => sortBy(column) }, t(column), arrow);
    const cell = h('div', { role: 'columnheader', class: `cell ${column}` }, button);
    cell.mark = () => {
      const sorted = choice.sort === column;
      set(cell, 'aria-sort', sorted ? (choice.descending ? 'descending' : 'ascending') : null);
      text(arrow, sorted ? (choice.descending ? '▼' : '▲') : '');
    };
    return cell;
  }

  function sortBy(column) {
    choice.descending = choice.sort === column ? !choice.descending : columns[column].descendingFirst === true;
    choice.sort = column;
    list.scrollTop = 0;
    arrange();
  }

  function tick() {
    const now = performance.now();
    const moves = choice.sort === 'lease' || choice.show === 'ending';
    if ((model.changes !== arranged.changes || moves) && now - arranged.at >= orderMillis) arrange();
    else for (const row of rows.inSight) row.tick(now);
  }

  const unwatch = model.watch(({ type }) => {
    if (type === 'snapshot' || performance.now() - arranged.at >= orderMillis) arrange();
  });
  const ticking = setInterval(tick, tickMillis);
  return {
    element,
    title: t('locks'),
    begin: arrange,
    filter,
    close() {
      choice.scrollTop = list.scrollTop;
      clearInterval(ticking);
      unwatch();
      rows.close();
    },
  };
}

let rowIds = 0;

/** A row, used for one lock after another. */
class Row {
  constructor(model) {
    this.model = model;
    this.nameLink = h('a', { class: 'foreign', tabindex: -1, draggable: 'false' });
    this.nameBox = h('bdi', { class: 'foreign' });
    this.nameLink.append(this.nameBox);
    this.kind = h('span', { class: 'kind' });
    this.client = h('bdi', { class: 'foreign' });
    this.more = h('span', { class: 'more' });
    this.label = h('bdi', { class: 'foreign label' });
    this.waiters = h('span', { class: 'count' });
    this.token = h('code');
    this.held = h('span');
    this.bar = leaseBar();
    const cell = (column, ...children) => h('div', { role: 'gridcell', class: `cell ${column}` }, children);
    this.element = h('div', { class: 'row', role: 'row', id: `row-${rowIds++}`, onclick: (event) => this.#click(event) },
      cell('name', this.nameLink, ' ', this.kind), cell('holder', this.client, ' ', this.more, ' ', this.label),
      cell('waiters', this.waiters), cell('token', this.token), cell('held_for', this.held), cell('lease', this.bar.element));
  }

  #click(event) {
    if (!event.target.closest('a') && getSelection().isCollapsed) this.nameLink.click();
  }

  update(name, place) {
    const entry = this.model.entry(name);
    set(this.element, 'aria-rowindex', place + 2);
    this.element.classList.toggle('odd', place % 2 === 1);
    if (entry === undefined || (entry === this.entry && this.name === name)) return;
    this.entry = entry;
    this.name = name;
    const { kind, holders, holderCount, waiterCount } = entry.lock;
    set(this.nameLink, 'href', lockAddress(name));
    set(this.nameLink, 'title', foreignText(name));
    fillForeign(this.nameBox, name);
    text(this.kind, kind === 'exclusive' ? '' : t(`kind_${kind}`));
    const [first] = holders;
    this.element.classList.toggle('free', first === undefined);
    if (first === undefined) {
      this.client.shown = undefined;
      text(this.client, t('free'));
    } else fillForeign(this.client, first.client);
    text(this.more, holderCount > 1 ? `+${count(holderCount - 1)}` : '');
    set(this.more, 'title', holderCount > 1 ? t('more_holders', { client: foreignText(first.client), n: count(holderCount - 1) }) : null);
    fillForeign(this.label, first?.label ?? '');
    text(this.waiters, waiterCount === 0 ? '' : count(waiterCount));
    text(this.token, first?.token ?? '');
    this.tick(performance.now());
  }

  tick(now) {
    const { entry } = this;
    const [first] = entry.lock.holders; // the oldest
    text(this.held, first === undefined ? '' : duration(entry.heldMillis(first, now)));
    this.bar.update(entry, entry.ending, now);
  }
}
