// SPDX-License-Identifier: MIT
// editor_large_parts.js: reads a large file in the worker, a table in parts of a megabyte, and sends its scene in parts, of which
// the page inserts each in a few milliseconds.

import { colourOf, limits, readColumns } from './editor_csv.js';
import { isTable, openFile } from './editor_file.js';
import { Scenes } from './editor_history.js';
import { PLANE, largestId, partsOf, sceneOfParts } from './editor_scene.js';
import { identityOf } from './editor_work.js';
import { Document, History, PersistentMap, PersistentTree } from './pqt.js';

/**
 * @typedef {import('./pqt.js').Id} Id
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {import('./editor_file.js').OpenedScene['format']} Format
 * @typedef {ReturnType<typeof partsOf>} Parts
 * @typedef {{ parts: Parts, makeScene: () => Scene, empty: Scene, isUp: boolean, format: Format, time?: number }} Opened  `empty` is the scene without boxes,
 *     and `time` that of the only version of a history
 *
 * The messages of the worker, in this order. `count` is the number of all boxes, colours and names; `ends` has the place after the bytes of each
 * name; `first` is a history whose first version is the scene; 'whole' says that the page has to read or write the file.
 * @typedef {{ kind: 'read', done: number, total: number }
 *   | { kind: 'begin', empty: Uint8Array, isUp: boolean, format: Format, count: number, time?: number }
 *   | { kind: 'boxes', boxes: Float64Array, ids: BigUint64Array }
 *   | { kind: 'colours', entries: [Id, number][] }
 *   | { kind: 'names', ids: BigUint64Array, ends: Uint32Array, bytes: Uint8Array }
 *   | { kind: 'end', fingerprint: string, largest: number, contents: string, first: Uint8Array }
 *   | { kind: 'whole' }
 *   | { kind: 'written', bytes: Uint8Array }
 *   | { kind: 'fault', message: string }} Message
 * @typedef {(message: Message, transferred?: Transferable[]) => void} Send
 */

/** The number of bytes of a table that are read together. */
const PART = 1 << 20;
/** The maximum number of boxes or colours, and that of names, that the page inserts together. */
const MOST_BOXES = 10000, MOST_TEXTS = 4000;
const LF = 10, CR = 13, QUOTE = 34, BLANKS = [LF, CR, 9, 32];

/** Returns the place after the line at a place; a line does not end in quotes. */
function endOfLine(/** @type {Uint8Array} */ bytes, /** @type {number} */ at) {
  for (let isQuoted = false; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (!isQuoted && byte === LF) return at + 1;
    else if (!isQuoted && byte === CR) return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return at;
}

/** The bytes before the header of a table that the library skips: a byte-order mark, and a line that names the separator. */
const PREFACE = /^(?:\xef\xbb\xbf)?(?:(?:sep|SEP)=[,;\t](?:\r\n|\r|\n))?/;
/** The maximum number of them. */
const LONGEST_PREFACE = 10;

/** Returns the place after the header of a table, and after blank lines before it. */
function endOfHeader(/** @type {Uint8Array} */ bytes) {
  const [preface] = /** @type {RegExpExecArray} */ (PREFACE.exec(String.fromCharCode(...bytes.subarray(0, LONGEST_PREFACE))));
  for (let at = preface.length; ;) {
    const end = endOfLine(bytes, at), isBlank = bytes.subarray(at, end).every((byte) => BLANKS.includes(byte));
    at = end;
    if (!isBlank || at === bytes.length) return at;
  }
}

/** Returns the arrays as one. @template {Float64Array | BigUint64Array} T @param {T} all @param {T[]} parts @returns {T} */
function joined(all, parts) {
  let at = 0;
  for (const part of parts) {
    all.set(/** @type {any} */ (part), at);
    at += part.length;
  }
  return all;
}

/** Frees a version, and returns the one that follows it. @template {{ free: () => void }} T @param {T} before @param {T} after @returns {T} */
function followedBy(before, after) {
  before.free();
  return after;
}

/** Sets the colours of rows. A row without one has none. */
function withColours(/** @type {Parts['colours']} */ colours, /** @type {BigUint64Array} */ ids, /** @type {string[]} */ texts) {
  const set = texts.map(colourOf), coloured = ids.filter((_, i) => set[i] > 0);
  return colours.setColumns(coloured, set.filter((colour) => colour > 0));
}

/** Sets the names of rows. An empty text is no name. */
function withNames(/** @type {Parts['names']} */ names, /** @type {BigUint64Array} */ ids, /** @type {import('./pqt.js').ByteColumn} */ { bytes, ends }) {
  const isNamed = (/** @type {unknown} */ _, /** @type {number} */ i) => ends[i] > (i === 0 ? 0 : ends[i - 1]);
  return names.setColumns(ids.filter(isNamed), { bytes, ends: ends.filter(isNamed) });
}

/**
 * Reads a table in parts. Returns null if one of them cannot be read, if they do not fit together, or if an id occurs twice: a caller who
 * reads the table as a whole then gets the message for the line.
 * @param {Uint8Array} bytes
 * @param {string} name
 * @param {Send} send
 * @returns {Opened | null}
 */
function readTable(bytes, name, send) {
  const from = endOfHeader(bytes), header = bytes.subarray(0, from), allBoxes = [], allIds = [];
  let colours = new PersistentMap(), names = new PersistentMap({ values: 'bytes' }), count = 0, hasIds = false, isUp = false;
  for (let at = from; at < bytes.length;) {
    let end = at;
    while (end < bytes.length && end < at + PART) end = endOfLine(bytes, end);
    const part = new Uint8Array(header.length + end - at);
    part.set(header);
    part.set(bytes.subarray(at, end), header.length);
    let rows;
    try {
      rows = readColumns(part, name);
    } catch {
      return null;
    }
    if (at > from && rows.hasIds !== hasIds) return null;
    ({ hasIds, isUp } = rows);
    const { boxes, ids } = rows;
    if (!hasIds) for (let i = 0; i < ids.length; i++) ids[i] = BigInt(count + i); // its row
    count += ids.length;
    if (count > limits.rows) throw new RangeError(`${name}: more than ${limits.rows} rows`);
    allBoxes.push(boxes);
    allIds.push(ids);
    if (rows.colours !== null) colours = followedBy(colours, withColours(colours, ids, rows.colours));
    if (rows.names !== null) names = followedBy(names, withNames(names, ids, rows.names));
    at = end;
    send({ kind: 'read', done: at, total: bytes.length });
  }
  if (count === 0) return null;
  const boxes = PersistentTree.of(joined(new Float64Array(4 * count), allBoxes), joined(new BigUint64Array(count), allIds), { uniqueIds: true });
  if (boxes.size < count) return null;
  const empty = sceneOfParts(new PersistentTree({ bounds: boxes.bounds, uniqueIds: true }), new PersistentMap(), new PersistentMap({ values: 'bytes' }));
  return { parts: { boxes, colours, names }, makeScene: () => sceneOfParts(boxes, colours, names), empty, isUp, format: 'csv' };
}

/**
 * Reads a file of another kind, or a table that could not be read in parts. Returns null if the page has to read it: a history of
 * several versions.
 * @param {Uint8Array} bytes
 * @param {string} name
 * @returns {Opened | null}
 */
function readWhole(bytes, name) {
  const { scene, history, isUp, isOfTrees = false, format } = /** @type {import('./editor_file.js').OpenedScene} */ (openFile(name, bytes));
  const parts = partsOf(scene), { boxes } = parts;
  const [first, ...others] = history?.entries() ?? [];
  if (isOfTrees || others.length > 0 || (first !== undefined && (first.number > 0 || first.label !== '' || first.name !== null))) return null;
  const all = boxes.searchArrays(PLANE); // without its boxes, a scene has no names and colours, but its bounds and options
  return { parts, makeScene: () => scene, empty: scene.set('boxes', boxes.removeAll(all.boxes, all.ids)), isUp, format, time: first?.time };
}

/** Sends a scene in parts. The boxes are in the order of the tree, and the names in that of the map, in which they are inserted fastest. */
function sendParts(/** @type {Parts} */ { boxes: tree, colours, names }, /** @type {Send} */ send) {
  const { boxes, ids } = tree.searchArrays(PLANE);
  for (let at = 0; at < ids.length; at += MOST_BOXES) {
    const part = { boxes: boxes.slice(4 * at, 4 * (at + MOST_BOXES)), ids: ids.slice(at, at + MOST_BOXES) };
    send({ kind: 'boxes', ...part }, [part.boxes.buffer, part.ids.buffer]);
  }
  const coloured = colours.entries();
  for (let at = 0; at < coloured.length; at += MOST_BOXES)
    send({ kind: 'colours', entries: coloured.slice(at, at + MOST_BOXES).map(([id, colour]) => [id, Number(colour)]) });
  const { keys, values } = names.columns();
  for (let at = 0; at < keys.length; at += MOST_TEXTS) {
    // A view is sent with all of its buffer, so the columns are copied.
    const first = at === 0 ? 0 : values.ends[at - 1], part = { ids: keys.slice(at, at + MOST_TEXTS), ends: values.ends.slice(at, at + MOST_TEXTS).map((end) => end - first) };
    const bytes = values.bytes.slice(first, first + part.ends[part.ends.length - 1]);
    send({ kind: 'names', ...part, bytes }, [part.ids.buffer, part.ends.buffer, bytes.buffer]);
  }
}

/** Reads a file, and sends what it holds. Throws if it cannot be read. */
export function readFile(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {Send} */ send) {
  const opened = (isTable(name, bytes) ? readTable(bytes, name, send) : null) ?? readWhole(bytes, name);
  if (opened === null) {
    send({ kind: 'whole' });
    return;
  }
  const { parts, makeScene, empty, isUp, format, time } = opened, { boxes, colours, names } = parts;
  send({ kind: 'begin', empty: empty.toBytes(), isUp, format, time, count: boxes.size + colours.size + names.size });
  sendParts(parts, send);
  const scene = makeScene(), first = new History(scene).toBytes(); // while the page inserts the parts
  send({ kind: 'end', fingerprint: scene.fingerprint(), largest: largestId(boxes), contents: identityOf(bytes), first }, [first.buffer]);
}

/** Writes a scene back as a file of the kind that it was opened from, and sends the bytes. Throws if the file cannot hold it. */
export async function writeFile(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {Uint8Array} */ scene, /** @type {boolean} */ isCsv, /** @type {Send} */ send) {
  const { write, writeCsv = write } = /** @type {import('./editor_file.js').OpenedScene} */ (openFile(name, bytes));
  const next = Document.fromBytes(scene), written = await (isCsv ? writeCsv : write)(next, new Scenes(next, () => {}));
  send({ kind: 'written', bytes: written });
}
