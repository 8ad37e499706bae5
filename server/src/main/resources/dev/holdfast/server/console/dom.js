// Elements are made by hand and text goes in as text nodes only: what a lock is called is never read as HTML.

/**
 * Makes an element. Properties that begin with "on" are listeners, others are attributes; false and null leave an
 * attribute out. Children are nodes, strings or numbers; null is left out.
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else set(element, key, value);
  }
  append(element, children);
  return element;
}

/** Sets an attribute, or takes it away with false and null. Does nothing if it is set already. */
export function set(element, key, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(key);
  else {
    const text = value === true ? '' : String(value);
    if (element.getAttribute(key) !== text) element.setAttribute(key, text);
  }
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child);
  }
}

/** Replaces what an element shows; text that is the same stays, so that a screen reader is not told again. */
export function text(element, value) {
  const string = String(value);
  if (element.textContent !== string) element.textContent = string;
}

export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

// Characters that are not seen but change what is seen: formats (right-to-left marks among them), line separators,
// controls, private ones, and spaces that are no plain space.
const unseen = /[\p{Cf}\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const picture = /^\p{Extended_Pictographic}/u;
const endOfPicture = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]/u;

/** Whether the character at this place only joins two pictures into one, as emoji do. */
function joinsPictures(string, index) {
  if (string[index] !== '\u200D' || !picture.test(string.slice(index + 1))) return false;
  return endOfPicture.test(Array.from(string.slice(0, index)).at(-1) ?? '');
}

/**
 * Shows text that somebody else wrote: cut off from the direction of what stands around it, with its unseen characters
 * as visible codes, so that two names that differ never look the same.
 */
export function foreign(string, properties) {
  const element = h('bdi', { class: 'foreign', ...properties });
  fillForeign(element, string);
  return element;
}

export function fillForeign(element, string) {
  if (element.shown === string) return;
  element.shown = string;
  element.replaceChildren();
  let from = 0;
  for (const match of string.matchAll(unseen)) {
    if (joinsPictures(string, match.index)) continue;
    element.append(string.slice(from, match.index), h('span', { class: 'unseen' }, codeOf(match[0])));
    from = match.index + match[0].length;
  }
  element.append(string.slice(from));
}

function codeOf(character) {
  return 'U+' + character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
}

/** The same in plain text, for titles and labels: unseen characters as codes, the rest isolated. */
export function foreignText(string) {
  const seen = string.replace(unseen, (character, index) => (joinsPictures(string, index) ? character : `[${codeOf(character)}]`));
  return `\u2068${seen}\u2069`;
}

/**
 * Makes the children of an element follow a list, each item under its key, so that what has the focus keeps it.
 * `create(item)` returns an object with an `element` and `update(item)`.
 */
export function keyed(element, items, keyOf, create) {
  const old = element.shownByKey ?? new Map();
  const now = new Map();
  let place = element.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    const part = old.get(key) ?? create(item);
    old.delete(key);
    now.set(key, part);
    part.update(item);
    if (part.element === place) place = place.nextElementSibling;
    else element.insertBefore(part.element, place);
  }
  for (const part of old.values()) part.element.remove();
  element.shownByKey = now;
}
