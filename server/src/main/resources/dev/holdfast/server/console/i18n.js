// What the console says, in the language of the reader. Words stand in words-en.js and words-zh.js.

import en from './words-en.js';
import zh from './words-zh.js';

const words = { en, zh };
let current = 'en';

/** Takes the language that was chosen before, or else the browser's. */
export function beginLanguage(chosen) {
  useLanguage(chosen ?? navigator.languages.find((tag) => /^(zh|en)\b/i.test(tag))?.slice(0, 2).toLowerCase());
}

export function useLanguage(tag) {
  current = tag === 'zh' ? 'zh' : 'en';
  document.documentElement.lang = current === 'zh' ? 'zh-CN' : 'en';
}

export function language() {
  return current;
}

/**
 * The words for a key, with {names} filled in. A key that ends in "_one" is taken for `count` 1 where the language has
 * it. A number written for people goes in as `n`.
 */
export function t(key, values = {}) {
  const table = words[current];
  const found = (values.count === 1 && table[key + '_one']) || table[key] || key;
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The words for a code that the server chose; what the server said itself where there are none. */
export function tOr(key, otherwise) {
  return words[current][key] ?? otherwise;
}

/** The words for a key, with a node in the place of each {name}. */
export function parts(key, nodes) {
  return t(key)
    .split(/(\{\w+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => nodes[piece.slice(1, -1)] ?? piece);
}
