// SPDX-License-Identifier: MIT
// index.d.ts: the types of the package pqt.

/** An axis-parallel box in world units: finite, min <= max. Windows may have infinite sides. */
export interface Box {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}

/** A box with an id: an integer from 0 to 2^53 - 1, or a bigint below 2^64. */
export interface Item extends Box {
  id: number | bigint;
}

/** An item found by nearest. */
export interface Near extends Item {
  /** Distance from the point to the box, world units. */
  distance: number;
}

export interface TreeOptions {
  /** The most items of a leaf, 1 to 1024; 24 by default. */
  leafCapacity?: number;
  /** The most halvings of the bounds, 0 to 32; 24 by default. */
  maxDepth?: number;
  /** An id occurs once: inserting an existing id replaces its item. */
  uniqueIds?: boolean;
  /** Refuse items outside the bounds. */
  strictBounds?: boolean;
}

export type Ids = readonly number[] | Uint32Array | BigUint64Array | Float64Array;

export type Change =
  | { kind: 'insert' | 'remove'; item: Item }
  | { kind: 'move'; item: Item; to: Box };

export interface TreeJSON extends Required<TreeOptions> {
  bounds: Box;
  items: (Box & { id: number | string })[];
}

/** One version of a set of boxes with ids. No method changes it; those that edit return another. */
export class PersistentTree implements Iterable<Item> {
  /** Makes an empty tree. */
  constructor(options: TreeOptions & { bounds: Box });

  /** Makes a tree from items in bulk; its bounds are those of the items. */
  static of(items: readonly Item[], options?: TreeOptions): PersistentTree;
  /** The same from four numbers for each box. The ids are 0, 1, 2 ... */
  static of(boxes: Float64Array, options?: TreeOptions): PersistentTree;
  static of(boxes: Float64Array, ids: Ids, options?: TreeOptions): PersistentTree;
  static fromJSON(data: TreeJSON): PersistentTree;
  static fromBytes(bytes: Uint8Array): PersistentTree;

  load(items: readonly Item[]): PersistentTree;
  load(boxes: Float64Array, ids?: Ids): PersistentTree;
  /** With uniqueIds, replaces the item of the same id. */
  insert(item: Item): PersistentTree;
  /** Removes the item with this box and this id. If it is absent, the result equals this version. */
  remove(item: Item): PersistentTree;
  removeAll(items: readonly Item[]): PersistentTree;
  removeAll(boxes: Float64Array, ids?: Ids): PersistentTree;
  /** Gives an item another box. If it is absent, the result equals this version. */
  move(item: Item, to: Box): PersistentTree;
  clear(): PersistentTree;

  readonly size: number;
  readonly bounds: Box;

  /** The items that touch a window, edges included, as new objects. */
  search(window: Box): Item[];
  /** The ids alone; throws a RangeError if one is above 2^32 - 1. */
  searchIds(window: Box): Uint32Array;
  searchBigIds(window: Box): BigUint64Array;
  all(): Item[];
  [Symbol.iterator](): Iterator<Item>;
  collides(window: Box): boolean;
  count(window: Box): number;
  /** The items nearest to a point, nearest first; one if `most` is not given. */
  nearest(x: number, y: number, most?: number, maxDistance?: number): Near[];

  /** The changes that turn this version into another of equal bounds and options. */
  diff(after: PersistentTree): Change[];
  /** A version with the changes of both sides, which were made from this one. */
  merge(ours: PersistentTree, theirs: PersistentTree,
    options?: { onConflict?: 'error' | 'ours' | 'theirs' | 'both' | 'neither' | 'base' }): PersistentTree;

  toBytes(): Uint8Array;
  toJSON(): TreeJSON;
  /** 32 hexadecimal digits: equal versions have equal ones, in every language. */
  fingerprint(): string;
  /** Whether two versions have equal items, bounds and options. */
  equals(other: PersistentTree): boolean;
  /** Checks the invariants of this version, and returns it. */
  check(): this;
  /** Releases this version now instead of when the object is collected. Other calls then throw. */
  free(): void;
}

export interface HistoryEntry {
  number: number;
  /** Number of the entry that it follows; 0 for the first entry. */
  parent: number;
  /** Number of undo steps from it to the first entry. */
  depth: number;
  /** Number of entries that follow it; 0: it is the tip of a branch. */
  children: number;
  time: number;
  label: string;
  name: string | null;
  isCurrent: boolean;
  isSaved: boolean;
  /** It is the current entry or an ancestor of it. */
  isOnPath: boolean;
}

/** A history of trees: undo, redo, branches, labels. It holds all versions that were pushed. */
export class History {
  /** Makes a history whose entry 0 is a tree. Beyond a limit, it drops older entries. */
  constructor(first: PersistentTree, options?: { maxEntries?: number; maxBytes?: number; time?: number });
  /** Adds an entry after the current one. Pushes in sequence with one key other than 0 are one entry. */
  push(tree: PersistentTree, options?: { label?: string; time?: number; key?: number; keepEqual?: boolean }): void;
  /** False at the first entry and in a group. */
  undo(): boolean;
  /** False at the tip of a branch and in a group. */
  redo(): boolean;
  checkout(entry: number): void;
  /** Opens a group: all pushes until end make one entry with this label. */
  begin(label?: string): void;
  end(): boolean;
  /** Closes all groups and returns to the entry before them; false if none is open. */
  cancel(): boolean;
  markSaved(): void;
  readonly isModified: boolean;
  /** An entry with a name is never dropped; null removes the name. */
  setName(entry: number, name: string | null): void;
  readonly current: number;
  /** The version of an entry, of the current one by default, as a new object. */
  tree(entry?: number): PersistentTree;
  readonly undoLabel: string | null;
  readonly redoLabel: string | null;
  entry(entry: number): HistoryEntry;
  entries(): HistoryEntry[];
  /** The tips of the branches in the order of numbers. */
  branches(): HistoryEntry[];
  /** Releases all versions of the history now. Other calls then throw. */
  free(): void;
}

export interface Memory {
  /** Bytes that the heap of all versions takes. */
  bytes: number;
  /** Of these, bytes of blocks that are not free. */
  usedBytes: number;
  /** Objects that hold a version. */
  versions: number;
}

/** Limits the memory of all versions together, in bytes; Infinity removes the limit. */
export function setMemoryLimit(bytes: number): void;
export function memory(): Memory;
/** Frees all versions that no object holds, and returns the memory afterwards. */
export function reclaim(): Memory;
