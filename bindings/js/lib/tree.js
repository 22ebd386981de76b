// SPDX-License-Identifier: MIT
// tree.js: the class PersistentTree.
import { PIN, TREE, Version, box, call, fromBytes, own as ownVersion, pinOf, raise, raiseTrap, refusal, register, settings, surplus, wasm, whole } from './core.js';
import { Changes, INSERT, MOVE, MOVE_ID, REMOVE, REMOVE_ID } from './changes.js';
import { begin, editTree, needFunction } from './draft.js';
import { checkedId, highOf, idsOf, item, lowOf, movesOf, send } from './items.js';
import { digestAt, findMismatches, itemsAt } from './sync.js';
import { STRICT_BOUNDS, UNIQUE_IDS, addQueries, describe, itemsOf } from './tree_queries.js';
import { onStart } from './instance.js';
import { pagesOf, queryOf } from './query.js';

// Single edits do not use `call`, because engines compile a direct call to a known function to little code.
let changeTree;

onStart(() => {
  changeTree = wasm.pqtjs_tree_edit;
});

function flags({ uniqueIds = false, strictBounds = false }) {
  return (uniqueIds ? UNIQUE_IDS : 0) + (strictBounds ? STRICT_BOUNDS : 0);
}

const OPTIONS = ['leafCapacity', 'maxDepth', 'uniqueIds', 'strictBounds'];

function options(given = {}, known = OPTIONS) {
  const { leafCapacity = 24, maxDepth = 32 } = settings(given, known);
  return [whole(leafCapacity, 'leafCapacity'), whole(maxDepth, 'maxDepth'), flags(given)];
}

const LARGEST_PAGE = 1048576; // items
const RESOLUTIONS = { ours: 1, theirs: 2, both: 3, neither: 4, base: 5 };
const MERGE = 1, UNION = 2, INTERSECTION = 3, DIFFERENCE = 4; // as in flat.h

function resolutionOf(given) {
  const { onConflict = 'error' } = settings(given, ['onConflict']);
  const resolution = onConflict === 'error' ? 0 : Object.hasOwn(RESOLUTIONS, onConflict) ? RESOLUTIONS[onConflict] : -1;
  if (resolution < 0) throw new RangeError(`onConflict must be one of error, ${Object.keys(RESOLUTIONS).join(', ')}, not ${String(onConflict)}`);
  return resolution;
}

const pinOfTree = (tree, what = 'the object of the call') => pinOf(tree, TREE, what);
const own = (pin) => ownVersion(TREE, pin);

/** One version of a set of boxes with ids. No method changes it; methods that edit return another version. */
export class PersistentTree extends Version {
  /** Makes an empty tree. */
  constructor(given, pin) {
    if (given !== PIN) {
      const { minX, minY, maxX, maxY } = box(given?.bounds, 'options.bounds');
      pin = call(wasm.pqtjs_tree_make, minX, minY, maxX, maxY, ...options(given, ['bounds', ...OPTIONS])) || raise();
    }
    super(PIN, TREE, pin);
  }

  /** Makes a tree from items in bulk. Its bounds are the smallest box around the items. */
  static of(items, idsOrOptions, given) {
    const hasIds = ArrayBuffer.isView(idsOrOptions) ||
      idsOrOptions !== null && typeof idsOrOptions === 'object' && Symbol.iterator in idsOrOptions;
    const settings = options(hasIds || idsOrOptions === undefined ? given : idsOrOptions);
    const [count, kind] = send(items, hasIds ? idsOrOptions : undefined);
    return own(call(wasm.pqtjs_tree_of, count, kind, ...settings));
  }

  /** Makes a tree from an object that toJSON returned. */
  static fromJSON(data) {
    if (data === null || typeof data !== 'object' || !Array.isArray(data.items))
      throw new TypeError('the data is not from toJSON: it has no items');
    const { bounds, leafCapacity, maxDepth, uniqueIds, strictBounds } = data;
    const empty = new PersistentTree({ bounds, leafCapacity, maxDepth, uniqueIds, strictBounds });
    const items = data.items.map((one) => (typeof one?.id === 'string' && /^[0-9]{1,20}$/.test(one.id) ? { ...one, id: BigInt(one.id) } : one));
    try {
      return empty.load(items);
    } finally {
      empty.free();
    }
  }

  /** Makes a tree from bytes that toBytes returned, in JavaScript or in another language. */
  static fromBytes(bytes) {
    return fromBytes(TREE, bytes);
  }

  #edited(items, ids, remove) {
    const [count, kind] = send(items, ids);
    return own(call(wasm.pqtjs_tree_edit_all, pinOfTree(this), count, kind, remove));
  }

  /** Inserts items in bulk. */
  load(items, ids) {
    return this.#edited(items, ids, 0);
  }

  /** Makes a version with one change. The numbers are the box of the item, and its new box. */
  #changed(kind, minX, minY, maxX, maxY, id, toMinX, toMinY, toMaxX, toMaxY) {
    const low = lowOf(checkedId(id)), high = highOf(id), old = pinOfTree(this);
    let pin;
    try {
      pin = changeTree(old, kind, minX, minY, maxX, maxY, low, high, toMinX, toMinY, toMaxX, toMaxY);
    } catch (trap) {
      raiseTrap(trap);
    }
    return new PersistentTree(PIN, pin || raise());
  }

  /** Inserts an item. With uniqueIds, it replaces the item with the same id. */
  insert(one) {
    if (arguments.length > 1) surplus(arguments.length, 'insert', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return this.#changed(INSERT, minX, minY, maxX, maxY, id, 0, 0, 0, 0);
  }

  /** Removes the item with this box and this id. If it is absent, the result equals this version. */
  remove(one) {
    if (arguments.length > 1) surplus(arguments.length, 'remove', 1);
    const { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return this.#changed(REMOVE, minX, minY, maxX, maxY, id, 0, 0, 0, 0);
  }

  /** Removes items in bulk. */
  removeAll(items, ids) {
    return this.#edited(items, ids, 1);
  }

  /** Changes the box of an item. If the item is absent, the result equals this version. */
  move(one, to) {
    const target = box(to, 'the new box'), { minX, minY, maxX, maxY, id } = item(one, 'the item');
    return this.#changed(MOVE, minX, minY, maxX, maxY, id, target.minX, target.minY, target.maxX, target.maxY);
  }

  /** Returns a version with all edits that a function makes on a draft. */
  edit(change) {
    needFunction(change);
    return editTree(pinOfTree(this), change);
  }

  /** Begins a draft of this version: a tree that is edited in place, and read at any time. */
  beginDraft() {
    if (arguments.length > 0) surplus(arguments.length, 'beginDraft', 0);
    return begin(pinOfTree(this));
  }

  /** Makes a version with many changes of one kind, by ids. */
  #changedAll(kind, arrays) {
    const changes = new Changes();
    try {
      this.#needUniqueIds();
      changes.addAll(kind, arrays);
      return own(call(wasm.pqtjs_tree_apply, pinOfTree(this), changes.send()));
    } finally {
      changes.end();
    }
  }

  #needUniqueIds() {
    if ((describe(pinOfTree(this))[6] & UNIQUE_IDS) === 0) throw refusal('the tree was not made with uniqueIds');
  }

  /** Removes the item with an id. Needs uniqueIds. If there is none, the result equals this version. */
  removeId(id) {
    if (arguments.length > 1) surplus(arguments.length, 'removeId', 1);
    return this.#changed(REMOVE_ID, 0, 0, 0, 0, id, 0, 0, 0, 0);
  }

  /** Removes the items with some ids. Needs uniqueIds. */
  removeIds(ids) {
    return this.#changedAll(REMOVE_ID, idsOf(ids));
  }

  /** Changes the box of the item with an id. Needs uniqueIds. If there is none, the result equals
      this version. */
  moveId(id, to) {
    const { minX, minY, maxX, maxY } = box(to, 'the new box');
    return this.#changed(MOVE_ID, 0, 0, 0, 0, id, minX, minY, maxX, maxY);
  }

  /** Changes the boxes of the items with some ids, one box for each id. Needs uniqueIds. */
  moveIds(ids, boxes) {
    return this.#changedAll(MOVE_ID, movesOf(ids, boxes));
  }

  /** Returns the empty tree with the same bounds and options. */
  clear() {
    return own(call(wasm.pqtjs_tree_clear, pinOfTree(this)));
  }

  /** Iterates over the items of a search in arrays of `size` items. Each is read when it is needed. */
  pages(window, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'pages', 2);
    const area = box(window, 'the window'), query = queryOf(given, ['size', 'surface']), { size = 1000 } = query.rest;
    if (whole(size, 'size') < 1 || size > LARGEST_PAGE) throw new RangeError(`size must be from 1 to ${LARGEST_PAGE}, not ${size}`);
    return pagesOf(() => pinOfTree(this), area, query, size);
  }

  /** Returns the digest of a cell, for findMismatches on another machine; without a path, that of all items. */
  digest(path = '') {
    if (arguments.length > 1) surplus(arguments.length, 'digest', 1);
    return digestAt(() => pinOfTree(this), path);
  }

  /** Returns the items of a cell, in tree order. */
  itemsAt(path = '') {
    if (arguments.length > 1) surplus(arguments.length, 'itemsAt', 1);
    return itemsAt(() => pinOfTree(this), path);
  }

  /** Returns a promise of the cells in which a tree on another machine differs, { digests, items }. */
  async findMismatches(peer) {
    if (arguments.length > 1) surplus(arguments.length, 'findMismatches', 1);
    return findMismatches(() => pinOfTree(this), peer);
  }

  /** Returns a version with only the items that have a relation to a window and that a filter accepts. */
  keep(window, given) {
    if (arguments.length > 2) surplus(arguments.length, 'keep', 2);
    const area = box(window, 'the window'), query = queryOf(given), { minX, minY, maxX, maxY } = area;
    if (query.filter === undefined) return own(call(wasm.pqtjs_tree_search, pinOfTree(this), minX, minY, maxX, maxY, query.relation));
    const empty = this.clear(); // first, because the filter may free this tree
    try {
      return empty.load(itemsOf(this, area, query));
    } finally {
      empty.free();
    }
  }

  /** Returns a version in which a window has the items of an older version. */
  restore(old, window, given = {}) {
    if (arguments.length > 3) surplus(arguments.length, 'restore', 3);
    const { minX, minY, maxX, maxY } = box(window, 'the window'), { relation } = queryOf({ relation: 'touches', ...settings(given, ['relation', 'surface']) });
    return own(call(wasm.pqtjs_tree_restore, pinOfTree(this), pinOfTree(old, 'the older version'), minX, minY, maxX, maxY, relation));
  }

  /** Returns a version with the changes of both sides, which must derive from this version. */
  merge(ours, theirs, given = {}) {
    const resolution = resolutionOf(given);
    return own(call(wasm.pqtjs_tree_combine, MERGE, pinOfTree(this), pinOfTree(ours, 'ours'), pinOfTree(theirs, 'theirs'), resolution));
  }

  #combined(operation, other, resolution) {
    const pin = pinOfTree(this);
    return own(call(wasm.pqtjs_tree_combine, operation, pin, pin, pinOfTree(other, 'the other tree'), resolution));
  }

  /** Returns the items that are in either tree. */
  union(other, given = {}) {
    return this.#combined(UNION, other, resolutionOf(given));
  }

  /** Returns the items that are in both trees. */
  intersection(other) {
    if (arguments.length > 1) surplus(arguments.length, 'intersection', 1);
    return this.#combined(INTERSECTION, other, 0);
  }

  /** Returns the items of this tree that are not in another one. */
  difference(other) {
    if (arguments.length > 1) surplus(arguments.length, 'difference', 1);
    return this.#combined(DIFFERENCE, other, 0);
  }
}

addQueries(PersistentTree);
register(TREE, PersistentTree);
