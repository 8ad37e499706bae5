// Short messages that a screen reader speaks and everybody sees for a while: what came of an eviction, and losses.

import { fill, h } from './dom.js';

const shownMillis = 8_000;
const shownAtOnce = 3;

const box = h('div', { class: 'news', id: 'news', role: 'log', 'aria-live': 'polite' });

export function newsBox() {
  return box;
}

/** Says something; `kind` is null or "loss". */
export function announce(content, kind = null) {
  const item = h('p', { class: kind }, content);
  box.append(item);
  while (box.childElementCount > shownAtOnce) box.firstElementChild.remove();
  setTimeout(() => item.remove(), shownMillis);
}

export function clearNews() {
  fill(box);
}
