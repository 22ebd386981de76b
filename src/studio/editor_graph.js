// SPDX-License-Identifier: MIT
// editor_graph.js: shows the undo tree of the editor as a list of entries with lines between them.

import { element } from './dom.js';

/** @typedef {import('./editor_history.js').GraphRow} GraphRow */

const LANE = 14, ROW = 34, SVG = 'http://www.w3.org/2000/svg';
/** The maximum number of entries that are listed. */
const MOST = 300;

function shape(/** @type {string} */ tag, /** @type {Record<string, string | number>} */ attributes) {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, String(value));
  return one;
}

/** Draws the lines that pass a row, the lines that join it, and its dot. */
function linesOf(/** @type {GraphRow} */ { entry, lane, parents, passing, isReached, isMergeOf, mergedLane }, /** @type {boolean} */ isLast, /** @type {number} */ lanes) {
  const x = (/** @type {number} */ at) => LANE / 2 + at * LANE;
  const svg = shape('svg', { width: lanes * LANE, height: ROW, 'aria-hidden': 'true', class: 'lines' });
  const line = (/** @type {string} */ path) => svg.append(shape('path', { d: path, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 }));
  for (const at of passing) line(`M${x(at)} 0V${ROW}`);
  for (const { from, to } of parents) line(`M${x(from)} 0C${x(from)} ${ROW / 2} ${x(to)} 0 ${x(to)} ${ROW / 2}`);
  if (mergedLane !== null) line(`M${x(lane)} ${ROW / 2}C${x(mergedLane)} ${ROW / 2} ${x(mergedLane)} ${ROW / 2} ${x(mergedLane)} ${ROW}`);
  if (isReached) line(`M${x(lane)} 0V${ROW / 2}`);
  if (!isLast) line(`M${x(lane)} ${ROW / 2}V${ROW}`);
  svg.append(isMergeOf !== null
    ? shape('rect', { x: x(lane) - 5, y: ROW / 2 - 5, width: 10, height: 10, class: entry.isCurrent ? 'dot current' : 'dot' })
    : shape('circle', { cx: x(lane), cy: ROW / 2, r: 5, class: entry.isCurrent ? 'dot current' : 'dot' }));
  return svg;
}

/** The list of entries. */
export class Graph {
  /** @param {(entry: number) => void} choose  goes to an entry */
  constructor(choose) {
    this.choose = choose;
    this.list = element('ol', { class: 'graph', id: 'editor-graph', 'aria-label': 'Versions, newest first' });
  }

  /** Shows the rows of a history. */
  show(/** @type {GraphRow[]} */ rows, /** @type {string} */ first, /** @type {number | null} */ marked) {
    const shown = rows.slice(0, MOST), lanes = 1 + Math.max(...shown.map(({ lane, passing, mergedLane }) => Math.max(lane, mergedLane ?? 0, ...passing)));
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.entry : undefined;
    this.list.replaceChildren(...shown.map((row) => {
      const { entry } = row;
      const label = entry.label === '' ? first : entry.label;
      const one = element('button', { type: 'button', 'data-entry': entry.number, ...(entry.isCurrent && { 'aria-current': 'true' }) },
        `${entry.number}. ${label}`, ...(entry.name === null ? [] : [' ', element('b', {}, entry.name)]),
        ...(entry.number === marked ? [' ', element('i', {}, 'compared')] : []));
      one.addEventListener('click', () => this.choose(entry.number));
      return element('li', {}, linesOf(row, row === rows[rows.length - 1], lanes), one);
    }));
    if (rows.length > MOST) this.list.append(element('li', { class: 'muted' }, `${rows.length - MOST} older versions are not listed.`));
    if (focused !== undefined) /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-entry="${focused}"]`))?.focus();
  }
}
