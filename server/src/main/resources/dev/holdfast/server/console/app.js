// The console: who is signed in, which page is shown, and the stream of events that all pages live on.

import { events, keepToken, me, Problem, token } from './api.js';
import { fill, foreign, foreignText, h, set, text } from './dom.js';
import { count, timeOfDay } from './format.js';
import { beginLanguage, language, parts, t, useLanguage } from './i18n.js';
import { listView } from './list.js';
import { lockView } from './lock.js';
import { lossesView, lossNews } from './losses.js';
import { Model } from './model.js';
import { announce, clearNews, newsBox } from './news.js';
import { signInView } from './sign-in.js';
import { storeView } from './store.js';

const firstRetryMillis = 1_000;
const longestRetryMillis = 15_000;
const tidyMillis = 30_000;
const hiddenMillis = 60_000; // after which a tab that nobody looks at lets its stream go
const newsAtOnce = 3; // of losses; a store that fails over may lose thousands in one second

const prefix = new URLSearchParams(location.search).get('prefix') ?? '';
const dressing = { language: recall('language'), theme: recall('theme') ?? 'auto' };
let model = new Model();
let account = null; // what /v1/me said; null if nobody is signed in
let view = null;
let stream = null; // an AbortController while events are read
let retryNow = null;

function recall(key) {
  try {
    return localStorage.getItem(`holdfast.${key}`);
  } catch {
    return null;
  }
}

function remember(key, value) {
  dressing[key] = value;
  try {
    localStorage.setItem(`holdfast.${key}`, value);
  } catch {
    // Forgotten after a reload, then.
  }
}

const rights = {
  get mayLook() {
    return account.roles.includes('look');
  },
  mayEvict(name) {
    return account.roles.includes('evict') && account.prefixes.some((begin) => name.startsWith(begin));
  },
};

// The page around the views.

const main = h('main', { id: 'content' });
const header = h('header');
const banner = h('div', { class: 'banner', role: 'status' });

function drawHeader() {
  const languages = h('select', { id: 'language', 'aria-label': t('language'), onchange: () => {
    remember('language', languages.value);
    useLanguage(languages.value);
    drawAll();
    document.getElementById('language').focus();
  } }, [['en', 'English'], ['zh', '中文']].map(([tag, name]) => h('option', { value: tag, lang: tag, selected: tag === language() }, name)));
  const themes = h('select', { id: 'theme', 'aria-label': t('theme'), onchange: () => {
    remember('theme', themes.value);
    dress();
  } }, ['auto', 'light', 'dark'].map((theme) => h('option', { value: theme, selected: theme === dressing.theme }, t(`theme_${theme}`))));
  fill(header,
    h('a', { class: 'skip', href: '#content', onclick: (event) => { event.preventDefault(); main.querySelector('h1')?.focus(); } }, t('skip')),
    h('a', { class: 'home', href: '#/', 'aria-label': 'Holdfast' }, h('img', { src: 'favicon.svg', alt: '', width: 26, height: 26 }), h('span', null, 'Holdfast')),
    account === null ? null : h('nav', { 'aria-label': t('sections') },
      [['#/', 'locks'], ['#/losses', 'losses'], ['#/store', 'store']].map(([href, key]) => h('a', { href, 'data-page': key }, t(key),
        key === 'losses' ? h('span', { class: 'badge', id: 'losses-count', hidden: true }) : null))),
    h('span', { class: 'grow' }),
    account === null ? null : h('span', { class: 'state', id: 'state', role: 'status' }),
    languages, themes,
    account === null ? null : h('span', { class: 'who', title: t('signed_in_as', { who: foreignText(account.name) }) }, foreign(account.name)),
    account !== null && token() !== null ? h('button', { type: 'button', id: 'sign-out', onclick: signOut }, t('sign_out')) : null);
  drawState();
  markPage();
}

function drawState() {
  const state = document.getElementById('state');
  if (state === null) return;
  state.className = `state ${model.state}`;
  text(state, t(`state_${model.state}`));
  const badge = document.getElementById('losses-count');
  badge.hidden = model.lossesInAll === 0;
  text(badge, count(model.lossesInAll));
  const stale = model.state !== 'live' && model.loaded && model.staleSince !== null;
  set(document.body, 'data-stale', stale);
  fill(banner, stale || (model.state === 'trouble') ? h('p', { class: 'warning', id: 'stale' }, t(`state_${model.state}`), '. ',
    stale ? [t('stale_since', { time: timeOfDay(model.staleSince) }), ' '] : null, t('again_in'),
    model.troubleDetail === '' ? null : [' ', foreign(model.troubleDetail, { lang: 'en' })]) : null);
}

function dress() {
  set(document.documentElement, 'data-theme', dressing.theme === 'auto' ? null : dressing.theme);
}

// Which view is shown is written in the fragment of the address.

function viewFor(hash) {
  if (!rights.mayLook) return messageView(t('look_refused', { who: foreignText(account.name) }));
  if (hash === '' || hash === '#' || hash === '#/') return listView(model, prefix);
  if (hash === '#/losses') return lossesView(model);
  if (hash === '#/store') return storeView();
  const lock = /^#\/lock\/(.+)$/.exec(hash);
  try {
    if (lock !== null) return lockView(model, decodeURIComponent(lock[1]), rights);
  } catch {
    // Not the address of any lock: half of a character, perhaps.
  }
  return messageView(t('not_found'));
}

function messageView(words) {
  const element = h('section', { class: 'page' }, h('h1', { tabindex: -1 }, 'Holdfast'), h('p', null, words), h('p', null, h('a', { href: '#/' }, t('back'))));
  return { element, title: words, begin() {}, close() {} };
}

function show(next, focus) {
  view?.close();
  view = next;
  fill(main, next.element);
  document.title = `${foreignText(next.title)} · Holdfast`;
  next.begin();
  markPage();
  if (focus) {
    scrollTo(0, 0);
    next.element.querySelector('h1').focus({ preventScroll: true });
  }
}

function markPage() {
  const here = location.hash === '#/losses' ? 'losses' : location.hash === '#/store' ? 'store' : 'locks';
  for (const link of header.querySelectorAll('nav a')) set(link, 'aria-current', link.dataset.page === here ? 'page' : null);
}

function drawAll() {
  drawHeader();
  if (account === null) askForToken();
  else show(viewFor(location.hash), false);
}

// Signing in and out.

async function enter(given) {
  const before = token();
  if (given !== null) keepToken(given);
  try {
    account = await me();
  } catch (problem) {
    if (given !== null) keepToken(before);
    throw problem;
  }
  model = new Model();
  model.watch(news);
  drawAll();
  if (rights.mayLook) follow();
}

function signOut() {
  stream?.abort();
  stream = null;
  keepToken(null);
  account = null;
  model = new Model(); // what was seen is not for the next reader
  clearNews();
  fill(banner);
  document.body.removeAttribute('data-stale');
  history.replaceState(null, '', '#/');
  drawAll();
}

function askForToken(alarm = '') {
  show(signInView(enter, alarm), false);
}

// The stream of events, kept up for as long as somebody is signed in.

// A browser has six connections to a server at most, and each stream takes one. So a tab that is hidden for a while, or
// that the browser keeps only for the way back, lets go of its own.

async function follow() {
  stream?.abort();
  const mine = new AbortController();
  stream = mine;
  let wait = firstRetryMillis;
  while (!mine.signal.aborted) {
    try {
      model.begin();
      await events(prefix, mine.signal, (type, data) => {
        if (mine.signal.aborted) return;
        model.take(type, data);
        if (model.state === 'live') wait = firstRetryMillis;
      });
      if (!mine.signal.aborted) model.setState('broken');
    } catch (problem) {
      if (mine.signal.aborted) return;
      if (!(problem instanceof Problem)) console.error(problem);
      if (problem.code === 'unauthorized') {
        stream = null;
        return refused();
      }
      if (problem.code === 'cannot-tell') model.setState('trouble', problem.detail);
      else model.setState('broken', problem.code === 'network' ? '' : (problem.detail ?? ''));
      wait = Math.max(wait, problem.retryAfterMillis ?? 0);
    }
    await pause(wait * (0.75 + Math.random() / 2), mine.signal);
    wait = Math.min(longestRetryMillis, wait * 2);
  }
}

/** Waits, unless the browser finds the network again or the reader comes back to the tab. */
function pause(millis, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    retryNow = resolve;
    signal.addEventListener('abort', resolve, { once: true });
    void timer;
  });
}

let hidden;

function letGo() {
  if (stream === null) return;
  stream.abort();
  stream = null;
  model.setState('connecting');
}

function takeUp() {
  retryNow?.();
  if (stream === null && account !== null && rights.mayLook) follow();
}

function refused() {
  keepToken(null);
  account = null;
  drawHeader();
  askForToken(t('token_refused'));
}

let newsSince = { second: 0, n: 0 };

function news({ type, data }) {
  if (type === 'state' || type === 'loss') drawState();
  if (type !== 'loss') return;
  const second = Math.floor(performance.now() / 1000);
  newsSince = newsSince.second === second ? { second, n: newsSince.n + 1 } : { second, n: 1 };
  if (newsSince.n <= newsAtOnce) announce(lossNews(data), 'loss');
}

beginLanguage(dressing.language);
dress();
document.body.append(header, banner, main, newsBox());
addEventListener('hashchange', () => { if (account !== null) show(viewFor(location.hash), true); });
addEventListener('online', () => retryNow?.());
addEventListener('pagehide', letGo);
addEventListener('pageshow', takeUp);
document.addEventListener('visibilitychange', () => {
  clearTimeout(hidden);
  if (document.visibilityState === 'visible') takeUp();
  else hidden = setTimeout(letGo, hiddenMillis);
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && view?.filter && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)) {
    event.preventDefault();
    view.filter.focus();
  }
});
setInterval(() => model.tidy(), tidyMillis);
drawHeader();
try {
  await enter(null);
} catch (problem) {
  if (problem.code === 'unauthorized') {
    keepToken(null);
    askForToken();
  } else if (problem instanceof Problem) {
    fill(main, h('section', { class: 'page' }, h('h1', { tabindex: -1 }, t('state_broken')), h('p', null, foreign(problem.detail))));
    setTimeout(() => location.reload(), longestRetryMillis);
  } else throw problem;
}
