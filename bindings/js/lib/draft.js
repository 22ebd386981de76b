// SPDX-License-Identifier: MIT
// draft.js: the class Draft, which collects the edits of PersistentTree.edit.
//
// A draft holds its edits as an array of pqt_change, so one call of the library applies them all. An
// edit that the library would refuse must throw at once, like the method of a tree. So each edit is
// compared with simple limits first, and if it is beyond them, the same method of the tree decides.
import { Handle, PIN, box, refusal, reserve, scratch, surplus, viewOf, wasm } from './core.js';
import { LONG_WORDS, arraysOf, checkedId, highOf, idsOf, item, lowOf, movesOf } from './items.js';

// The kinds of changes, and the size of a pqt_change in doubles: its kind, its item and its new box.
export const INSERT = 1;
export const REMOVE = 2;
export const MOVE = 3;
export const REMOVE_ID = 4;
export const MOVE_ID = 5;
const CHANGE = 10;

const SMALLEST = 64; // in changes
const LARGEST_SPARE = 16384;
const EVERYWHERE = { minX: -Number.MAX_VALUE, minY: -Number.MAX_VALUE, maxX: Number.MAX_VALUE, maxY: Number.MAX_VALUE };

/** Throws if a method of a draft is called after its tree or map has been set to null. */
export function needUse(version) {
  if (version === null) throw new Error('the draft was used after the function of edit returned');
}

/** Throws if a draft has more changes than when the call of its method began. */
export function needSameCount(before, count) {
  if (count !== before) throw new Error('the draft was edited while an argument of another edit was read');
}

export function needFunction(change) {
  if (typeof change !== 'function') throw new TypeError('edit needs a function, which gets a draft');
}

let spare = null; // the array of the last draft, for the next one
let end; // ends a draft, and returns its changes; users cannot reach it

/** Edits that are applied together. It cannot be read. */
class Draft extends Handle {
  #tree; // null if the function that got the draft has returned
  #limits;
  #hasUniqueIds;
  #numbers; // the changes
  #words; // the same bytes
  #count = 0;

  constructor(token, tree, bounds, hasUniqueIds) {
    if (token !== PIN) throw new TypeError('only the method edit of a tree makes drafts');
    super();
    this.#tree = tree;
    this.#limits = bounds ?? EVERYWHERE;
    this.#hasUniqueIds = hasUniqueIds;
    this.#use(spare ?? scratch(Float64Array, SMALLEST * CHANGE));
    spare = null;
  }

  #use(numbers) {
    this.#numbers = numbers;
    this.#words = new Uint32Array(numbers.buffer);
  }

  /** Makes room for more changes. */
  #extend(more) {
    const needed = (this.#count + more) * CHANGE;
    if (needed <= this.#numbers.length) return;
    const larger = scratch(Float64Array, 2 * needed);
    larger.set(this.#numbers);
    this.#use(larger);
  }

  /** Returns the number of changes so far. Throws if the function that got the draft has returned. */
  #begin() {
    needUse(this.#tree);
    return this.#count;
  }

  /** Throws if the draft has more changes than when the call began. */
  #continue(count) {
    needSameCount(count, this.#count);
  }

  #fits(minX, minY, maxX, maxY) {
    const limits = this.#limits;
    return minX <= maxX && minY <= maxY && minX >= limits.minX && minY >= limits.minY && maxX <= limits.maxX && maxY <= limits.maxY;
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

  /** Appends a change of an item, which is valid. */
  #append(kind, minX, minY, maxX, maxY, id) {
    this.#extend(1);
    this.#write(this.#count, kind, minX, minY, maxX, maxY, lowOf(id), highOf(id));
    this.#count++;
    return this;
  }

  /** Inserts an item, like PersistentTree.insert. */
  insert(one) {
    if (arguments.length > 1) surplus(arguments.length, 'insert', 1);
    const count = this.#begin(), read = item(one, 'the item'), { minX, minY, maxX, maxY } = read, id = checkedId(read.id);
    this.#continue(count);
    if (!this.#fits(minX, minY, maxX, maxY)) this.#tree.insert(read).free();
    return this.#append(INSERT, minX, minY, maxX, maxY, id);
  }

  /** Removes an item, like PersistentTree.remove. */
  remove(one) {
    if (arguments.length > 1) surplus(arguments.length, 'remove', 1);
    const count = this.#begin(), { minX, minY, maxX, maxY, id } = item(one, 'the item');
    this.#continue(count);
    return this.#append(REMOVE, minX, minY, maxX, maxY, checkedId(id));
  }

  /** Changes the box of an item, like PersistentTree.move. */
  move(one, to) {
    const count = this.#begin(), target = box(to, 'the new box'), { minX, minY, maxX, maxY, id } = item(one, 'the item');
    this.#continue(count);
    return this.#appendMove(MOVE, minX, minY, maxX, maxY, checkedId(id), target);
  }

  #appendMove(kind, minX, minY, maxX, maxY, id, target) {
    const { minX: toMinX, minY: toMinY, maxX: toMaxX, maxY: toMaxY } = target;
    if (!this.#fits(toMinX, toMinY, toMaxX, toMaxY)) this.#tree.move({ minX, minY, maxX, maxY, id }, target).free();
    this.#append(kind, minX, minY, maxX, maxY, id).#writeTarget(this.#count - 1, toMinX, toMinY, toMaxX, toMaxY);
    return this;
  }

  #needUniqueIds() {
    if (!this.#hasUniqueIds) throw refusal('the tree was not made with uniqueIds');
  }

  /** Removes the item with an id, like PersistentTree.removeId. */
  removeId(id) {
    if (arguments.length > 1) surplus(arguments.length, 'removeId', 1);
    this.#begin();
    checkedId(id);
    this.#needUniqueIds();
    return this.#append(REMOVE_ID, 0, 0, 0, 0, id);
  }

  /** Changes the box of the item with an id, like PersistentTree.moveId. */
  moveId(id, to) {
    const count = this.#begin(), target = box(to, 'the new box');
    this.#continue(count);
    checkedId(id);
    this.#needUniqueIds();
    return this.#appendMove(MOVE_ID, 0, 0, 0, 0, id, target);
  }

  /** Appends many changes of one kind. `begun` is the result of #begin, before the arguments were read. */
  #appendAll(kind, begun, { boxes, ids, count, kind: form }) {
    this.#continue(begun);
    if (kind === REMOVE_ID || kind === MOVE_ID) this.#needUniqueIds();
    const halves = form === LONG_WORDS ? viewOf(Uint32Array, ids, 2 * count) : null;
    let doFit = true;
    this.#extend(count);
    for (let i = 0, k = 0; i < count; i++, k += 4) {
      const low = halves !== null ? halves[2 * i] : ids === undefined ? i : checkedId(ids[i]);
      const high = halves !== null ? halves[2 * i + 1] : low / 4294967296;
      if (kind === REMOVE_ID) {
        this.#write(begun + i, kind, 0, 0, 0, 0, low, high);
        continue;
      }
      const minX = boxes[k], minY = boxes[k + 1], maxX = boxes[k + 2], maxY = boxes[k + 3];
      doFit &&= kind === REMOVE || this.#fits(minX, minY, maxX, maxY);
      this.#write(begun + i, kind, minX, minY, maxX, maxY, low, high);
      if (kind === MOVE_ID) this.#writeTarget(begun + i, minX, minY, maxX, maxY);
    }
    if (!doFit) this.#tree.load(boxes, ids).free(); // refuses the same boxes as moves
    this.#continue(begun); // a class of the user may replace `load`
    this.#count += count;
    return this;
  }

  /** Inserts items in bulk, like PersistentTree.load. */
  load(items, ids) {
    return this.#appendAll(INSERT, this.#begin(), arraysOf(items, ids));
  }

  /** Removes items in bulk, like PersistentTree.removeAll. */
  removeAll(items, ids) {
    return this.#appendAll(REMOVE, this.#begin(), arraysOf(items, ids));
  }

  /** Removes the items with some ids, like PersistentTree.removeIds. */
  removeIds(ids) {
    return this.#appendAll(REMOVE_ID, this.#begin(), idsOf(ids));
  }

  /** Changes the boxes of the items with some ids, like PersistentTree.moveIds. */
  moveIds(ids, boxes) {
    return this.#appendAll(MOVE_ID, this.#begin(), movesOf(ids, boxes));
  }

  static {
    end = (draft) => {
      const numbers = draft.#numbers, changes = numbers.subarray(0, draft.#count * CHANGE);
      if (numbers.length <= LARGEST_SPARE * CHANGE) spare = numbers;
      draft.#tree = draft.#numbers = draft.#words = null;
      return changes;
    };
  }
}

const GENERATORS = ['Generator', 'AsyncGenerator'];

/** Throws if the function of edit has returned a promise, or a generator, whose code has not run. */
function refuseLater(result) {
  const isObject = result !== null && (typeof result === 'object' || typeof result === 'function');
  if (!isObject || typeof result.then !== 'function' && !GENERATORS.includes(result[Symbol.toStringTag])) return;
  // It is rejected if the rest of its code uses the draft, and the error below has reported the mistake.
  if (result instanceof Promise) Promise.prototype.catch.call(result, () => undefined);
  throw new TypeError('the function of edit must not be async or a generator: its draft ends when the function returns');
}

/** Calls a function with a draft. Ends the draft, even if the function throws, and returns its changes. */
export function collectEdits(draft, endDraft, change) {
  let changes;
  try {
    refuseLater(change(draft));
  } finally {
    changes = endDraft(draft);
  }
  return changes;
}

/** Calls a function with a draft of a tree, which has strict bounds unless `bounds` is null. Copies
    the changes of the draft to the buffer, and returns their number. */
export function sendEdits(tree, bounds, hasUniqueIds, change) {
  const changes = collectEdits(new Draft(PIN, tree, bounds, hasUniqueIds), end, change);
  const at = reserve(changes.byteLength); // may replace wasm.memory.buffer
  new Float64Array(wasm.memory.buffer, at, changes.length).set(changes);
  return changes.length / CHANGE;
}
