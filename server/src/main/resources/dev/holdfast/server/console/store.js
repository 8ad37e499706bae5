// What the store promises, in plain words.

import { store } from './api.js';
import { fill, foreign, h } from './dom.js';
import { wholeDuration } from './format.js';
import { t, tOr } from './i18n.js';

export function storeView() {
  const content = h('div', { id: 'promises' }, h('p', { class: 'muted' }, '…'));
  const element = h('section', { class: 'page' }, h('h1', { tabindex: -1 }, t('store_title')), content);

  function promise({ code, kept, text }) {
    return h('li', { class: kept ? 'kept' : 'missing', 'data-code': code }, tOr(`${kept ? 'yes' : 'no'}_${code}`, foreign(text)));
  }

  async function begin() {
    try {
      show(await store());
    } catch (problem) {
      fill(content, h('p', { class: 'alarm', role: 'alert' }, t('store_unknown', { detail: problem.detail ?? '' })));
    }
  }

  function show({ store: where, version, expiry, shortestLeaseMillis, longestLeaseMillis, failover, promises }) {
    const kept = promises.filter((each) => each.kept);
    const missing = promises.filter((each) => !each.kept);
    const pair = (term, value) => h('div', null, h('dt', null, t(term)), h('dd', null, value));
    fill(content,
      h('dl', { class: 'facts' },
        pair('store_at', foreign(where)),
        pair('store_expiry', tOr(`expiry_${expiry}`, foreign(expiry))),
        pair('store_failover', foreign(failover, { lang: 'en' })),
        pair('store_leases', t('store_lease_range', { shortest: wholeDuration(shortestLeaseMillis), longest: wholeDuration(longestLeaseMillis) })),
        version ? pair('store_version', foreign(version)) : null),
      h('h2', null, t('store_kept')), h('ul', { class: 'promises' }, kept.map(promise)),
      h('h2', null, t('store_missing')),
      missing.length === 0 ? h('p', { class: 'muted' }, t('store_none_missing')) : h('ul', { class: 'promises' }, missing.map(promise)),
      h('h2', null, t('store_always')), h('ul', { class: 'promises' }, ['always_1', 'always_2'].map((key) => h('li', { class: 'kept' }, t(key)))));
  }

  return { element, title: t('store_title'), begin, close() {} };
}
