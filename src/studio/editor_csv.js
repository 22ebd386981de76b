// SPDX-License-Identifier: MIT
// editor_csv.js: converts the rows of a CSV file to items with names and colours, and writes scenes back into its rows.

import { partsOf, sceneOf } from './editor_scene.js';
import { Table } from './pqt.js';

/**
 * @typedef {import('./pqt.js').Id} Id
 * @typedef {import('./pqt.js').Item} Item
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {{ items: readonly Item[], names: [Id, string][], colours: [Id, number][], isUp: boolean, hasIds: boolean }} Rows  `isUp` says that y points up, as
 *     latitudes do, and `hasIds` that the ids are those of a column
 */

/** The maximum number of rows of a table, and of boxes of another file, that are read. The tests lower them. */
export const limits = { rows: 1000000, boxes: 4000000 };
/** The number of colours; the column `colour` has their numbers. */
const COLOURS = 6;

/** Reads a table. A message names the file and the line, as the program does. `lineOf` returns the line of the file for a line of
    the bytes. */
function tableOf(/** @type {Uint8Array} */ bytes, /** @type {string} */ name, lineOf = (/** @type {number} */ line) => line) {
  let table;
  try {
    table = Table.read(bytes);
  } catch (reason) {
    const { message } = /** @type {Error} */ (reason), [, line, rest] = /^line (\d+): (.*)/s.exec(message) ?? [];
    throw new SyntaxError(`${name}${line === undefined ? '' : `:${lineOf(Number(line))}`}: ${rest ?? message}`);
  }
  return table;
}

/** Throws if a table has too many rows. */
function checkRows(/** @type {number} */ count, /** @type {string} */ name) {
  if (count > limits.rows) throw new RangeError(`${name}: more than ${limits.rows} rows`);
}

function hasColumn(/** @type {Table} */ table, /** @type {string} */ column) {
  return table.columns.some((one) => one.toLowerCase() === column);
}

/** Returns the texts of a column, one for each row; null if the table has no such column. */
function textsOf(/** @type {Table} */ table, /** @type {string} */ column) {
  return hasColumn(table, column) ? table.texts(column) : null;
}

/** Returns whether y points up, as latitudes do. */
function isUpIn(/** @type {Table} */ { position }) {
  return position === 'degrees' || position === 'degree-boxes' || position === 'geometries';
}

/** Returns the colour that a text means; 0 if it means none. */
export function colourOf(/** @type {string} */ text) {
  const colour = /^\d+$/.test(text) ? Number(text) : 0;
  return colour < COLOURS ? colour : 0;
}

function rowsOf(/** @type {Table} */ table, { name: names, colour: colours } = textsOfScene(table)) {
  const { items } = table;
  /** @type {Rows} */
  const found = { items, names: [], colours: [], isUp: isUpIn(table), hasIds: table.hasIds };
  items.forEach(({ id }, row) => {
    if (names !== null && names[row] !== '') found.names.push([id, names[row]]);
    const colour = colours === null ? 0 : colourOf(colours[row]);
    if (colour > 0) found.colours.push([id, colour]);
  });
  return found;
}

/** Reads the rows of a CSV file as columns, without an object for each row. Null: the table has no such column. */
export function readColumns(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  const table = tableOf(bytes, name), columns = table.arrays();
  checkRows(columns.ids.length, name);
  return { ...columns, names: hasColumn(table, 'name') ? table.textBytes('name') : null, colours: textsOf(table, 'colour'), hasIds: table.hasIds, isUp: isUpIn(table) };
}

/** Reads the rows of a CSV file. @returns {Rows} */
export function readCsv(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  const table = tableOf(bytes, name);
  checkRows(table.items.length, name);
  return rowsOf(table);
}

const byId = (/** @type {Item} */ a, /** @type {Item} */ b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Returns the texts that the editor shows and edits; null: the table has no such column. */
const textsOfScene = (/** @type {Table} */ table) => ({ name: textsOf(table, 'name'), colour: textsOf(table, 'colour') });

/**
 * Returns a function that writes a scene into the rows of a table: the rows whose boxes were not edited remain, and new boxes
 * are rows at the end.
 * @param {Table} table
 * @returns {(scene: Scene) => Uint8Array}
 */
function writerOf(table, texts = textsOfScene(table)) {
  return (scene) => {
    const { boxes, names, colours } = partsOf(scene), items = new Map(boxes.all().map((item) => [item.id, item]));
    for (const [column, { size }] of Object.entries({ name: names, colour: colours }))
      if (size > 0 && texts[/** @type {'name' | 'colour'} */ (column)] === null) throw new Error(`The file has no column “${column}”, and a box has a ${column}.`);
    if (table.position === 'points' || table.position === 'degrees') {
      const large = [...items.values()].find(({ minX, minY, maxX, maxY }) => minX !== maxX || minY !== maxY);
      if (large !== undefined) throw new Error(`The columns of the file hold points, and box ${large.id} is larger than a point.`);
    }
    /** Returns the texts that differ from those of the row. */
    const changedTexts = (/** @type {Id} */ id, /** @type {string | undefined} */ oldName, /** @type {string | undefined} */ oldColour) => {
      const name = names.getText(id) ?? '', colour = Number(colours.get(id) ?? 0), changed = /** @type {Record<string, string>} */ ({});
      if (texts.name !== null && name !== oldName) changed.name = name;
      if (texts.colour !== null && (oldColour === undefined || colour !== colourOf(oldColour))) changed.colour = String(colour);
      return changed;
    };
    const rows = [];
    for (const [row, { id }] of table.items.entries()) {
      const item = items.get(id);
      if (item === undefined) continue;
      rows.push({ ...item, row, texts: changedTexts(id, texts.name?.[row], texts.colour?.[row]) });
      items.delete(id);
    }
    for (const item of [...items.values()].sort(byId)) rows.push({ ...item, texts: changedTexts(item.id, undefined, undefined) });
    return table.write(rows);
  };
}

/** Opens a table. Throws if it cannot be read, or if an id occurs twice. */
export function openTable(/** @type {Uint8Array} */ bytes, /** @type {string} */ name, lineOf = (/** @type {number} */ line) => line) {
  const table = tableOf(bytes, name, lineOf);
  checkRows(table.items.length, name);
  const texts = textsOfScene(table), rows = rowsOf(table, texts), seen = new Set();
  rows.items.forEach(({ id }, row) => {
    if (seen.has(id)) throw new RangeError(`${name}:${lineOf(table.line(row))}: the id ${id} occurs twice, but in the editor each box needs its own id`);
    seen.add(id);
  });
  return { table, texts, scene: sceneOf(rows), isUp: rows.isUp, write: writerOf(table, texts) };
}

/** Returns a scene as a new CSV file. */
export function csvOf(/** @type {Scene} */ scene) {
  return writerOf(Table.read(new TextEncoder().encode('id,min_x,min_y,max_x,max_y,name,colour\n')))(scene);
}
