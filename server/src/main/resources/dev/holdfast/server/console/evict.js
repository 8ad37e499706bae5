// Eviction: says what will happen, asks for the reason, and tells what came of it.

import { cannotBeAsked, evict } from './api.js';
import { fill, foreign, h, text } from './dom.js';
import { count } from './format.js';
import { parts, t, tOr } from './i18n.js';
import { announce } from './news.js';

const longestReason = 200;
const aliveMillis = 15_000;

function problemWords(problem) {
  return tOr(`problem_${problem.code}`, t('problem_other')).replace('{detail}', () => problem.detail);
}

/**
 * Opens the dialogue.
 *
 * @param grantToken of the holder to evict; null for all
 * @param opener gets the focus back
 */
export function openEviction(model, name, grantToken, opener) {
  const holdersNow = () => (model.entry(name)?.lock.holders ?? []).filter(({ token }) => grantToken === null || token === grantToken);
  const holders = holdersNow();
  if (holders.length === 0) return;
  const what = grantToken === null
    ? parts('evict_holders', { name: foreign(name), n: count(model.entry(name).lock.holderCount) })
    : parts('evict_holder', { name: foreign(name), client: foreign(holders[0].client), token: h('code', null, grantToken) });
  const alive = holders.some((holder) => holder.remainingMillis !== null && holder.remainingMillis > 0 && holder.heldMillis > aliveMillis);
  const reason = h('textarea', { id: 'reason', rows: 2, maxlength: longestReason, dir: 'auto', 'aria-describedby': 'reason-hint', oninput: () => text(alarm, '') });
  const alarm = h('p', { class: 'alarm', role: 'alert', id: 'evict-alarm' });
  const cancel = h('button', { type: 'button', id: 'evict-cancel', onclick: () => dialog.close() }, t('cancel'));
  const confirm = h('button', { type: 'button', id: 'evict-confirm', class: 'danger strong', onclick: run }, t('evict_do'));
  const dialog = h('dialog', { 'aria-labelledby': 'evict-title', 'aria-describedby': 'evict-what', class: 'evict' },
    h('h2', { id: 'evict-title' }, t('evict_title')),
    h('p', { id: 'evict-what' }, what), alive ? h('p', { class: 'warning' }, t('evict_alive')) : null, h('p', { class: 'muted' }, t('evict_effect')),
    h('label', { for: 'reason' }, t('reason')), reason, h('p', { class: 'muted', id: 'reason-hint' }, t('reason_hint')), alarm,
    h('p', { class: 'buttons' }, cancel, confirm));
  let busy = false;

  async function run() {
    if (busy) return;
    if (cannotBeAsked(name)) return fill(alarm, t('name_of_dots'));
    const why = reason.value.trim().replace(/\s+/g, ' ');
    if (why === '') {
      reason.focus();
      return fill(alarm, t('reason_missing'));
    }
    busy = true;
    confirm.disabled = true;
    text(confirm, t('evict_doing'));
    try {
      const n = await evict(name, grantToken, why);
      dialog.close();
      announce(n === 0 ? t('evicted_none') : t('evicted_some', { n: count(n), count: n }));
    } catch (problem) {
      fill(alarm, problemWords(problem));
    } finally {
      busy = false;
      confirm.disabled = false;
      text(confirm, t('evict_do'));
    }
  }

  const unwatch = model.watch(() => {
    if (!busy && holdersNow().length === 0 && model.state === 'live') {
      fill(alarm, t('evict_gone'));
      confirm.hidden = true;
    }
  });
  dialog.addEventListener('close', () => {
    unwatch();
    dialog.remove();
    if (opener.isConnected) opener.focus();
    else document.querySelector('h1')?.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  reason.focus();
}
