// SPDX-License-Identifier: MIT
// editor_graph.js: shows the undo tree of the editor as a list of entries with lines between them, and a slider over all entries.
//
// The list is as long as all entries, and holds elements for those that are seen and for a few next to them. An edit makes the element of
// its entry, and changes the elements of others only if they differ.

import { element } from './dom.js';

/**
 * @typedef {import('./editor_history.js').Scenes} Scenes
 * @typedef {import('./editor_lanes.js').Row} Row
 * @typedef {{ item: HTMLLIElement, button: HTMLButtonElement, text: string, lines: string }} Line  an element with what it shows
 */

const LANE = 14, ROW = 34, SVG = 'http://www.w3.org/2000/svg';
/** The number of columns that lines are drawn in. Branches beyond them share the last one. */
const COLUMNS = 10;
/** The number of rows that are kept above and below those that are seen. */
const BESIDE = 4;

function shape(/** @type {string} */ tag, /** @type {Record<string, string | number>} */ attributes) {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, String(value));
  return one;
}

/** Draws the lines that pass a row, the lines that join it, and its dot. */
function linesOf(/** @type {Row} */ { column, passing, joining, merged, isAbove, isBelow }, /** @type {boolean} */ isCurrent, /** @type {number} */ columns) {
  const x = (/** @type {number} */ at) => LANE / 2 + Math.min(at, COLUMNS - 1) * LANE;
  const svg = shape('svg', { width: columns * LANE, height: ROW, 'aria-hidden': 'true', class: 'lines' });
  const line = (/** @type {string} */ path) => svg.append(shape('path', { d: path, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 }));
  for (const at of passing) line(`M${x(at)} 0V${ROW}`);
  for (const from of joining) line(`M${x(from)} 0C${x(from)} ${ROW / 2} ${x(column)} 0 ${x(column)} ${ROW / 2}`);
  if (merged !== null) line(`M${x(column)} ${ROW / 2}C${x(merged)} ${ROW / 2} ${x(merged)} ${ROW / 2} ${x(merged)} ${ROW}`);
  if (isAbove) line(`M${x(column)} 0V${ROW / 2}`);
  if (isBelow) line(`M${x(column)} ${ROW / 2}V${ROW}`);
  const name = isCurrent ? 'dot current' : 'dot';
  svg.append(merged !== null ? shape('rect', { x: x(column) - 5, y: ROW / 2 - 5, width: 10, height: 10, class: name })
    : shape('circle', { cx: x(column), cy: ROW / 2, r: 5, class: name }));
  return svg;
}

/** The list of entries and the slider. */
export class Graph {
  /** The elements by the numbers of their entries. @type {Map<number, Line>} */
  #lines = new Map();
  /** @type {Scenes | null} */
  #scenes = null;
  /** @type {number | null} */
  #marked = null;
  #current = -1;

  /** @param {(entry: number) => void} choose  goes to an entry */
  constructor(choose) {
    this.choose = choose;
    this.list = element('ol', { id: 'editor-graph', 'aria-label': 'Versions, newest first' });
    this.view = element('div', { class: 'graph' }, this.list);
    this.view.addEventListener('scroll', () => this.#draw());
    this.slider = element('input', { type: 'range', id: 'editor-version', min: 0, max: 0, step: 1, value: 0 });
    this.output = element('output', { for: 'editor-version' });
    const go = () => {
      const entry = this.#scenes?.lanes.numbers[this.slider.valueAsNumber];
      if (entry !== undefined && entry !== this.#current) choose(entry);
    };
    // In a store or a line, going to an entry is a change for all pages, so the slider waits until it is released.
    this.slider.addEventListener('input', () => { if (!this.#scenes?.isShared) go(); });
    this.slider.addEventListener('change', go);
    this.field = element('div', { class: 'field' }, element('label', { for: 'editor-version' }, 'Version'), this.output, this.slider);
  }

  /** Shows the entries of a history, and moves the current one into view if it has changed. */
  show(/** @type {Scenes} */ scenes, /** @type {number | null} */ marked) {
    const { current } = scenes.history, { lanes } = scenes, at = lanes.indexOf(current), isOther = scenes !== this.#scenes || current !== this.#current;
    this.#scenes = scenes;
    this.#marked = marked;
    this.#current = current;
    this.slider.max = String(lanes.size - 1);
    this.slider.value = String(at);
    this.output.textContent = `${(at + 1).toLocaleString('en')} of ${lanes.size.toLocaleString('en')}`;
    this.slider.setAttribute('aria-valuetext', `${this.output.textContent}: ${this.#labelOf(scenes.history.entry(current))}`);
    this.#draw(isOther ? lanes.size - 1 - at : null);
  }

  #labelOf(/** @type {{ label: string }} */ { label }) {
    return label === '' ? this.#scenes?.first ?? '' : label;
  }

  /** Draws the rows that are seen; moves the row at a place from the top into view. */
  #draw(/** @type {number | null} */ wanted = null) {
    const { list, view } = this, scenes = this.#scenes;
    if (scenes === null) return;
    const { lanes, history } = scenes, count = lanes.size, height = view.clientHeight || ROW * 6;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.entry : undefined;
    const top = wanted === null ? view.scrollTop : Math.min(Math.max(view.scrollTop, (wanted + 1) * ROW - height), wanted * ROW);
    const first = Math.max(0, Math.floor(top / ROW) - BESIDE), end = Math.min(count, Math.ceil((top + height) / ROW) + BESIDE);
    const rows = lanes.rows(count - end, count - first);
    const columns = Math.min(COLUMNS, 1 + Math.max(0, ...rows.flatMap(({ column, passing, joining, merged }) => [column, merged ?? 0, ...passing, ...joining])));
    const shown = new Set(rows.map(({ number }) => number));
    for (const [number, { item }] of this.#lines)
      if (!shown.has(number)) {
        item.remove();
        this.#lines.delete(number);
      }
    rows.forEach((row, i) => {
      const line = this.#lineOf(row, history.entry(row.number), columns);
      line.item.setAttribute('aria-posinset', String(first + i + 1));
      line.item.setAttribute('aria-setsize', String(count));
      if (list.children[i] !== line.item) list.insertBefore(line.item, list.children[i] ?? null);
    });
    list.style.paddingTop = `${first * ROW}px`;
    list.style.paddingBottom = `${(count - end) * ROW}px`;
    if (wanted !== null) view.scrollTop = top;
    if (focused !== undefined && document.activeElement?.getAttribute('data-entry') !== focused) this.#lines.get(Number(focused))?.button.focus({ preventScroll: true });
  }

  /** Returns the element of a row, which shows it. */
  #lineOf(/** @type {Row} */ row, /** @type {import('./pqt.js').HistoryEntry} */ entry, /** @type {number} */ columns) {
    const { number } = row, isMarked = number === this.#marked;
    let line = this.#lines.get(number);
    if (line === undefined) {
      const button = element('button', { type: 'button', 'data-entry': number });
      button.addEventListener('click', () => this.choose(number));
      line = { item: element('li', {}, button), button, text: '', lines: '' };
      this.#lines.set(number, line);
    }
    const label = `${number}. ${this.#labelOf(entry)}`, text = JSON.stringify([label, entry.name, isMarked]);
    if (text !== line.text) {
      line.text = text;
      line.button.replaceChildren(label, ...(entry.name === null ? [] : [' ', element('b', {}, entry.name)]), ...(isMarked ? [' ', element('i', {}, 'compared')] : []));
    }
    if (entry.isCurrent) line.button.setAttribute('aria-current', 'true');
    else line.button.removeAttribute('aria-current');
    const lines = JSON.stringify([{ ...row, number: 0 }, entry.isCurrent, columns]);
    if (lines !== line.lines) {
      line.lines = lines;
      line.item.querySelector('svg')?.remove();
      line.item.prepend(linesOf(row, entry.isCurrent, columns));
    }
    return line;
  }
}
