// What is left of a lease, as a shrinking bar and in words. The colour says nothing that the words do not.

import { h, text } from './dom.js';
import { duration } from './format.js';
import { t } from './i18n.js';

export function leaseBar() {
  const fill = h('span', { class: 'fill' });
  const bar = h('span', { class: 'bar', 'aria-hidden': 'true' }, fill);
  const words = h('span', { class: 'left' });
  const element = h('span', { class: 'lease-bar' }, bar, words);
  return {
    element,
    /** Shows a holder of an entry; nothing if there is none. */
    update(entry, holder, now) {
      element.hidden = holder === undefined;
      if (holder === undefined) return;
      const left = entry.remainingMillis(holder, now);
      const share = entry.remainingShare(holder, now);
      fill.style.transform = `scaleX(${share.toFixed(3)})`;
      bar.classList.toggle('session', left === null);
      bar.classList.toggle('low', left !== null && share < 1 / 3);
      bar.classList.toggle('over', left === 0);
      text(words, left === null ? t('session') : left === 0 ? t('overdue') : t('left', { time: duration(left) }));
    },
  };
}
