// Requests to the server, and its stream of events.
//
// The token is kept in sessionStorage: it has to survive a reload at three in the morning, but not the tab, and other
// tabs have no part in it. Against a script of somebody else it is no better kept in a variable: that is what the
// Content-Security-Policy and text nodes are for. It travels in a header, never in a URL, where logs would keep it.

const tokenKey = 'holdfast.token';
let memory = null; // where the browser has no storage for this page

export function token() {
  try {
    return sessionStorage.getItem(tokenKey) ?? memory;
  } catch {
    return memory;
  }
}

export function keepToken(value) {
  memory = value;
  try {
    if (value === null) sessionStorage.removeItem(tokenKey);
    else sessionStorage.setItem(tokenKey, value);
  } catch {
    // Kept in memory then: the reader signs in again after a reload.
  }
}

/** What the server answered instead of what was asked for. `code` is "network" if it did not answer at all. */
export class Problem extends Error {
  constructor(code, status, detail, retryAfterMillis = 0) {
    super(detail);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.retryAfterMillis = retryAfterMillis;
  }
}

const byStatus = { 401: 'unauthorized', 403: 'forbidden', 429: 'too-many', 503: 'cannot-tell' };

async function problemOf(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // Not from Holdfast but from something in between: the status has to do.
  }
  const code = typeof body.code === 'string' ? body.code : (byStatus[response.status] ?? 'other');
  const retryAfter = Number(response.headers.get('Retry-After')) * 1000;
  return new Problem(code, response.status, body.detail ?? body.title ?? `HTTP ${response.status}`, retryAfter || 0);
}

async function send(method, path, { body, signal, accept = 'application/json' } = {}) {
  const headers = { Accept: accept };
  if (token() !== null) headers.Authorization = `Bearer ${token()}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw new Problem('network', 0, String(failure.message));
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function json(method, path, options) {
  const response = await send(method, path, options);
  try {
    return await response.json();
  } catch (failure) {
    throw new Problem('network', response.status, String(failure.message));
  }
}

const minute = 60_000;

export const me = () => json('GET', 'v1/me', { signal: AbortSignal.timeout(minute / 4) });
export const store = () => json('GET', 'v1/store', { signal: AbortSignal.timeout(minute / 4) });

/** Whether no browser could ask for this name: a dot or two in a path are taken for a way through directories. */
export const cannotBeAsked = (name) => name === '.' || name === '..';

/** One lock, also a free one of which the store remembers an eviction. */
export const look = (name) => json('GET', `v1/locks/${encodeURIComponent(name)}`, { signal: AbortSignal.timeout(minute / 4) });

/** What the server saw of a lock before this page was opened, and what is too quick for its looks at the store. */
export const past = (name) => json('GET', `v1/history?name=${encodeURIComponent(name)}`, { signal: AbortSignal.timeout(minute / 4) });

/** Ends the grant with a token, or all grants of the name if there is none. Returns how many were ended. */
export async function evict(name, grantToken, reason) {
  const path = `v1/locks/${encodeURIComponent(name)}/evictions`;
  const body = grantToken === null ? { reason } : { token: grantToken, reason };
  try {
    return (await json('POST', path, { body, signal: AbortSignal.timeout(minute) })).evicted;
  } catch (failure) {
    throw failure instanceof Problem ? failure : new Problem('network', 0, String(failure.message));
  }
}

/**
 * Reads the server's events until the stream ends, by the server, by `signal`, or because nothing came for 45 seconds
 * (the server sends at least a comment every 15). Each event goes to `take(type, data)`.
 */
export async function events(prefix, signal, take) {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  const response = await send('GET', `v1/events?prefix=${encodeURIComponent(prefix)}`, { signal: either, accept: 'text/event-stream' });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser(take);
  let timer;
  try {
    for (;;) {
      timer = setTimeout(() => silence.abort(), 0.75 * minute);
      const { value, done } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      parser.feed(value);
    }
  } catch (failure) {
    if (signal.aborted) throw failure;
    throw new Problem('network', 0, String(failure.message));
  } finally {
    clearTimeout(timer);
    silence.abort(); // ends the connection, whatever the reason was
  }
}

/** Takes text/event-stream apart. A chunk may end anywhere. */
export class EventParser {
  #take;
  #rest = '';
  #type = '';
  #data = [];

  constructor(take) {
    this.#take = take;
  }

  feed(chunk) {
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) this.#line(line);
  }

  #line(line) {
    if (line === '') {
      if (this.#data.length > 0) this.#take(this.#type || 'message', JSON.parse(this.#data.join('\n')));
      this.#type = '';
      this.#data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#type = value;
    else if (field === 'data') this.#data.push(value);
  }
}
