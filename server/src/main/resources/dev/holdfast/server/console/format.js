// Numbers, times and tokens for people.

import { language, t } from './i18n.js';

/** A duration in the two units that matter: 8.2 s, 42 s, 3 min 5 s, 2 h 10 min, 4 d 3 h. */
export function duration(millis) {
  const seconds = Math.max(0, millis) / 1000;
  if (seconds < 9.95) return t('seconds', { n: seconds.toFixed(1) });
  const whole = Math.round(seconds);
  if (whole < 60) return t('seconds', { n: whole });
  if (whole < 3600) return t('minutes', { n: Math.floor(whole / 60), rest: whole % 60 });
  if (whole < 86400) return t('hours', { n: Math.floor(whole / 3600), rest: Math.floor((whole % 3600) / 60) });
  return t('days', { n: Math.floor(whole / 86400), rest: Math.floor((whole % 86400) / 3600) });
}

/** The same without a second unit that is zero; not for what counts on, which would jump. */
export function wholeDuration(millis) {
  const [key, size] = [['days', 86400], ['hours', 3600], ['minutes', 60]].find(([, each]) => millis >= each * 1000) ?? [];
  if (millis < 100) return t('millis', { n: Math.round(millis) });
  return key === undefined || millis % (size * 1000) !== 0 ? duration(millis) : t(`whole_${key}`, { n: millis / size / 1000 });
}

const formats = new Map();

function format(kind, make) {
  const key = language() + kind;
  if (!formats.has(key)) formats.set(key, make(language()));
  return formats.get(key);
}

export function count(n) {
  return format('count', (locale) => new Intl.NumberFormat(locale)).format(n);
}

/** The time of day of a moment, given in the milliseconds of performance.now(). */
export function timeOfDay(moment) {
  const date = new Date(performance.timeOrigin + moment);
  return format('time', (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hourCycle: 'h23' })).format(date);
}

/** Compares tokens, which are too large for a number. */
export function compareTokens(a, b) {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
