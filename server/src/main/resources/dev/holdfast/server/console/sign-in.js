// Asks for a bearer token.

import { fill, h } from './dom.js';
import { t } from './i18n.js';

/** A form that calls `enter(token)`, which may reject; `alarm` is what to say at first. */
export function signInView(enter, alarm) {
  const field = h('input', { id: 'token', type: 'password', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'aria-describedby': 'token-kept sign-in-alarm', required: true });
  const told = h('p', { class: 'alarm', role: 'alert', id: 'sign-in-alarm' }, alarm);
  const button = h('button', { type: 'submit', class: 'strong' }, t('sign_in'));
  const form = h('form', { onsubmit: submit, novalidate: true },
    h('label', { for: 'token' }, t('token_field')), field, told, button, h('p', { class: 'muted', id: 'token-kept' }, t('token_kept')));
  const element = h('section', { class: 'page sign-in' }, h('h1', { tabindex: -1 }, t('sign_in')), h('p', null, t('sign_in_why')), form);

  async function submit(event) {
    event.preventDefault();
    const token = field.value.trim();
    const wrong = token === '' ? 'token_empty' : /^[\x21-\x7e]+$/.test(token) ? null : 'token_shape';
    if (wrong !== null) return refuse(t(wrong));
    button.disabled = true;
    try {
      await enter(token);
    } catch (problem) {
      refuse(problem.code === 'unauthorized' ? t('token_refused') : problem.code === 'network' ? t('state_broken') : problem.detail);
    } finally {
      button.disabled = false;
    }
  }

  function refuse(words) {
    fill(told, words);
    field.focus();
    field.select();
  }

  return { element, title: t('sign_in'), begin: () => field.focus(), close() {} };
}
