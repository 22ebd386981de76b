// SPDX-License-Identifier: MIT
// changes.js: the class Changes, an array of changes of a tree that one call of the library applies.
import { reserve, scratch, viewOf, wasm } from './core.js';
import { LONG_WORDS, checkedId, highOf, lowOf } from './items.js';

// The kinds of changes, and the size of a pqt_change in doubles: its kind, its item and its new box.
export const INSERT = 1;
export const REMOVE = 2;
export const MOVE = 3;
export const REMOVE_ID = 4;
export const MOVE_ID = 5;
const CHANGE = 10;

const SMALLEST = 64; // in changes
const LARGEST_SPARE = 16384;

let spare = null; // the array of the last list that was ended, for the next one

/** Changes in the format of the library. */
export class Changes {
  count = 0;
  #numbers;
  #words; // the same bytes

  constructor() {
    this.#use(spare ?? scratch(Float64Array, SMALLEST * CHANGE));
    spare = null;
  }

  #use(numbers) {
    this.#numbers = numbers;
    this.#words = new Uint32Array(numbers.buffer);
  }

  /** Makes room for more changes. */
  #extend(more) {
    const needed = (this.count + more) * CHANGE;
    if (needed <= this.#numbers.length) return;
    const larger = scratch(Float64Array, 2 * needed);
    larger.set(this.#numbers);
    this.#use(larger);
  }

  /** Writes the kind and the item of change `i`. */
  #write(i, kind, minX, minY, maxX, maxY, low, high) {
    const at = i * CHANGE, numbers = this.#numbers, words = this.#words;
    words[2 * at] = kind;
    numbers[at + 1] = minX;
    numbers[at + 2] = minY;
    numbers[at + 3] = maxX;
    numbers[at + 4] = maxY;
    words[2 * at + 10] = low;
    words[2 * at + 11] = high;
  }

  /** Writes the new box of change `i`. */
  #writeTarget(i, minX, minY, maxX, maxY) {
    const at = i * CHANGE, numbers = this.#numbers;
    numbers[at + 6] = minX;
    numbers[at + 7] = minY;
    numbers[at + 8] = maxX;
    numbers[at + 9] = maxY;
  }

  /** Adds a change of an item, whose id is valid. */
  add(kind, minX, minY, maxX, maxY, id) {
    this.#extend(1);
    this.#write(this.count, kind, minX, minY, maxX, maxY, lowOf(id), highOf(id));
    this.count++;
  }

  /** Adds a move of an item, whose id is valid, to a box. */
  addMove(kind, minX, minY, maxX, maxY, id, target) {
    this.add(kind, minX, minY, maxX, maxY, id);
    this.#writeTarget(this.count - 1, target.minX, target.minY, target.maxX, target.maxY);
  }

  /** Adds many changes of one kind: all of them, or none if an id is invalid. */
  addAll(kind, { boxes, ids, count, kind: form }) {
    const halves = form === LONG_WORDS ? viewOf(Uint32Array, ids, 2 * count) : null;
    this.#extend(count);
    for (let i = 0, k = 0, at = this.count; i < count; i++, k += 4, at++) {
      const low = halves !== null ? halves[2 * i] : ids === undefined ? i : checkedId(ids[i]);
      const high = halves !== null ? halves[2 * i + 1] : low / 4294967296;
      if (kind === REMOVE_ID) this.#write(at, kind, 0, 0, 0, 0, low, high);
      else this.#write(at, kind, boxes[k], boxes[k + 1], boxes[k + 2], boxes[k + 3], low, high);
      if (kind === MOVE_ID) this.#writeTarget(at, boxes[k], boxes[k + 1], boxes[k + 2], boxes[k + 3]);
    }
    this.count += count;
  }

  /** Copies the changes to the buffer, and returns their number. */
  send() {
    const changes = this.#numbers.subarray(0, this.count * CHANGE), at = reserve(changes.byteLength); // may replace wasm.memory.buffer
    new Float64Array(wasm.memory.buffer, at, changes.length).set(changes);
    return this.count;
  }

  /** Calls an exported function with the first change. */
  sendFirst(exported, address) {
    const numbers = this.#numbers, words = this.#words;
    return exported(address, words[0], numbers[1], numbers[2], numbers[3], numbers[4], words[10], words[11],
      numbers[6], numbers[7], numbers[8], numbers[9]);
  }

  /** Leaves the array to the next list. */
  end() {
    if (this.#numbers.length <= LARGEST_SPARE * CHANGE) spare = this.#numbers;
    this.#numbers = this.#words = null;
  }
}
