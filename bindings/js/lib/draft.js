// SPDX-License-Identifier: MIT
// draft.js: the class Draft, on top of pqt_draft, and the rules for functions that get a draft.
//
// Edits that no read comes between are made by one call, so they share the paths to their items. They
// are collected until the draft is read. An edit that the library would refuse must throw at once: each
// edit is compared with simple limits first, and one that is beyond them is made at once.
import { DISPOSE, Handle, PIN, TREE, box, call, own, raise, raiseTrap, refusal, surplus, wasm } from './core.js';
import { Changes, INSERT, MOVE, MOVE_ID, REMOVE, REMOVE_ID } from './changes.js';
import { arraysOf, checkedId, idsOf, item, movesOf } from './items.js';
import { onStart } from './instance.js';
import { STRICT_BOUNDS, UNIQUE_IDS, addQueries, describe, readDraftsBy } from './tree_queries.js';

// A single change does not use `call`, because engines compile a direct call to a known function to little code.
let changeDraft;

onStart(() => {
  changeDraft = wasm.pqtjs_draft_edit;
});

const MOST = Number.MAX_VALUE;
const EVERYWHERE = { minX: -MOST, minY: -MOST, maxX: MOST, maxY: MOST };

export const LATE = 'the draft was used after the function of edit returned';
export const FREED = 'the draft was freed';

export function needFunction(change) {
  if (typeof change !== 'function') throw new TypeError('edit needs a function, which gets a draft');
}

function destroy(address) {
  try {
    wasm.pqtjs_draft_destroy(address);
  } catch (trap) {
    raiseTrap(trap);
  }
}

const drafts = new FinalizationRegistry(destroy); // those that no call of edit ends

// The class Draft sets these functions. Users of the package cannot reach them.
/** Begins a draft that ends when it is freed, or after nothing refers to it. */
export let begin;
let end; // ends the draft of a call of edit

/** A tree that is edited in place between two versions. Its queries are those of PersistentTree. */
export class Draft extends Handle {
  #address = 0; // of the draft in the library; 0 once it has ended
  #changes = new Changes(); // the edits that are not made yet
  #limits;
  #hasUniqueIds;
  #last = FREED; // why it cannot be used once it has ended

  constructor(token, pin) {
    if (token !== PIN) throw new TypeError('only the methods of a tree make drafts');
    super();
    const [minX, minY, maxX, maxY, , , bits] = describe(pin);
    this.#limits = (bits & STRICT_BOUNDS) === 0 ? EVERYWHERE : { minX, minY, maxX, maxY };
    this.#hasUniqueIds = (bits & UNIQUE_IDS) !== 0;
    this.#address = call(wasm.pqtjs_draft_begin, pin) >>> 0 || raise();
  }

  #needUse() {
    if (this.#address === 0) throw new Error(this.#last);
  }

  #needUniqueIds() {
    if (!this.#hasUniqueIds) throw refusal('the tree was not made with uniqueIds');
  }

  #fits(minX, minY, maxX, maxY) {
    const limits = this.#limits;
    return minX <= maxX && minY <= maxY && minX >= limits.minX && minY >= limits.minY && maxX <= limits.maxX && maxY <= limits.maxY;
  }

  #fitAll(boxes, count) {
    for (let k = 0; k < 4 * count; k += 4)
      if (!this.#fits(boxes[k], boxes[k + 1], boxes[k + 2], boxes[k + 3])) return false;
    return true;
  }

  /** Makes the collected edits. If memory is exhausted, keeps them. */
  #make() {
    const changes = this.#changes;
    if (changes.count === 0) return;
    let made;
    try {
      made = changes.count === 1 ? changes.sendFirst(changeDraft, this.#address) : wasm.pqtjs_draft_apply(this.#address, changes.send());
    } catch (trap) {
      raiseTrap(trap);
    }
    if (!made) raise();
    changes.count = 0;
  }

  /** Adds edits that the library may refuse, and makes them at once. */
  #try(add) {
    this.#make();
    add();
    try {
      this.#make();
    } finally {
      this.#changes.count = 0;
    }
    return this;
  }

  /** Inserts an item, like PersistentTree.insert. */
  insert(one) {
    if (arguments.length > 1) surplus(arguments.length, 'insert', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    this.#needUse();
    checkedId(id);
    if (!this.#fits(minX, minY, maxX, maxY)) return this.#try(() => this.#changes.add(INSERT, minX, minY, maxX, maxY, id));
    this.#changes.add(INSERT, minX, minY, maxX, maxY, id);
    return this;
  }

  /** Removes an item, like PersistentTree.remove. */
  remove(one) {
    if (arguments.length > 1) surplus(arguments.length, 'remove', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    this.#needUse();
    this.#changes.add(REMOVE, minX, minY, maxX, maxY, checkedId(id));
    return this;
  }

  #move(kind, minX, minY, maxX, maxY, id, target) {
    const add = () => this.#changes.addMove(kind, minX, minY, maxX, maxY, id, target);
    if (!this.#fits(target.minX, target.minY, target.maxX, target.maxY)) return this.#try(add);
    add();
    return this;
  }

  /** Changes the box of an item, like PersistentTree.move. */
  move(one, to) {
    const target = box(to, 'the new box'), { minX, minY, maxX, maxY, id } = item(one, 'the item');
    this.#needUse();
    return this.#move(MOVE, minX, minY, maxX, maxY, checkedId(id), target);
  }

  /** Removes the item with an id, like PersistentTree.removeId. */
  removeId(id) {
    if (arguments.length > 1) surplus(arguments.length, 'removeId', 1);
    this.#needUse();
    checkedId(id);
    this.#needUniqueIds();
    this.#changes.add(REMOVE_ID, 0, 0, 0, 0, id);
    return this;
  }

  /** Changes the box of the item with an id, like PersistentTree.moveId. */
  moveId(id, to) {
    const target = box(to, 'the new box');
    this.#needUse();
    checkedId(id);
    this.#needUniqueIds();
    return this.#move(MOVE_ID, 0, 0, 0, 0, id, target);
  }

  /** Adds many edits of one kind. */
  #all(kind, arrays) {
    this.#needUse();
    if (kind === REMOVE_ID || kind === MOVE_ID) this.#needUniqueIds();
    const add = () => this.#changes.addAll(kind, arrays);
    if ((kind === INSERT || kind === MOVE_ID) && !this.#fitAll(arrays.boxes, arrays.count)) return this.#try(add);
    add();
    return this;
  }

  /** Inserts items in bulk, like PersistentTree.load. */
  load(items, ids) {
    return this.#all(INSERT, arraysOf(items, ids));
  }

  /** Removes items in bulk, like PersistentTree.removeAll. */
  removeAll(items, ids) {
    return this.#all(REMOVE, arraysOf(items, ids));
  }

  /** Removes the items with some ids, like PersistentTree.removeIds. */
  removeIds(ids) {
    return this.#all(REMOVE_ID, idsOf(ids));
  }

  /** Changes the boxes of the items with some ids, like PersistentTree.moveIds. */
  moveIds(ids, boxes) {
    return this.#all(MOVE_ID, movesOf(ids, boxes));
  }

  /** Returns the draft as a version. The draft continues. */
  snapshot() {
    if (arguments.length > 0) surplus(arguments.length, 'snapshot', 0);
    this.#needUse();
    this.#make();
    return own(TREE, call(wasm.pqtjs_draft_snapshot, this.#address));
  }

  #view() {
    this.#needUse();
    this.#make();
    return this.#address + 1; // see tree_of in shim.h
  }

  #end(last) {
    const address = this.#address;
    if (address === 0) return;
    this.#address = 0; // first, so that nothing destroys it twice, whatever throws
    this.#last = last;
    this.#changes.end();
    drafts.unregister(this);
    destroy(address);
  }

  [DISPOSE]() {
    this.free();
  }

  /** Ends the draft, without the edits since its last snapshot. Later calls throw. */
  free() {
    this.#end(FREED);
  }

  static {
    end = (draft) => draft.#end(LATE);
    readDraftsBy((value) => (value !== null && typeof value === 'object' && #address in value ? value.#view() : undefined));
    begin = (pin) => {
      const draft = new Draft(PIN, pin);
      drafts.register(draft, draft.#address, draft);
      return draft;
    };
  }
}

addQueries(Draft);

const GENERATORS = ['Generator', 'AsyncGenerator'];

/** Throws if the function of edit has returned a promise, or a generator, whose code has not run. */
export function refuseLater(result) {
  const isObject = result !== null && (typeof result === 'object' || typeof result === 'function');
  if (!isObject || typeof result.then !== 'function' && !GENERATORS.includes(result[Symbol.toStringTag])) return;
  // It is rejected if the rest of its code uses the draft, and the error below has reported the mistake.
  if (result instanceof Promise) Promise.prototype.catch.call(result, () => undefined);
  throw new TypeError('the function of edit must not be async or a generator: its draft ends when the function returns');
}

/** Calls a function with a draft of a tree. Returns the version that the draft has become. */
export function editTree(pin, change) {
  const draft = new Draft(PIN, pin);
  try {
    refuseLater(change(draft));
    return draft.snapshot();
  } finally {
    end(draft);
  }
}
