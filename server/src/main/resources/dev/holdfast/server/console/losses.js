// The leases that were lost since the console was opened, newest first.

import { fill, foreign, h } from './dom.js';
import { count, timeOfDay } from './format.js';
import { parts, t, tOr } from './i18n.js';
import { lockAddress } from './list.js';
import { rememberedLosses } from './model.js';

const shownAtOnce = 100;

/** Why a lease was lost, as nodes. */
export function reasonOf({ reason, by, why }) {
  if (reason === 'evicted' && (by || why)) return parts('evicted_by', { by: foreign(by ?? '?'), reason: foreign(why ?? '') });
  return [tOr(`reason_${reason}`, foreign(String(reason)))];
}

export function lossNews(loss) {
  return parts('loss_news', {
    name: h('a', { href: lockAddress(loss.name) }, foreign(loss.name)),
    client: foreign(loss.client ?? '?'),
    reason: h('span', null, reasonOf(loss)),
  });
}

export function lossesView(model) {
  const items = h('ol', { class: 'events losses', id: 'losses' });
  const note = h('p', { class: 'muted' });
  const element = h('section', { class: 'page' }, h('h1', { tabindex: -1 }, t('losses')), h('p', { class: 'about' }, t('losses_about')), items, note);
  let shown = -1;
  let limit = shownAtOnce;

  function draw() {
    if (shown === model.lossesInAll) return;
    shown = model.lossesInAll;
    const { losses } = model;
    fill(items, losses.slice(0, limit).map((loss) => h('li', null,
      h('time', null, timeOfDay(loss.moment)), h('span', null, lossNews(loss), ' ', h('code', { title: t('token') }, loss.token)))));
    fill(note, losses.length === 0 ? t('no_losses') : shown > losses.length ? t('losses_more', { n: count(rememberedLosses) }) : null,
      losses.length > limit ? h('button', { type: 'button', onclick: () => { limit = rememberedLosses; shown = -1; draw(); } },
        t('and_more', { n: count(losses.length - limit) })) : null);
  }

  const unwatch = model.watch(draw);
  return { element, title: t('losses'), begin: draw, close: unwatch };
}
