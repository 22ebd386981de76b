// SPDX-License-Identifier: MIT
// sync.js: finds where a tree differs from one on another machine, for tree.js.
//
// The functions of the caller ask the other machine, and may return promises. So every comparison starts
// again with all answers so far, and lists what to ask next; see flat_sync.c.
import {
  bigId, bufferAt, call, counted, fingerprintAt, numbers, raise, renewViews, reserveArray, scratch, sendBytes, settings, wasm, wordAt, words,
} from './core.js';
import { CHANGE, ITEM, item, receive, receiveItems } from './items.js';
import { encode } from './utf8.js';

const PATH = 72, ANSWER = 96, CELL = 152; // bytes, as in flat.h
const KINDS = [undefined, 'insert', 'remove'];

/** Copies a path to the buffer, and returns its number of bytes. */
function sendPath(path) {
  if (typeof path !== 'string') throw new TypeError('a path is not a string');
  return sendBytes(encode(path));
}

function digestFrom(at) {
  return { size: wordAt(at + 16), fingerprint: fingerprintAt(at) };
}

/** Returns the digest of a cell. `pinOfTree` returns the pin of the tree. */
export function digestAt(pinOfTree, path) {
  const length = sendPath(path);
  call(wasm.pqtjs_tree_digest, pinOfTree(), length) || raise();
  renewViews();
  return digestFrom(bufferAt());
}

/** Returns the items of a cell. */
export function itemsAt(pinOfTree, path) {
  const length = sendPath(path);
  return receiveItems(counted(call(wasm.pqtjs_tree_items_at, pinOfTree(), length)) / ITEM);
}

/** Copies answers and items to the buffer. */
function sendAnswers(answers, items = []) {
  const bytes = scratch(Uint8Array, answers.size * ANSWER + items.length * ITEM), view = new DataView(bytes.buffer);
  [...answers.keys()].sort().forEach((path, i) => {
    const { low, high, size } = answers.get(path);
    bytes.set(encode(path), i * ANSWER);
    [low, high, size].forEach((word, k) => view.setBigUint64(i * ANSWER + PATH + 8 * k, word, true));
  });
  items.forEach(({ minX, minY, maxX, maxY, id }, i) => {
    const at = answers.size * ANSWER + i * ITEM;
    [minX, minY, maxX, maxY].forEach((side, k) => view.setFloat64(at + 8 * k, side, true));
    view.setBigUint64(at + 32, id, true);
  });
  reserveArray(Uint8Array, bytes.length).set(bytes);
}

/** Reads the cells of a comparison from the buffer. */
function receiveCells(count) {
  renewViews();
  const first = bufferAt();
  return Array.from({ length: count }, (_, i) => {
    const at = first + i * CELL, k = (at + PATH) / 8, text = new Uint8Array(words.buffer, at, PATH);
    const path = String.fromCharCode(...text.subarray(0, text.indexOf(0)));
    return { path, isQuestion: text[PATH - 1] === 1, own: digestFrom(at + 104), other: digestFrom(at + 128),
      box: { minX: numbers[k], minY: numbers[k + 1], maxX: numbers[k + 2], maxY: numbers[k + 3] } };
  });
}

function compareCells(pinOfTree, answers) {
  sendAnswers(answers);
  return receiveCells(counted(call(wasm.pqtjs_tree_sync_cells, pinOfTree(), answers.size)) / CELL);
}

/** Asks the other machine for the cells with some paths. */
async function ask(fetch, paths, name) {
  if (typeof fetch !== 'function') throw new TypeError(`${name} must be a function`);
  const found = paths.length === 0 ? [] : await fetch([...paths]);
  if (!Array.isArray(found) || found.length !== paths.length)
    throw new TypeError(`${name} must return an array with an answer for each of ${paths.length} paths`);
  return found;
}

/** Reads a digest from the other machine. */
function checkedDigest(given) {
  if (given === null || typeof given !== 'object') throw new TypeError('a digest must be an object with size and fingerprint');
  const { size, fingerprint } = given;
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`the size of a digest must be an integer of at least 0, not ${String(size)}`);
  if (typeof fingerprint !== 'string' || !/^[0-9a-f]{32}$/.test(fingerprint)) throw new RangeError('the fingerprint of a digest must have 32 hexadecimal digits');
  return { low: BigInt(`0x${fingerprint.slice(16)}`), high: BigInt(`0x${fingerprint.slice(0, 16)}`), size: BigInt(size) };
}

/** Reads the items of a cell from the other machine. */
function checkedItems({ path, other: { size } }, given) {
  if (!Array.isArray(given) || given.length !== size) throw new TypeError(`items must return an array of ${size} items for the path '${path}'`);
  return given.map((one) => {
    const read = item(one, 'an item of the other tree');
    return { ...read, id: bigId(read.id, 'an item of the other tree') };
  });
}

/** Returns the changes of each cell. */
async function changesOf(pinOfTree, answers, cells, fetch) {
  const wanted = cells.filter(({ other }) => other.size > 0);
  const found = await ask(fetch, wanted.map(({ path }) => path), 'items');
  const items = wanted.flatMap((cell, i) => checkedItems(cell, found[i]));
  sendAnswers(answers, items);
  const count = counted(call(wasm.pqtjs_tree_sync_changes, pinOfTree(), answers.size, items.length)) / CHANGE, changes = [];
  receive(count, CHANGE, 8, (one, k) => {
    const kind = KINDS[words[2 * k - 2]];
    if (kind === undefined) changes.push([]);
    else changes.at(-1).push({ kind, item: one });
  });
  return changes;
}

/** Returns the cells in which a tree differs from the other one. */
export async function findMismatches(pinOfTree, peer) {
  const { digests, items } = settings(peer, ['digests', 'items']), answers = new Map();
  for (;;) {
    const cells = compareCells(pinOfTree, answers), paths = cells.filter(({ isQuestion }) => isQuestion).map(({ path }) => path);
    if (paths.length > 0) {
      (await ask(digests, paths, 'digests')).forEach((digest, i) => answers.set(paths[i], checkedDigest(digest)));
      continue;
    }
    const changes = items === undefined ? [] : await changesOf(pinOfTree, answers, cells, items);
    return cells.map(({ path, box, own, other }, i) => ({ path, box, own, other, ...(items === undefined ? {} : { changes: changes[i] }) }));
  }
}
