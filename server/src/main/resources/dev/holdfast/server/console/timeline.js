// The last minutes of a lock as a picture: grants as bars in lanes, losses as notches, and how many waited below.
// A screen reader gets the list of events instead, which says the same.

import { foreignText, h, keyed, text } from './dom.js';
import { count, timeOfDay, wholeDuration } from './format.js';
import { t } from './i18n.js';
import { isQuiet, rememberedMillis } from './model.js';

const lanesShown = 8;
const barsShown = 400;
const redrawMillis = 1000;
const svgSpace = 'http://www.w3.org/2000/svg';
const spans = [1, 2, 5, rememberedMillis / 60_000]; // in minutes: as long as there is something to show

const percent = (value) => `${(value * 100).toFixed(2)}%`;

function svg(tag, attributes) {
  const element = document.createElementNS(svgSpace, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** One of six colours for each client, the same every time. */
function colourOf(client) {
  let hash = 7;
  for (const character of client) hash = (hash * 31 + character.codePointAt(0)) >>> 0;
  return `c${hash % 6}`;
}

/** Gives each segment the first lane that is free when it begins. Those beyond the last lane share it. */
export function lanesOf(segments) {
  const ends = [];
  return [...segments].sort((a, b) => a.from - b.from).map((segment) => {
    let lane = ends.findIndex((end) => end <= segment.from);
    if (lane < 0) lane = Math.min(ends.length, lanesShown - 1);
    ends[lane] = Math.max(ends[lane] ?? -Infinity, segment.to ?? Infinity);
    return { segment, lane };
  });
}

export function timeline() {
  const bars = h('div', { class: 'bars' });
  const unseen = h('div', { class: 'unseen-time' });
  const line = svg('polyline', { class: 'waiting-line', points: '' });
  const graph = svg('svg', { class: 'waiting-graph', viewBox: '0 0 1000 30', preserveAspectRatio: 'none' });
  graph.append(line);
  const most = h('span', { class: 'muted' });
  const note = h('span', { class: 'muted' });
  const title = h('h2');
  const marks = [h('span'), h('span'), h('span', null, t('now'))];
  const axis = h('div', { class: 'axis' }, marks);
  const picture = h('div', { class: 'timeline', role: 'img', 'aria-label': t('timeline_label') }, unseen, bars, graph, axis);
  const element = h('div', { class: 'timeline-box' }, title, picture, h('p', { class: 'legend' }, most, note));
  let drawn = -Infinity;
  let scale = null; // of the latest drawing: now, and where a moment stands, from 0 to 1
  let changes = -1;

  function draw(model, name, now) {
    if (changes === model.changes && now - drawn < redrawMillis) return;
    changes = model.changes;
    drawn = now;
    const since = model.sinceOf(name);
    const minutes = spans.find((span) => now - since < span * 60_000) ?? spans.at(-1);
    const span = minutes * 60_000;
    const from = now - span;
    const share = (moment) => Math.min(1, Math.max(0, (moment - from) / span));
    scale = { now, share };
    const history = model.history(name);
    const placed = lanesOf(history.segments.filter(({ to }) => to === null || to > from).slice(-barsShown));
    bars.style.height = `${(Math.max(0, ...placed.map(({ lane }) => lane)) + 1) * 26}px`;
    keyed(bars, placed, ({ segment }) => segment.token, ({ segment }) => {
      const bar = h('div', { class: `bar-of ${colourOf(segment.client)}`, title: `${foreignText(segment.client)} · ${segment.token}` },
        h('bdi', { class: 'foreign' }, foreignText(segment.client)));
      return {
        element: bar,
        update({ segment: latest, lane }) {
          bar.style.left = percent(scale.share(latest.from));
          bar.style.width = percent(scale.share(latest.to ?? scale.now) - scale.share(latest.from));
          bar.style.top = `${lane * 26}px`;
          bar.classList.toggle('lost', latest.to !== null && !isQuiet(latest.end));
          bar.classList.toggle('open', latest.to === null);
        },
      };
    });
    unseen.style.width = percent(share(since));
    text(title, t('timeline', { n: minutes, count: minutes }));
    marks.slice(0, 2).forEach((mark, i) => text(mark, t('minutes_ago', { time: wholeDuration(span / (i + 1)) })));
    text(note, t(since < model.since ? 'timeline_note_server' : 'timeline_note', { time: timeOfDay(since) }));
    drawWaiters(history.counts, share);
  }

  function drawWaiters(counts, share) {
    const highest = Math.max(0, ...counts.map(({ waiters }) => waiters));
    text(most, t('timeline_waiters', { n: count(highest) }));
    const points = [];
    let y = 29;
    for (const { at, waiters } of counts) {
      const x = (share(at) * 1000).toFixed(1);
      points.push(`${x},${y}`);
      y = 29 - (highest === 0 ? 0 : (waiters / highest) * 27);
      points.push(`${x},${y}`);
    }
    points.push(`1000,${y}`);
    line.setAttribute('points', points.join(' '));
  }

  return { element, draw };
}
