// A list that has elements only for the rows in sight, so that 10,000 locks cost as much as thirty.
//
// The focus stays on the list itself and `aria-activedescendant` names the row: a row that scrolls away takes no focus
// with it.

const spare = 6; // rows made beyond the edges, so that scrolling shows no gaps

export class Rows {
  #body;
  #makeRow;
  #open;
  #keys = []; // what is shown, in order
  #places = new Map(); // place of each key
  #rows = new Map(); // elements in use, by key
  #unused = [];
  #height = 0;
  #active = null; // the key of the row that arrow keys have reached

  /**
   * @param list the element that scrolls and has the focus
   * @param body the element inside that is as high as all rows
   * @param makeRow returns an object with an `element` and `update(key, place)`
   * @param open is called with the key of a row that was chosen
   */
  constructor(list, body, makeRow, open) {
    this.list = list;
    this.#body = body;
    this.#makeRow = makeRow;
    this.#open = open;
    list.addEventListener('scroll', () => this.draw(), { passive: true });
    list.addEventListener('keydown', (event) => this.#key(event));
    this.resized = new ResizeObserver(() => this.#measure());
    this.resized.observe(list);
  }

  close() {
    this.resized.disconnect();
  }

  get keys() {
    return this.#keys;
  }

  /** Shows other keys, or the same in another order. */
  show(keys) {
    this.#keys = keys;
    this.#places = new Map(keys.map((key, place) => [key, place]));
    if (this.#active !== null && !this.#places.has(this.#active)) this.#active = null;
    this.#measure();
  }

  /** The rows that have elements now. */
  get inSight() {
    return [...this.#rows.values()];
  }

  #measure() {
    this.#height = parseFloat(getComputedStyle(this.list).getPropertyValue('--row-height')) || 44;
    const whole = `${this.#keys.length * this.#height}px`;
    if (this.#body.style.height !== whole) this.#body.style.height = whole;
    this.draw();
  }

  get #headHeight() {
    return this.#body.offsetTop;
  }

  draw() {
    if (this.#height === 0) return;
    const top = this.list.scrollTop;
    const from = Math.max(0, Math.floor(top / this.#height) - spare);
    const to = Math.min(this.#keys.length, Math.ceil((top + this.list.clientHeight) / this.#height) + spare);
    const wanted = new Set(this.#keys.slice(from, to));
    for (const [key, row] of this.#rows) {
      if (!wanted.has(key)) {
        this.#rows.delete(key);
        this.#unused.push(row);
      }
    }
    // In the order of the list, for readers that go through the document.
    let next = this.#body.firstElementChild;
    for (let place = from; place < to; place++) {
      const { element } = this.#place(this.#keys[place], place);
      if (element === next) next = next.nextElementSibling;
      else this.#body.insertBefore(element, next);
    }
    for (const row of this.#unused) row.element.remove();
    const active = this.#active !== null && this.#rows.get(this.#active);
    if (active) this.list.setAttribute('aria-activedescendant', active.element.id);
    else this.list.removeAttribute('aria-activedescendant');
  }

  #place(key, place) {
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = this.#unused.pop() ?? this.#makeRow();
      this.#rows.set(key, row);
    }
    const transform = `translateY(${place * this.#height}px)`;
    if (row.element.style.transform !== transform) row.element.style.transform = transform;
    row.element.classList.toggle('active', key === this.#active);
    row.update(key, place);
    return row;
  }

  #key(event) {
    if (event.target !== this.list || event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor((this.list.clientHeight - this.#headHeight) / this.#height) - 1);
    const now = this.#active === null ? -1 : this.#places.get(this.#active);
    const last = this.#keys.length - 1;
    const next = {
      ArrowDown: now + 1,
      ArrowUp: now < 0 ? 0 : now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Enter' && this.#active !== null) {
      event.preventDefault();
      this.#open(this.#active);
    } else if (next !== undefined && last >= 0) {
      event.preventDefault();
      this.activate(this.#keys[Math.min(last, Math.max(0, next))]);
    }
  }

  /** Moves the arrow keys' place to a row and brings it into sight. */
  activate(key) {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#active = key;
    const top = place * this.#height;
    const room = this.list.clientHeight - this.#headHeight;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    else if (top + this.#height > this.list.scrollTop + room) this.list.scrollTop = top + this.#height - room;
    this.draw();
  }

  get active() {
    return this.#active;
  }
}
