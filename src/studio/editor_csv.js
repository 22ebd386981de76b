// SPDX-License-Identifier: MIT
// editor_csv.js: converts rows of a CSV file to items with names and colours, and back.

/**
 * @typedef {import('./pqt/index.js').Item} Item
 * @typedef {{ items: Item[], names: [number, string][], colours: [number, number][], isUp: boolean }} Rows  `isUp` says that y points up, as latitudes do
 */

/** The maximum number of rows that are read. */
const MOST_ROWS = 1000000;

/** Splits a CSV text (RFC 4180) into rows of fields. Each row has the number of its first line. */
function* rowsOf(/** @type {string} */ text, /** @type {string} */ name) {
  let line = 1, at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const fields = [], first = line;
    for (;;) {
      let field = '';
      if (text[at] === '"') {
        for (at++; ; at++) {
          if (at >= text.length) throw new SyntaxError(`${name}:${first}: a quoted field is not closed`);
          if (text[at] === '"') {
            at++;
            if (text[at] !== '"') break;
          }
          if (text[at] === '\n') line++;
          field += text[at];
        }
        if (at < text.length && !',\r\n'.includes(text[at])) throw new SyntaxError(`${name}:${line}: text follows a quoted field`);
      } else {
        let end = at;
        while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end++;
        field = text.slice(at, end);
        at = end;
      }
      fields.push(field);
      if (text[at] !== ',') break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (fields.length > 1 || fields[0].trim() !== '') yield { fields, line: first };
  }
}

/** Finds the columns of the coordinates. */
function placesOf(/** @type {string[]} */ columns, /** @type {string} */ name) {
  for (const [names, isUp] of /** @type {[string[], boolean][]} */ ([
    [['min_x', 'min_y', 'max_x', 'max_y'], false], [['x', 'y', 'x', 'y'], false], [['lon', 'lat', 'lon', 'lat'], true],
  ])) {
    const found = names.map((column) => columns.indexOf(column));
    if (found.every((at) => at >= 0)) return { places: found, isUp };
  }
  throw new SyntaxError(`${name}:1: the header needs min_x,min_y,max_x,max_y or x,y or lon,lat`);
}

/**
 * Reads the items of a CSV file.
 * @param {string} text
 * @param {string} name  the name of the file, for messages
 * @param {{ firstId?: number }} [options]
 * @returns {Rows}
 */
export function readCsv(text, name, { firstId = 1 } = {}) {
  const rows = rowsOf(text, name);
  const header = rows.next().value;
  if (header === undefined) throw new SyntaxError(`${name}: the file is empty`);
  const columns = header.fields.map((column) => column.trim().toLowerCase());
  const { places, isUp } = placesOf(columns, name);
  const [idAt, nameAt, colourAt] = ['id', 'name', 'colour'].map((column) => columns.indexOf(column));
  /** @type {Rows} */
  const found = { items: [], names: [], colours: [], isUp };
  const seen = new Set();
  for (const { fields, line } of rows) {
    if (found.items.length === MOST_ROWS) throw new RangeError(`${name}: more than ${MOST_ROWS} rows`);
    if (fields.length !== columns.length) throw new SyntaxError(`${name}:${line}: wrong number of fields (${fields.length} where the header has ${columns.length})`);
    const [minX, minY, maxX, maxY] = places.map((at) => {
      const value = fields[at].trim() === '' ? NaN : Number(fields[at]);
      if (!Number.isFinite(value)) throw new RangeError(`${name}:${line}: ${columns[at]} is not a finite number (${fields[at].slice(0, 60)})`);
      return value;
    });
    if (minX > maxX || minY > maxY) throw new RangeError(`${name}:${line}: the box is inverted`);
    const id = idAt < 0 ? firstId + found.items.length : Number(fields[idAt]);
    if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`${name}:${line}: the id is not a whole number up to 2^53 - 1 (${fields[idAt].slice(0, 60)})`);
    if (seen.has(id)) throw new RangeError(`${name}:${line}: the id ${id} occurs twice`);
    seen.add(id);
    found.items.push({ minX, minY, maxX, maxY, id });
    if (nameAt >= 0 && fields[nameAt] !== '') found.names.push([id, fields[nameAt]]);
    const colour = colourAt < 0 ? 0 : Number(fields[colourAt]);
    if (Number.isInteger(colour) && colour > 0 && colour < 6) found.colours.push([id, colour]);
  }
  return found;
}

const quoted = (/** @type {string} */ field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/** Writes items as CSV. */
export function writeCsv(/** @type {Iterable<Item>} */ items, /** @type {(id: number | bigint) => string} */ nameOf, /** @type {(id: number | bigint) => number} */ colourOf) {
  const lines = ['id,min_x,min_y,max_x,max_y,name,colour'];
  for (const { id, minX, minY, maxX, maxY } of items)
    lines.push([id, minX, minY, maxX, maxY, quoted(nameOf(id)), colourOf(id)].join(','));
  return `${lines.join('\n')}\n`;
}
