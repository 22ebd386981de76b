// SPDX-License-Identifier: MIT
// index.d.ts: the types of the pqt package.

declare global {
  interface SymbolConstructor {
    /** As in lib.esnext.disposable: the method that `using` calls. */
    readonly dispose: unique symbol;
  }
}

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

/** A point in world units. */
export interface Point {
  x: number;
  y: number;
}

/**
 * The relation of an item's box to a window. 'touches', the default everywhere: they have a common
 * point. 'overlaps': their interiors have one. 'inside': the item is within the window, edges
 * included. 'covers': the window is within the item, edges included.
 */
export type Relation = 'touches' | 'overlaps' | 'inside' | 'covers';

/**
 * The surface on which the coordinates of a search lie. 'plane', the default. 'sphere': x is a
 * longitude and y a latitude, in degrees, modulo 360; distances are those of great circles, in
 * metres. A window crosses the antimeridian if its minX is greater than its maxX; an item does if
 * its maxX is greater than 180.
 */
export type Surface = 'plane' | 'sphere';

/**
 * Returns the distance in metres from a point to the nearest point of a box, along a great circle. The
 * box crosses the antimeridian if minX is greater than maxX. Throws a RangeError if the point or the
 * box is not on the sphere: latitudes are from -90 to 90, longitudes from -540 to 540.
 */
export function sphereDistance(longitude: number, latitude: number, to: Box): number;

/**
 * Returns whether an item counts. Anything but true or false is a TypeError. It may be called more
 * than once for an item, and for items that do not change the result. It may call the package: it
 * gets copies.
 */
export type Filter = (item: Item) => boolean;

export interface FilterOptions {
  /** The items that count; all by default. */
  filter?: Filter | undefined;
}

export interface SearchOptions extends FilterOptions {
  relation?: Relation | undefined;
  surface?: Surface | undefined;
}

export interface NearestOptions extends FilterOptions {
  /** The maximum number of items; 1 by default. */
  most?: number | undefined;
  /** In world units, or in metres on the sphere; inclusive; Infinity by default. */
  maxDistance?: number | undefined;
  /** On the sphere, distances are measured from a point, not from a box. */
  surface?: Surface | undefined;
}

/** Two items whose boxes have a relation. */
export interface Pair {
  a: Item;
  b: Item;
}

/** A pair that began or ended between two trees. */
export interface PairChange extends Pair {
  began: boolean;
}

export interface PairOptions {
  /** The relation of `a` to `b`. */
  relation?: Relation | undefined;
  /** The pairs that count, under the rules of Filter; all by default. */
  filter?: ((a: Item, b: Item) => boolean) | undefined;
}

export interface JoinOptions extends PairOptions {
  /** Added to the boxes of the other tree, in world units, to compare them; 0, 0 by default. The items
      that are returned have their own boxes. */
  offset?: Offset | undefined;
}

/** A segment, or a ray, which has no end. World units. */
export type Line = { from: Point; to: Point; direction?: undefined } | { from: Point; direction: Point; to?: undefined };

/** An item that a line hits: they have a common point, which is decided exactly. */
export interface Hit extends Item {
  /** The fraction of the line at which it enters the box: 0 at `from`, 1 at `to` or after one
      `direction`. */
  entry: number;
  /** The fraction at which it leaves the box; 1 if a segment ends in the box. */
  exit: number;
  /** The unit vector that points out of the side that is entered; 0, 0 if `inside`. */
  normalX: number;
  normalY: number;
  /** Whether the line begins in the box or on its edge. */
  inside: boolean;
}

/** A shape that moves: a box with its sides at the position 0, 0, or the radius of a circle, whose
    position is its centre. World units. */
export type Shape = Box | number;

export interface SweepOptions extends FilterOptions {
  /** Whether items are ignored that the shape overlaps at the start; false by default. */
  ignoreOverlap?: boolean | undefined;
}

/** A shape and its motion. */
export interface Mover {
  shape: Shape;
  from: Point;
  to: Point;
}

/** The end of a motion of two shapes: as an ItemSweep, for the first one against the second. */
export interface PairSweep extends Omit<ItemSweep, 'item'> {
  /** The position of the second shape at the time of the stop. */
  otherX: number;
  otherY: number;
}

/** Moves two shapes at once, and returns where they meet. A shape at rest has equal positions. */
export function sweepPair(a: Mover, b: Mover, options?: { ignoreOverlap?: boolean | undefined }): PairSweep;

/** The end of a motion among the items of a tree. Only interiors collide: a shape may slide along an
    edge. */
export interface ItemSweep {
  /** 'free': it reached the end. 'touches': also, and it touches an item there. 'hits': an item
      stopped it. 'overlaps': it overlapped an item at the start, and did not move; or, with
      ignoreOverlap, it reached the end and overlaps the item there. */
  status: 'free' | 'touches' | 'hits' | 'overlaps';
  /** The time of the stop, a fraction of the motion, from 0 to 1. */
  time: number;
  /** The position at that time, which is free of all items that count and are not ignored. */
  x: number;
  y: number;
  /** The axes along which a hit blocks it. */
  blockedX: boolean;
  blockedY: boolean;
  /** The unit vector that points out of the item that was hit or is overlapped; otherwise 0, 0. */
  normalX: number;
  normalY: number;
  /** If it overlaps: the time at which it would leave all that it overlaps at the start, which may be
      above 1; Infinity if it never would. Otherwise 0. */
  exit: number;
  /** If it overlaps: the position nearest to the start that is free of `item`. Otherwise 0, 0. */
  freeX: number;
  freeY: number;
  /** The item that was hit, touched or overlapped: of several, the deepest one that it overlaps, or
      the first that it touches in tree order. */
  item: Item | null;
}

/** A motion that slides along items. */
export interface ItemSlide {
  /** The position at its end. */
  x: number;
  y: number;
  /** The number of hits that changed its direction. */
  bounces: number;
  /** The axes along which any hit blocked it. */
  blockedX: boolean;
  blockedY: boolean;
  first: ItemSweep;
  /** The last sweep, which says what the shape rests on or stops at. */
  last: ItemSweep;
}

/** An item that nearest() found. */
export interface Near extends Item {
  /** The distance from the point to the box, in world units. */
  distance: number;
}

export interface TreeOptions {
  /** The maximum number of items in a leaf, 1 to 1024; 24 by default. */
  leafCapacity?: number | undefined;
  /** The maximum depth of a cell, 0 to 32; 32 by default. */
  maxDepth?: number | undefined;
  /** Whether each id occurs only once: inserting an existing id replaces its item. */
  uniqueIds?: boolean | undefined;
  /** Whether items outside the bounds are refused. */
  strictBounds?: boolean | undefined;
}

/** Ids, for example those that searchIds returns. */
export type Ids = readonly Id[] | Uint32Array | BigUint64Array | Float64Array;

export type Change =
  | { kind: 'insert' | 'remove'; item: Item }
  | { kind: 'move'; item: Item; to: Box };

export interface TreeJSON {
  bounds: Box;
  leafCapacity: number;
  maxDepth: number;
  uniqueIds: boolean;
  strictBounds: boolean;
  items: (Box & { id: number | string })[];
}

/** The methods that all kinds of versions have. No method changes a version; methods that edit
    return another version. */
declare abstract class Version {
  protected constructor();
  /** Returns the version as bytes in the file format of pqt. */
  toBytes(): Uint8Array;
  /** Returns 32 hexadecimal digits, which are equal for equal versions in every language. */
  fingerprint(): string;
  /** Returns whether two versions of the same kind are equal. */
  equals(other: this): boolean;
  /** Checks the invariants of this version, and returns it. */
  check(): this;
  /** Releases this version now rather than when the object is collected. Later calls throw. */
  free(): void;
  /** As free(), for `using`. */
  [Symbol.dispose](): void;
}

export type { Version };

/** The queries of a tree, which is a version or a draft. */
export interface TreeQueries extends Iterable<Item> {
  readonly size: number;
  /** The rectangle that the tree divides, as it was made with. */
  readonly bounds: Box;
  /** The smallest box around all items; null if there are none. It takes time in proportion to the nodes
      whose items reach its edge. */
  readonly extent: Box | null;

  /** Returns the item with this id as a new object; undefined if there is none. Needs uniqueIds. */
  find(id: Id): Item | undefined;
  /** Returns whether there is an item with this box and this id. */
  has(item: Item): boolean;
  /** Returns the items that have a relation to a window and that a filter accepts, as new objects in
      tree order. Sides of the window may be infinite. */
  search(window: Box, options?: SearchOptions): Item[];
  /** Returns the same items as arrays: four numbers per box, and the ids. */
  searchArrays(window: Box, options?: SearchOptions): { boxes: Float64Array; ids: BigUint64Array };
  /** Returns only the ids; throws a RangeError if one is above 2^32 - 1. */
  searchIds(window: Box, options?: SearchOptions): Uint32Array;
  searchBigIds(window: Box, options?: SearchOptions): BigUint64Array;
  all(): Item[];
  [Symbol.iterator](): Iterator<Item>;
  /** Returns whether search would find an item. */
  collides(window: Box, options?: SearchOptions): boolean;
  /** Returns the number of items that search would find. Without a filter, it takes time in proportion
      to the nodes at the edge of the window, not to the items. */
  count(window: Box, options?: SearchOptions): number;
  /** Returns the `most` items nearest to a point, nearest first; one item by default. */
  nearest(x: number, y: number, most?: number, maxDistance?: number): Near[];
  nearest(x: number, y: number, options: NearestOptions): Near[];
  /** Returns the `most` items nearest to a box, whose sides are finite. */
  nearest(box: Box, most?: number, maxDistance?: number): Near[];
  nearest(box: Box, options: NearestOptions): Near[];

  /** Returns each pair of different items that have a relation. `a` precedes `b` in tree order, except
      for 'inside' and 'covers': then `a` is the item that is inside, or the one that covers. It is one
      descent over pairs of nodes: O(items + pairs) for items spread evenly. */
  pairs(options?: PairOptions): Pair[];
  /** Returns each pair of an item of this tree and an item of another one, which may have other bounds
      and options. */
  pairs(other: PersistentTree | Draft, options?: JoinOptions): Pair[];
  /** Returns only the ids, two for each pair; throws a RangeError if one is above 2^32 - 1. */
  pairIds(options?: PairOptions): Uint32Array;
  pairIds(other: PersistentTree | Draft, options?: JoinOptions): Uint32Array;
  /** Returns the first item that a line hits; undefined if there is none. Numbers that are not finite
      are a RangeError. A line with a length of 0 hits the boxes that contain the point. */
  cast(line: Line, options?: FilterOptions): Hit | undefined;
  /** Returns all items that a line hits, front to back, those at the same entry in tree order. */
  castAll(line: Line, options?: FilterOptions): Hit[];
  /** Moves a shape in a straight line from one position to another, and returns where an item stops
      it. A shape that is inverted or not finite, also at a position, is a RangeError. With a filter, it
      first makes a tree of the items around the motion. */
  sweep(shape: Shape, from: Point, to: Point, options?: SweepOptions): ItemSweep;
  /** Like sweep, but after a hit the motion continues along the free axis, or along the tangent of a
      circle, for the rest of the distance there. `bounces` is the maximum number of times, 3 by
      default. */
  slide(shape: Shape, from: Point, to: Point, options?: SweepOptions & { bounces?: number | undefined }): ItemSlide;

  /** Returns the changes that turn this tree into another one with equal bounds and options. */
  diff(after: PersistentTree | Draft): Change[];
  /** Returns the pairs of items that began or ended between this tree and another one with equal bounds and
      options, without visiting the other pairs. Those that ended have the items of this tree. */
  pairChanges(after: PersistentTree | Draft, options?: PairOptions): PairChange[];
  /** Returns at most `most` boxes (16 by default, at most 65,536) that cover all old and new boxes of the
      items that differ, for instance to draw them again. Without a change, there are none. */
  damage(after: PersistentTree | Draft, most?: number): Box[];

  toJSON(): TreeJSON;
}

/** A tree that is edited in place between two versions, and read at any time. Edits return the draft. */
export interface Draft extends TreeQueries {
  /** Inserts an item. With uniqueIds, it replaces the item with the same id. */
  insert(item: Item): Draft;
  /** Removes the item with this box and this id, if there is one. */
  remove(item: Item): Draft;
  /** Changes the box of an item, if there is one. */
  move(item: Item, to: Box): Draft;
  /** Removes the item with this id, if there is one. Needs uniqueIds. */
  removeId(id: Id): Draft;
  /** Changes the box of the item with this id, if there is one. Needs uniqueIds. */
  moveId(id: Id, to: Box): Draft;
  /** Removes the items with these ids. Needs uniqueIds. */
  removeIds(ids: Ids): Draft;
  /** Changes the boxes of the items with these ids, one box for each id. Needs uniqueIds. */
  moveIds(ids: Ids, boxes: readonly Box[] | Float64Array): Draft;
  load(items: readonly Item[] | Float64Array): Draft;
  load(boxes: Float64Array, ids?: Ids): Draft;
  removeAll(items: readonly Item[] | Float64Array): Draft;
  removeAll(boxes: Float64Array, ids?: Ids): Draft;
  /** Returns the draft as a version. The draft continues, and never changes the version. */
  snapshot(): PersistentTree;
  /** Ends the draft, without the edits since its last snapshot. Later calls throw. */
  free(): void;
  /** As free(), for `using`. */
  [Symbol.dispose](): void;
}

/** The digest of the items of a cell: two cells with equal digests have equal items. */
export interface Digest {
  /** The number of items. */
  size: number;
  /** 32 hexadecimal digits. */
  fingerprint: string;
}

/** The answers of a tree on another machine, which has equal bounds and options. */
export interface Peer {
  /** Returns the result of `digest` of the other tree for each path. It is called about once for each
      level of the tree, and gets only children of cells that differ. */
  digests(paths: string[]): readonly Digest[] | Promise<readonly Digest[]>;
  /** Returns the result of `itemsAt` of the other tree for each path. Without it, no changes are found. */
  items?: ((paths: string[]) => readonly (readonly Item[])[] | Promise<readonly (readonly Item[])[]>) | undefined;
}

/** A cell in which two trees differ. */
export interface Mismatch {
  path: string;
  /** The cell; its items may extend beyond it. */
  box: Box;
  own: Digest;
  other: Digest;
  /** Removals and insertions that make this cell equal to that of the other tree. */
  changes?: { kind: 'insert' | 'remove'; item: Item }[];
}

export interface MergeOptions {
  /** The resolution for an id that both sides changed; 'error', the default, throws. */
  onConflict?: 'error' | 'ours' | 'theirs' | 'both' | 'neither' | 'base' | undefined;
}

/** One version of a set of boxes with ids. */
export class PersistentTree extends Version {
  /** Makes an empty tree. */
  constructor(options: TreeOptions & { bounds: Box });

  /** Makes a tree from items in bulk. Its bounds are the smallest box around the items. */
  static of(items: readonly Item[] | Float64Array, options?: TreeOptions): PersistentTree;
  /** Makes a tree from four numbers per box. Without ids, they are 0, 1, 2 and so on. */
  static of(boxes: Float64Array, ids: Ids | undefined, options?: TreeOptions): PersistentTree;
  static fromJSON(data: TreeJSON): PersistentTree;
  static fromBytes(bytes: Uint8Array): PersistentTree;

  load(items: readonly Item[] | Float64Array): PersistentTree;
  load(boxes: Float64Array, ids?: Ids): PersistentTree;
  /** Inserts an item. With uniqueIds, it replaces the item with the same id. */
  insert(item: Item): PersistentTree;
  /** Removes the item with this box and this id. If it is absent, the result equals this version. */
  remove(item: Item): PersistentTree;
  removeAll(items: readonly Item[] | Float64Array): PersistentTree;
  removeAll(boxes: Float64Array, ids?: Ids): PersistentTree;
  /** Changes the box of an item. If the item is absent, the result equals this version. */
  move(item: Item, to: Box): PersistentTree;
  /** Removes the item with this id. Needs uniqueIds. If there is none, the result equals this
      version. */
  removeId(id: Id): PersistentTree;
  /** Changes the box of the item with this id. Needs uniqueIds. If there is none, the result equals
      this version. */
  moveId(id: Id, to: Box): PersistentTree;
  /** Removes the items with these ids. Needs uniqueIds. Absent ids are ignored. */
  removeIds(ids: Ids): PersistentTree;
  /** Changes the boxes of the items with these ids, one box for each id. Needs uniqueIds. Absent ids
      are ignored. */
  moveIds(ids: Ids, boxes: readonly Box[] | Float64Array): PersistentTree;
  /** Returns a version with all edits that a function makes on a draft, which ends when the function
      returns. The function must not be async or a generator. If it throws, no version is made. */
  edit(change: (draft: Draft) => void | Draft): PersistentTree;
  /** Begins a draft of this version. Free it when it is no longer needed. */
  beginDraft(): Draft;
  clear(): PersistentTree;

  /** Iterates over the items that search would find, in arrays of `size` items (1,000 by default, at most 1,048,576); the
      last one may have fewer. Each is read when the loop asks for it: all together cost as much as
      search, and a loop that ends early reads no more. Throws if the tree is freed meanwhile. */
  pages(window: Box, options?: SearchOptions & { size?: number | undefined }): IterableIterator<Item[]>;
  /** Returns the digest of a cell, for findMismatches on another machine. A path leads from the root to a
      cell, and is a string that findMismatches passes; '' by default, which is the path of all items. A
      cell that the tree does not have gives the digest of no items. */
  digest(path?: string): Digest;
  /** Returns the items of a cell, in tree order. */
  itemsAt(path?: string): Item[];
  /** Returns the cells in which a tree on another machine differs. The changes of all cells, applied in
      order, turn this tree into the other one. Neither may be freed, nor the other one changed, meanwhile. */
  findMismatches(peer: Peer & { items: NonNullable<Peer['items']> }): Promise<(Mismatch & { changes: NonNullable<Mismatch['changes']> })[]>;
  findMismatches(peer: Peer): Promise<Mismatch[]>;

  /** Returns a version with only those items that search would find. Without a filter, it shares the
      nodes inside the window, and takes time in proportion to the nodes at its edge. */
  keep(window: Box, options?: SearchOptions): PersistentTree;
  /** Returns a version in which the items of a window are those of an older version, with equal bounds
      and options: an undo within the window. With uniqueIds, an item that comes back replaces the one
      with its id. */
  restore(old: PersistentTree, window: Box, options?: { relation?: Relation | undefined; surface?: Surface | undefined }): PersistentTree;
  /** Returns a version with the changes of both sides, which must derive from this version. */
  merge(ours: PersistentTree, theirs: PersistentTree,
    options?: MergeOptions): PersistentTree;
  /** Returns the items of either tree; both have equal bounds and options. With uniqueIds, an id with
      different boxes is a conflict, as in a merge: `this` is ours, and `other` theirs. Like the next
      two, it takes time in proportion to the nodes that the trees do not share. */
  union(other: PersistentTree, options?: MergeOptions): PersistentTree;
  /** Returns the items that are in both trees, with equal boxes and ids. */
  intersection(other: PersistentTree): PersistentTree;
  /** Returns the items of this tree without those that are also in the other one. */
  difference(other: PersistentTree): PersistentTree;
}

export interface PersistentTree extends TreeQueries {}

/** An id or a number in a map: an integer from 0 to 2^53 - 1, or a bigint below 2^64. */
export type Id = number | bigint;
/** Bytes, or a string that is encoded as UTF-8. */
export type Bytes = string | Uint8Array;

export type MapKeyKind = 'ids' | 'bytes';
export type MapValueKind = 'numbers' | 'bytes';
/** A key of a map, by the kind of its keys. */
export type MapKey<K extends MapKeyKind = MapKeyKind> = K extends 'ids' ? Id : Bytes;
/** A value that is put into a map, by the kind of its values. */
export type MapValue<V extends MapValueKind = MapValueKind> = V extends 'numbers' ? Id : Bytes;
/** A value that a map returns. */
export type MapResult<V extends MapValueKind = MapValueKind> = V extends 'numbers' ? Id : Uint8Array;

export interface MapOptions<K extends MapKeyKind = MapKeyKind, V extends MapValueKind = MapValueKind> {
  /** The kind of the keys, 'ids' by default. A byte key has at most 32 bytes. */
  keys?: K | undefined;
  /** The kind of the values, 'numbers' by default. */
  values?: V | undefined;
}

export interface MapChange<K extends MapKeyKind = MapKeyKind, V extends MapValueKind = MapValueKind> {
  key: MapKey<K>;
  /** The value before the change; undefined if the key had none. */
  before: MapResult<V> | undefined;
  /** The value after the change; undefined if the key has none. */
  after: MapResult<V> | undefined;
}

/** A key to which the two sides of a merge gave different values. A value is undefined if the key
    has none. */
export interface MapConflict<K extends MapKeyKind = MapKeyKind, V extends MapValueKind = MapValueKind> {
  key: MapKey<K>;
  base: MapResult<V> | undefined;
  ours: MapResult<V> | undefined;
  theirs: MapResult<V> | undefined;
}

/** The resolution of a conflict: the version whose value is kept, or 'neither', which removes the
    key. */
export type Decision = 'ours' | 'theirs' | 'neither' | 'base';

/** The queries of a map, which is a version or a draft. */
export interface MapQueries<K extends MapKeyKind = MapKeyKind, V extends MapValueKind = MapValueKind> extends Iterable<[MapKey<K>, MapResult<V>]> {
  /** Returns the value of a key; undefined if it has none. */
  get(key: MapKey<K>): MapResult<V> | undefined;
  /** Returns the value as a string; throws a TypeError if it is not UTF-8. */
  getText(key: MapKey<K>): string | undefined;
  has(key: MapKey<K>): boolean;
  readonly size: number;
  readonly keyKind: K;
  readonly valueKind: V;
  entries(): [MapKey<K>, MapResult<V>][];
  /** Returns the same as two columns, without an object for each entry. */
  columns(): { keys: K extends 'bytes' ? ByteColumn : BigUint64Array; values: V extends 'bytes' ? ByteColumn : BigUint64Array };
  keys(): MapKey<K>[];
  values(): MapResult<V>[];
  [Symbol.iterator](): Iterator<[MapKey<K>, MapResult<V>]>;
  /** Returns the keys whose values differ between this map and another one of the same kinds. */
  diff(after: PersistentMap<K, V> | MapDraft<K, V>): MapChange<K, V>[];
}

/** Byte strings that follow each other: each ends before its place in `ends`, and begins where the one
    before ends. */
export interface ByteColumn {
  bytes: Uint8Array;
  ends: Uint32Array;
}

/** An array, a typed array of ids or numbers, or byte strings that follow each other. */
export type Column<T> = readonly T[] | (T extends number | bigint ? BigUint64Array | Uint32Array | Uint16Array | Uint8Array | Float64Array : ByteColumn);

/** A map that is edited in place between two versions, and read at any time. Edits return the draft. */
export interface MapDraft<K extends MapKeyKind = MapKeyKind, V extends MapValueKind = MapValueKind> extends MapQueries<K, V> {
  set(key: MapKey<K>, value: MapValue<V>): MapDraft<K, V>;
  setAll(entries: Iterable<readonly [MapKey<K>, MapValue<V>]>): MapDraft<K, V>;
  setColumns(keys: Column<MapKey<K>>, values: Column<MapValue<V>>): MapDraft<K, V>;
  /** Removes a key and its value, if there is one. */
  delete(key: MapKey<K>): MapDraft<K, V>;
  deleteAll(keys: Iterable<MapKey<K>> & object): MapDraft<K, V>;
  /** Returns the draft as a version. The draft continues, and never changes the version. */
  snapshot(): PersistentMap<K, V>;
  /** Ends the draft, without the edits since its last snapshot. Later calls throw. */
  free(): void;
  /** As free(), for `using`. */
  [Symbol.dispose](): void;
}

/** One version of a map. The order of its entries depends on the keys alone. K and V are the kinds of
    its keys and values, as in MapOptions. */
export class PersistentMap<K extends MapKeyKind = 'ids', V extends MapValueKind = 'numbers'> extends Version {
  /** Makes an empty map. */
  constructor(options?: MapOptions<K, V>);
  static of<K extends MapKeyKind = 'ids', V extends MapValueKind = 'numbers'>(
    entries: Iterable<readonly [MapKey<K>, MapValue<V>]>, options?: MapOptions<K, V>): PersistentMap<K, V>;
  /** Makes a map from as many keys as values. */
  static ofColumns<K extends MapKeyKind = 'ids', V extends MapValueKind = 'numbers'>(
    keys: Column<MapKey<K>>, values: Column<MapValue<V>>, options?: MapOptions<K, V>): PersistentMap<K, V>;
  static fromBytes<K extends MapKeyKind = MapKeyKind, V extends MapValueKind = MapValueKind>(bytes: Uint8Array): PersistentMap<K, V>;

  set(key: MapKey<K>, value: MapValue<V>): PersistentMap<K, V>;
  /** Sets the values of several keys. If a key occurs several times, its last value is used. */
  setAll(entries: Iterable<readonly [MapKey<K>, MapValue<V>]>): PersistentMap<K, V>;
  /** Sets the values of as many keys, like setAll, without a pair for each. */
  setColumns(keys: Column<MapKey<K>>, values: Column<MapValue<V>>): PersistentMap<K, V>;
  /** Removes a key and its value. If the key is absent, the result equals this version. */
  delete(key: MapKey<K>): PersistentMap<K, V>;
  /** Removes many keys. A string is one key, not an iterable of keys. */
  deleteAll(keys: Iterable<MapKey<K>> & object): PersistentMap<K, V>;
  /** Returns a version with all edits that a function makes on a draft, as if they were made one
      after another. The function must not be async or a generator. If it throws, no version is
      made. */
  edit(change: (draft: MapDraft<K, V>) => void | MapDraft<K, V>): PersistentMap<K, V>;
  /** Begins a draft of this version. Free it when it is no longer needed. */
  beginDraft(): MapDraft<K, V>;

  /** Returns a version with the changes of both sides, which must derive from this version. */
  merge(ours: PersistentMap<K, V>, theirs: PersistentMap<K, V>, options?: {
    onConflict?: 'error' | Decision | ((conflict: MapConflict<K, V>) => Decision | { value: MapValue<V> }) | undefined;
  }): PersistentMap<K, V>;
}

export interface PersistentMap<K extends MapKeyKind = 'ids', V extends MapValueKind = 'numbers'> extends MapQueries<K, V> {}

export interface HistoryEntry {
  number: number;
  /** The number of the entry that this entry follows; 0 for the first entry. */
  parent: number;
  /** The number of undo steps from this entry to the first one. */
  depth: number;
  /** The number of entries that follow this entry directly; 0 at the tip of a branch. */
  children: number;
  time: number;
  label: string;
  name: string | null;
  isCurrent: boolean;
  isSaved: boolean;
  /** Whether this entry is the current one or an ancestor of it. */
  isOnPath: boolean;
}

/** Sizes of a history. */
export interface HistoryStats {
  entries: number;
  /** The number of entries without children. */
  branches: number;
  /** Bytes of the versions, with shared blocks counted once. */
  bytes: number;
  /** Memory of the index of changes; 0 without an index. */
  indexBytes: number;
  /** Memory of the entries with their labels and names. */
  entryBytes: number;
}

/** Sizes of an entry among its neighbours, which are its parent and its children. */
export interface EntryBytes {
  /** Bytes of its version. */
  all: number;
  /** Those that its parent does not share. */
  added: number;
  /** Those that a neighbour shares. */
  shared: number;
  /** Those that dropping the entry frees, if nothing else refers to them. */
  freed: number;
}

/** Options of History.lastChange and changes. */
export interface PastOptions {
  window?: Box | undefined;
  /** 'touches' by default. */
  relation?: Relation | undefined;
  /** The number of the entry at which the path ends, by default the current one. */
  tip?: number | undefined;
  /** The name of the tree, in a history of documents with several. */
  part?: string | undefined;
}

/** The last change up to an entry of a history. */
export interface LastChange {
  /** The number of the entry that made the change. */
  entry: number;
  /** The number of its parent, which is the `tip` for finding the change before this one. */
  before: number;
  /** The time of the entry. */
  time: number;
}

/** The resolution of a conflict in a merge of documents; 'both' keeps the boxes of both sides. */
export type DocumentDecision = Decision | 'both';

/** A change in a part. A region, an image or a world that differs counts as one change. */
export type DocumentChange =
  | { part: string; kind: 'tree'; change: 'insert' | 'remove'; item: Item }
  | { part: string; kind: 'tree'; change: 'move'; item: Item; to: Box }
  | ({ part: string; kind: 'map' } & MapChange)
  | { part: string; kind: 'region' | 'image' | 'world' };

/**
 * A change that both sides made differently: an item; an item that one side removed while the other
 * changed it or its attributes; an entry of a map; pixels of an image, in a box; or a world or the size
 * of an image. Regions are merged pixel by pixel and never conflict. If the boxes of a side are empty,
 * that side removed the item.
 */
export type DocumentConflict =
  | { kind: 'item' | 'removedItem'; part: string; id: Id; base: Box[]; ours: Box[]; theirs: Box[] }
  | ({ kind: 'entry'; part: string } & MapConflict)
  | { kind: 'part'; part: string }
  | { kind: 'pixels'; part: string; box: Box };

/** A resolution by content: boxes for an item, a value for an entry, or a version for a part. */
export type DocumentAnswer = { boxes: Box[] } | { value: Id | Bytes } | { version: PersistentImage | World };

export type Part = PersistentTree | PersistentMap<any, any> | Region | PersistentImage | World;

/** One version of up to 16 named parts that change together. */
export class Document extends Version {
  private constructor();
  /** Makes a document from parts. A map that is keyed by a tree with uniqueIds holds attributes of
      its items. */
  static of(parts: Record<string, Part | { map: PersistentMap<any, any>; keyedBy: string }>): Document;
  static fromBytes(bytes: Uint8Array): Document;

  /** The parts in the order of their names. */
  readonly parts: { name: string; kind: 'tree' | 'map' | 'region' | 'image' | 'world'; keyedBy: string | null }[];
  /** Returns a part as a new object; throws a RangeError if no part has this name. */
  get<P extends Part = Part>(name: string): P;
  /** Replaces a part. If a tree loses items, their attributes are removed. */
  set(name: string, version: Part): Document;
  set(parts: Record<string, Part>): Document;

  diff(after: Document): DocumentChange[];
  /** Returns a version with the changes of both sides, which must derive from this version. */
  merge(ours: Document, theirs: Document, options?: {
    onConflict?: 'error' | DocumentDecision | ((conflict: DocumentConflict) => DocumentDecision | DocumentAnswer) | undefined;
  }): Document;
}

/** An image: a pixel is in the region if its byte is above the threshold. */
export interface PixelOptions {
  /** The width in pixels. */
  width: number;
  height: number;
  /** The number of bytes from a row to the one below; width * pixelStride by default. */
  stride?: number | undefined;
  /** The number of bytes from a pixel to the next: 1 by default, 4 for RGBA. */
  pixelStride?: number | undefined;
  /** The index of the first pixel's byte in the array: 3 for the alpha of RGBA; 0 by default. */
  offset?: number | undefined;
  /** A number from 0 to 255; 0 by default. */
  threshold?: number | undefined;
  /** The position of the upper left pixel; 0, 0 by default. */
  x?: number | undefined;
  y?: number | undefined;
}

/** A box of pixels, or a round pen drawn from x, y to toX, toY, which are x, y by default. */
export type Primitive =
  | { box: Box }
  | { x: number; y: number; toX?: number | undefined; toY?: number | undefined; /** the radius of the pen; 0.5 by default */ radius?: number | undefined };

export type Paint = { op?: 'set' | 'clear' | 'toggle' | undefined } & Primitive;

/** A displacement: 0, 0 by default. */
export interface Offset {
  x?: number | undefined;
  y?: number | undefined;
}

export type Transform = 'flipX' | 'flipY' | 'rotate180' | 'flipDiagonal' | 'rotate90' | 'rotate270' | 'flipAntidiagonal';

export interface Sweep {
  status: 'free' | 'touches' | 'hits' | 'overlaps';
  /** The point of the path at which the region stops, from 0 to 1. */
  time: number;
  /** The position at which the region stops. */
  x: number;
  y: number;
  blockedX: boolean;
  blockedY: boolean;
  /** A vector of length 1 that points out of the obstacle; 0, 0 if nothing blocks. */
  normalX: number;
  normalY: number;
  /** The shortest displacement that separates the regions, if they overlap at the start. */
  outX: number;
  outY: number;
  /** The time at which they would be apart, if they overlap at the start; otherwise 0. */
  exit: number;
  /** If the region is blocked, a pixel of it and a pixel of the other region that would overlap
      next. For a shape, the first one is 0, 0. */
  met: { x: number; y: number; otherX: number; otherY: number } | null;
}

/** The time, the normal, the displacement and the pixels describe the last obstruction on the
 * path. */
export interface Slide extends Sweep {
  /** The number of times that the region gave up motion along an axis. */
  bounces: number;
}

/** Cells that are tested instead of pixels: squares whose sides are powers of two, aligned to the
    point 0, 0 of each region. */
export interface CellOptions {
  /** The side of the region's cells, in pixels; 1 by default. */
  cell?: number | undefined;
  /** The side of the other region's cells, in pixels. */
  otherCell?: number | undefined;
  /** 'outer', the default: a cell counts if any of its pixels is set. 'inner': it counts if all of
      its pixels are set. */
  kind?: 'outer' | 'inner' | undefined;
}

export interface MotionOptions {
  /** Whether a mover that overlaps at the start moves freely until it is out; false by default. */
  ignoreOverlap?: boolean | undefined;
}

/** A box of any coordinates, or a circle. */
export type PixelShape = Box | { x: number; y: number; radius: number };

/** The first pixel that a line hits. */
export interface PixelHit {
  x: number;
  y: number;
  /** A fraction of the segment, or a multiple of the direction. */
  entry: number;
  /** A vector of length 1 out of the side that the line enters; 0, 0 if it starts inside. */
  normalX: number;
  normalY: number;
  inside: boolean;
}

/** The centroid of a region, the means of the products of the distances of its pixels from it, and the
    vector of length 1 along which it extends most. */
export interface Moments {
  x: number;
  y: number;
  xx: number;
  xy: number;
  yy: number;
  axisX: number;
  axisY: number;
}

/** One version of a set of pixels: unit squares named by integers within 2^20 of 0; y points down. */
/** How a pixel that is covered in part is chosen. */
export type Sampling = 'nearest' | 'area';
/** The numbers of a map of the plane, with the names of a DOMMatrix. */
export type Matrix = Readonly<{ a: number; b: number; c: number; d: number; e: number; f: number }>;

export class Region extends Version {
  /** Makes a region without pixels. */
  constructor();
  static ofPixels(bytes: Uint8Array | Uint8ClampedArray, options: PixelOptions): Region;
  /** Makes a region from boxes, which are half open: they do not contain maxX and maxY. */
  static ofBoxes(boxes: readonly Box[] | Int32Array): Region;
  /** Makes a region from runs, three numbers each: the row, the first column, and the one after the last. */
  static ofRuns(runs: Int32Array): Region;
  static fromBytes(bytes: Uint8Array): Region;

  /** Paints primitives in order. */
  paint(...primitives: (Paint | readonly Paint[])[]): Region;
  /** Here and in the next three methods, the other region is first moved by `at`, in whole pixels. */
  union(other: Region, at?: Offset): Region;
  intersection(other: Region, at?: Offset): Region;
  difference(other: Region, at?: Offset): Region;
  xor(other: Region, at?: Offset): Region;
  move(x: number, y: number): Region;
  scale(factorX: number, factorY?: number): Region;
  /** Flips or rotates the region about the point 0, 0. */
  transform(name: Transform): Region;
  /** Adds the neighbours of all pixels, `steps` times. A pixel has 8 neighbours by default. */
  dilate(steps: number, connectivity?: 4 | 8): Region;
  erode(steps: number, connectivity?: 4 | 8): Region;
  /** Returns the pixels with a distance of at most `radius` from a pixel of the region. */
  dilateDisc(radius: number): Region;
  /** Returns the pixels whose distance from all pixels outside the region is above `radius`. */
  erodeDisc(radius: number): Region;
  /** Returns lines that are one pixel wide in the middle of the region. */
  skeleton(): Region;
  /** Returns the squared distance of each pixel of a window to the nearest pixel of the window that is in
      the region, the default, or outside of it, row by row; 2^32 - 1 if there is none. */
  squaredDistances(window?: Box, to?: 'region' | 'outside'): Uint32Array;
  /** Returns the pixels of a box, the bounds by default, scaled to a width and a height, with the upper
      left corner 0, 0. With 'nearest', the default, a pixel is set if its centre comes from the region,
      with 'area', if half of its area does. */
  resize(width: number, height: number, box?: Box, sampling?: Sampling): Region;
  /** Returns the region mapped by a DOMMatrix: the point x, y goes to a x + c y + e, b x + d y + f. */
  map(matrix: Matrix, sampling?: Sampling): Region;
  /** Returns the region rotated about a point, 0, 0 by default, so that the x axis turns onto a heading,
      which may have any length. */
  rotate(heading: Readonly<{ x: number; y: number }>, centre?: Offset, sampling?: Sampling): Region;
  /** Returns the box of the offsets of another region at which the bounds of both overlap. */
  overlapOffsets(other: Region): Box;
  /** Returns the number of pixels in common with another region, at each offset of a box, row by row;
      of `overlapOffsets` by default. */
  convolve(other: Region, offsets?: Box): Uint32Array;
  /** Returns the pixels that have a neighbour outside the region. Here and below, a pixel has 4
      neighbours by default. */
  outline(connectivity?: 4 | 8): Region;
  component(x: number, y: number, connectivity?: 4 | 8): Region;
  /** Returns the connected parts of at least `minimum` pixels; all by default. */
  components(connectivity?: 4 | 8, minimum?: number): Region[];
  /** Returns the connected part with the most pixels; the first of several. */
  largestComponent(connectivity?: 4 | 8): Region;
  /** Returns the edges as polygons, a list for each component: its outer contour, clockwise on a screen,
      and its holes. A polygon has two numbers per corner. With a tolerance in pixels, it is simplified. */
  contours(connectivity?: 4 | 8, tolerance?: number): Int32Array[][];
  crop(box: Box): Region;
  /** Returns the pixels of a box that are not in the region. */
  complement(box: Box): Region;
  /** Returns the same pixels, with equal squares stored once. */
  intern(): Region;

  /** The number of pixels. */
  readonly size: number;
  readonly bounds: Box;
  moments(): Moments;
  count(window: Box): number;
  has(x: number, y: number): boolean;
  /** Returns boxes that cover exactly the pixels in a window, row by row. */
  boxes(window?: Box): Box[];
  /** Returns the pixels of a window as runs, three numbers each, as in ofRuns. */
  runs(window?: Box): Int32Array;
  /** Returns the squares of the quadtree that contain pixels, each before its parts. A leaf has 64 x 64
      pixels, of which `count` are in the region. */
  squares(): (Box & { kind: 'inner' | 'leaf' | 'full'; count: number })[];
  /** Returns a byte for each pixel of a window, row by row: `value`, 255 by default, if it is in
      the region, otherwise 0. */
  toPixels(window?: Box, value?: number): Uint8Array;
  /** Returns boxes that cover all pixels in which the versions differ; at most `most`, if it is given. */
  diff(after: Region, most?: number): Box[];

  /** Returns whether any pixels overlap. Here and below, the offset of the other region need not be
      whole. */
  overlaps(other: Region, at?: Offset, cells?: CellOptions): boolean;
  overlapArea(other: Region, at?: Offset): number;
  /** Returns the first pair of pixels that overlap, each in its own coordinates, as it comes first from a
      side: 'top', the default, goes row by row, 'left' column by column. */
  firstOverlap(other: Region, at?: Offset, side?: 'top' | 'bottom' | 'left' | 'right'): { x: number; y: number; otherX: number; otherY: number } | null;
  /** Returns all pairs of pixels that overlap, as rectangles of six numbers: x, y, otherX, otherY, width
      and height. */
  overlapPairs(other: Region, at?: Offset): Int32Array;
  overlapsShape(shape: PixelShape): boolean;
  /** Returns the first pixel that a segment or a ray hits. */
  cast(line: Line): PixelHit | null;
  /** Moves this region from one offset to another until the other region stops it. */
  sweep(from: Offset, to: Offset, other: Region, options?: CellOptions & MotionOptions): Sweep;
  /** Like sweep, but if one axis is blocked, the region continues along the other one, at most
      `bounces` times, 2 by default. */
  slide(from: Offset, to: Offset, other: Region, options?: CellOptions & MotionOptions & { bounces?: 0 | 1 | 2 | undefined }): Slide;
  /** Moves a shape, a box or the radius of a circle, until this region stops it. */
  sweepShape(shape: Box | number, from: Point, to: Point, options?: MotionOptions): Sweep;
  /** Like sweepShape, but the shape slides along the region, at most `bounces` times, 3 by default. */
  slideShape(shape: Box | number, from: Point, to: Point, options?: MotionOptions & { bounces?: number | undefined }): Slide;
}

/** Red, green, blue and alpha, from 0 to 255, not multiplied by alpha; without an alpha, the colour is opaque. */
export type Colour = readonly [r: number, g: number, b: number, a?: number] | Uint8Array | Uint8ClampedArray;

/** How a colour is drawn: over the pixels, or in their place, with its alpha. */
export interface InkOptions {
  mode?: 'over' | 'replace' | undefined;
}

/** Pixels of four bytes, such as an ImageData. */
export interface RgbaPixels {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  /** The number of bytes from a row to the one below; 4 * width by default. */
  readonly stride?: number | undefined;
}

/** The property of the pixels of a selection. */
export type Selection =
  | { alpha: number; light?: undefined; colour?: undefined }
  | { light: number; alpha?: undefined; colour?: undefined }
  | { colour: Colour; tolerance?: number | undefined; alpha?: undefined; light?: undefined };

export type ImageDecision = 'error' | 'ours' | 'theirs' | 'base';

export type ImageMapOptions = { width?: number | undefined; height?: number | undefined; sampling?: Sampling | undefined };

/** One version of a picture of 8-bit RGBA, whose size never changes. Drawing beyond its edges has no
    effect. The mode of an edit is 'over' by default, except for `flood`. */
export class PersistentImage extends Version {
  /** Makes an image of one colour; [0, 0, 0, 0] by default. */
  constructor(options: { width: number; height: number; colour?: Colour | undefined });
  /** Makes an image of pixels, which are copied once, into the memory of the library. */
  static of(pixels: RgbaPixels): PersistentImage;
  static fromBytes(bytes: Uint8Array): PersistentImage;

  /** Draws primitives in one colour. */
  paint(primitives: Primitive | readonly Primitive[], colour: Colour, options?: InkOptions): PersistentImage;
  /** Draws the pixels of a region. */
  fill(region: Region, colour: Colour, options?: InkOptions & Offset): PersistentImage;
  /** Draws a box of another image at x, y; all of it by default. */
  blit(source: PersistentImage, options?: InkOptions & Offset & { box?: Box | undefined }): PersistentImage;
  /** Draws the area of a pixel: all that can be reached over edges, and whose channels each differ from
      those of the pixel by at most the tolerance, 0 by default. The mode is 'replace' by default. */
  flood(x: number, y: number, colour: Colour, options?: InkOptions & { tolerance?: number | undefined }): PersistentImage;

  /** Returns a box of the image, all of it by default, scaled to a width and a height. With 'nearest', the
      default, a pixel has the colour of the one that its centre comes from, with 'area', the mean of the
      pixels that cover it, weighted by area and alpha. */
  resize(width: number, height: number, box?: Box, sampling?: Sampling): PersistentImage;
  /** Returns the image mapped by a DOMMatrix: the point x, y goes to a x + c y + e, b x + d y + f. The result
      has the size of the image by default; what is mapped elsewhere is left out. */
  map(matrix: Matrix, options?: ImageMapOptions): PersistentImage;
  /** Returns the image rotated about a point, 0, 0 by default, so that the x axis turns onto a heading, which
      may have any length. */
  rotate(heading: Readonly<{ x: number; y: number }>, options?: ImageMapOptions & { centre?: Offset | undefined }): PersistentImage;

  readonly width: number;
  readonly height: number;
  /** Returns the colour of a pixel; zeros outside the image. */
  pixel(x: number, y: number): [r: number, g: number, b: number, a: number];
  /** Returns the pixels of a window, for `new ImageData(image.toPixels(), image.width)`; all by default. */
  toPixels(window?: Box): ReturnType<Uint8ClampedArray['slice']>;
  /** Writes them into an array of that length, and returns it. */
  toPixels<P extends Uint8Array | Uint8ClampedArray>(window: Box | undefined, into: P): P;
  /** Returns the pixels whose alpha or brightness, (77 r + 150 g + 29 b) / 256, is above a threshold, or
      whose channels each differ from a colour by at most the tolerance, 0 by default. */
  select(by: Selection): Region;

  /** Returns boxes that cover all pixels in which two versions of one size differ. */
  diff(after: PersistentImage): Box[];
  /** Returns boxes around the pixels that both sides changed to different colours, one for each square of
      16 x 16 pixels, or a larger one that is in conflict as a whole. */
  conflicts(ours: PersistentImage, theirs: PersistentImage): Box[];
  /** Returns a version with the changes of both sides, pixel by pixel. A function decides the conflicts
      of each box of `conflicts`. */
  merge(ours: PersistentImage, theirs: PersistentImage, options?: {
    onConflict?: ImageDecision | ((box: Box) => ImageDecision) | undefined;
  }): PersistentImage;
}

/** A ball. Lengths are in world units, velocities in world units per second. */
export interface Body {
  id: Id;
  x: number;
  y: number;
  vx: number;
  vy: number;
  ax: number;
  ay: number;
  radius: number;
  mass: number;
  /** Whether it never moves; other bodies bounce off it. */
  fixed: boolean;
  /** Whether it moves at its velocity, which no contact changes; other bodies bounce off it. */
  kinematic: boolean;
  /** Whether it is a sensor: it collides with no body, and steps list the bodies that enter and
      leave it. */
  sensor: boolean;
  /** Whether `friction` applies even if it is 0, so that the surface has none. */
  ownFriction: boolean;
  /** The coefficient of friction of its surface, a 32-bit number; 0: the option of the step
      applies, unless `ownFriction` is set. */
  friction: number;
  /** The angle in radians, from the x axis toward the y axis. */
  angle: number;
  /** The angular velocity in radians per second. */
  angularVelocity: number;
  /** A number that the package ignores, for your own use. */
  data: Id;
  /** The bits of the categories to which the body belongs. */
  category: number;
  /** The bits of the categories that the body meets; 0: all categories. */
  mask: number;
}

/** A body to be added. Its mass is its area by default; other members that are missing are 0. */
export type NewBody = { [M in keyof Body]?: Body[M] | undefined } & Pick<Body, 'id' | 'x' | 'y' | 'radius'>;

export interface BodyArrays {
  /** Eight numbers per body: x, y, vx, vy, ax, ay, radius, mass. */
  figures: Float64Array;
  ids: BigUint64Array;
  /** For each body, the sum of 1 if it is fixed, 2 if it is kinematic, 4 if it is a sensor and 8
      if its friction is its own. */
  roles: Uint8Array;
  data: BigUint64Array;
  categories: Uint32Array;
  masks: Uint32Array;
  /** Two numbers per body: angle, angularVelocity. */
  spins: Float64Array;
  frictions: Float32Array;
}

/** Bodies to be added, as arrays. The ids are 0, 1, 2 and so on if none are given. */
export interface NewBodyArrays {
  figures: Float64Array;
  ids?: BigUint64Array | Uint32Array | undefined;
  roles?: Uint8Array | undefined;
  data?: BigUint64Array | Uint32Array | undefined;
  categories?: Uint32Array | undefined;
  masks?: Uint32Array | undefined;
  spins?: Float64Array | undefined;
  frictions?: Float32Array | undefined;
}

/** Counts that steps increase. */
export interface StepReport {
  tests?: number | undefined;
  contacts?: number | undefined;
  bounces?: number | undefined;
  obstacleHits?: number | undefined;
  overlaps?: number | undefined;
  separated?: number | undefined;
  clusters?: number | undefined;
  passes?: number | undefined;
  resting?: number | undefined;
  plastic?: number | undefined;
  delayed?: number | undefined;
  embedded?: number | undefined;
  squares?: number | undefined;
  asleep?: number | undefined;
  woken?: number | undefined;
  visited?: number | undefined;
  /** An upper bound on the energy that separating overlapping bodies added. */
  separationEnergy?: number | undefined;
}

export interface StepOptions {
  /** The restitution of contacts, from 0 (plastic) to 1 (elastic); 1 by default. */
  restitution?: number | undefined;
  gravity?: Offset | undefined;
  /** Each step divides velocities by 1 + damping * dt. */
  damping?: number | undefined;
  /** If the restitution is below 1, bodies that approach no faster than this do not bounce. */
  restSpeed?: number | undefined;
  /** The number of contacts after which a step delays bodies; 0, the default: it depends on their
      number. */
  contactBudget?: number | undefined;
  /** The number of quiet steps after which resting bodies fall asleep; 60 by default; 0: never. */
  sleepSteps?: number | undefined;
  /** The coefficient of friction of walls, the obstacle, and bodies without one of their own; 0 by
      default. */
  friction?: number | undefined;
  /** Whether the returned version lists the events of the step; see World.events. */
  events?: boolean | undefined;
  /** An object to which the step adds its counts. */
  report?: StepReport | undefined;
}

/** An event of a step. The list of a step has the resting contacts that begin and end first, then
 * the hits in order of time, then the events of sensors. */
export interface ContactEvent {
  /** The time in seconds since the step began. */
  time: number;
  kind: 'hit' | 'begin' | 'end' | 'sensorBegin' | 'sensorEnd';
  /** Whether the body met another body, a wall, or the obstacle. */
  side: 'body' | 'left' | 'right' | 'upper' | 'lower' | 'obstacle';
  low: Id;
  /** The higher id; the same as `low` if only one body is involved. */
  high: Id;
  /** The momentum that was exchanged: mass times speed. */
  impulse: number;
  x: number;
  y: number;
  /** A unit vector from the body `low` toward what it met. */
  normalX: number;
  normalY: number;
}

/** One version of a set of moving balls. */
export class World extends Version implements Iterable<Body> {
  /** Makes an empty world. Its bounds are walls, unless walls is false. */
  constructor(options: { bounds: Box; walls?: boolean | undefined; leafCapacity?: number | undefined });
  static fromBytes(bytes: Uint8Array): World;

  add(bodies: NewBody | readonly NewBody[] | NewBodyArrays): World;
  /** Replaces the bodies with these ids; absent ids change nothing. */
  change(bodies: NewBody | readonly NewBody[] | NewBodyArrays): World;
  remove(...ids: (Id | readonly Id[])[]): World;
  /** Returns the empty world with the same bounds, options and obstacle. */
  clear(): World;
  /** Sets the region that bodies bounce off, with its pixel 0, 0 at `at`; null removes the
      obstacle. */
  setObstacle(region: Region | null, at?: Offset): World;
  readonly obstacle: { region: Region; x: number; y: number } | null;
  /** Returns whether a ball would overlap the obstacle. */
  isObstructed(x: number, y: number, radius: number): boolean;
  /** Returns the world after dt seconds. */
  step(dt: number, options?: StepOptions): World;

  readonly size: number;
  readonly bounds: Box;
  readonly walls: boolean;
  /** Returns a version with only the bodies whose boxes have a relation to a window, by default
      'touches'. */
  keep(window: Box, options?: { relation?: Relation | undefined }): World;
  /** Returns the bodies whose boxes have a relation to a window, by default 'touches'; without a window,
      all bodies. */
  bodies(window?: Box, options?: { relation?: Relation | undefined }): Body[];
  [Symbol.iterator](): Iterator<Body>;
  arrays(window?: Box, options?: { relation?: Relation | undefined }): BodyArrays;
  get(id: Id): Body | null;
  /** Returns whether a body is asleep: it rests, and steps leave it as it is until something
      touches it. */
  isAsleep(id: Id): boolean;
  /** Returns the bodies whose surfaces are nearest to a point, nearest first. */
  nearest(x: number, y: number, most?: number): (Body & { distance: number })[];
  /** Returns the events of the step that made this version, if its option `events` was set. */
  events(): ContactEvent[];
  /** Returns the bodies that entered or left a zone since an earlier version. A zone is a box, or a
      region with its pixel 0, 0 at x, y. */
  crossings(earlier: World, zone: Box | ({ region: Region } & Offset)): { body: Body; entered: boolean }[];
  /** The boxes of the bodies, as a tree. */
  readonly tree: PersistentTree;
  stats(): { bodies: number; cells: number; bytes: number; energy: number; momentumX: number; momentumY: number };
  /** Returns the lowest id whose body differs; null if there is none. */
  differs(other: World): Id | null;
}

/** The steps of a world. One world is stored every `every` steps, and the others are recomputed. */
export class Recording {
  /** Starts a recording with a world as step 0. A world is stored every `every` steps, 16 by
      default. */
  constructor(first: World, dt: number, options?: Omit<StepOptions, 'report'> & { every?: number | undefined });
  /** Makes and records the next step. */
  step(options?: { report?: StepReport | undefined }): World;
  /** The number of the last step. */
  readonly last: number;
  /** The number of stored worlds. */
  readonly kept: number;
  /** Returns the world after a step. */
  at(step: number): World;
  fingerprint(step: number): string;
  /** Repeats all steps. Returns true if they give the same worlds; otherwise, throws an Error that
      names the first step that differs. */
  verify(): boolean;
  /** Returns the first step at which two recordings differ, among those that both have, and the lowest
      id of a body that differs there; null if there is none. */
  compare(other: Recording): { step: number; body: Id } | null;
  /** Releases all stored worlds now. Later calls throw. */
  free(): void;
  /** As free(), for `using`. */
  [Symbol.dispose](): void;
}

/** A history of versions of one kind, with undo, redo, branches and labels. It holds all versions
    that were pushed. */
export class History<V extends Version = PersistentTree> {
  /** Makes a history whose entry 0 is a version. Beyond a limit, it drops older entries. lastChange and
      lastItemChange need `indexed`; then the versions must be trees, or documents with trees, that all
      have equal bounds and options. */
  constructor(first: V, options?: { maxEntries?: number | undefined; maxBytes?: number | undefined; indexed?: boolean | undefined; time?: number | undefined });
  /** Makes a history from bytes that toBytes returned, in JavaScript or in another language. Throws if
      they are not a history, or damaged. The limits hold for later pushes, and the next push adds an
      entry, whatever its key. `pqt/trees` does not have it. */
  static fromBytes<V extends Version = PersistentTree>(bytes: Uint8Array, options?: { maxEntries?: number | undefined; maxBytes?: number | undefined; indexed?: boolean | undefined }): History<V>;
  /** Returns the bytes of the history: all entries with their versions, the current one, the saved
      mark and the redo links. The first version is whole, the others are changes. `pqt` reads them
      from a file whose name ends in `.pqt`. Throws while a group is open. `pqt/trees` does not have
      it. */
  toBytes(): Uint8Array;
  /** Adds an entry after the current one. Consecutive pushes with the same nonzero key are one
      entry. */
  push(version: V, options?: { label?: string | undefined; time?: number | undefined; key?: number | undefined; keepEqual?: boolean | undefined }): void;
  /** Goes to the parent of the current entry. Returns false at the first entry and in a group. */
  undo(): boolean;
  /** Goes to the child that was current most recently. Returns false at the tip of a branch and in
      a group. */
  redo(): boolean;
  checkout(entry: number): void;
  /** Opens a group: all pushes until end() become one entry with this label. */
  begin(label?: string): void;
  end(): boolean;
  /** Closes all groups and goes to the entry before them. Returns false if no group is open. */
  cancel(): boolean;
  /** Makes the next push add an entry, even if it has the key of the last one. */
  endCoalescing(): void;
  markSaved(): void;
  readonly isModified: boolean;
  /** Names an entry, which is then never dropped; null removes the name. */
  setName(entry: number, name: string | null): void;
  readonly current: number;
  /** Returns the version of an entry, by default the current one, as a new object. */
  version(entry?: number): V;
  /** The same as version(), for a history of trees. */
  tree(entry?: number): V;
  readonly undoLabel: string | null;
  readonly redoLabel: string | null;
  entry(entry: number): HistoryEntry;
  entries(): HistoryEntry[];
  /** Returns the entries at the tips of the branches, in order of their numbers. */
  branches(): HistoryEntry[];
  /** Returns the number of the entry with a name; null if there is none. */
  find(name: string): number | null;
  /** Returns the number of the last entry on the path to `tip`, by default the current entry, whose time is
      at most `time`; null if the first entry is later. */
  entryAt(time: number, tip?: number): number | null;
  /** Returns the numbers of the entries from one entry to another, both included: up to the last common
      ancestor, and then down. Throws if there is no such entry. */
  path(from: number, to: number): number[];
  /** Returns the number of the last common ancestor of two entries, which may be one of them. Takes
      O(log entries). */
  commonAncestor(a: number, b: number): number;
  stats(): HistoryStats;
  /** Counts the bytes of an entry, and those that it shares with its parent and its children. */
  entryBytes(entry: number): EntryBytes;
  /** Drops old entries; the older they are, the larger the fraction of them that is dropped. Keeps the
      entries of the newest pushes, `recent` of them, the first entry, the current one, the saved one,
      and those with a name. */
  thin(recent: number): void;
  /** Drops an entry; those that follow it are kept. Throws for an entry that is always kept. */
  drop(entry: number): void;
  /** Drops an entry and all that follow it, except those that are always kept. */
  dropBranch(entry: number): void;
  /** Returns the last entry on the path from the first entry to `tip`, by default the current one, that
      changed something in a window; null if none did. Without a window, any change counts. A change that
      was reverted later counts, too. `part` names the tree if documents have several. The history must be
      `indexed`. `pqt/trees` does not have it. Takes O(log entries) steps. */
  lastChange(options?: PastOptions): LastChange | null;
  /** Like lastChange, for the last insertion, move or removal of the item with an id. */
  lastItemChange(id: Id, options?: { tip?: number | undefined; part?: string | undefined }): (LastChange & { change: Change }) | null;
  /** Returns the changes between the versions at two times on the path to `tip`, without those that were
      reverted in between. A time before the first entry means that entry. If `to` is before `from`, the
      changes lead back. `pqt/trees` does not have it. */
  changes(from: number, to: number, options?: PastOptions): Change[];
  /** Releases all versions of the history now. Later calls throw. */
  free(): void;
  /** As free(), for `using`. */
  [Symbol.dispose](): void;
}

export interface Memory {
  /** The number of bytes that the heap of all versions takes. */
  bytes: number;
  /** The number of these bytes that are in use. */
  usedBytes: number;
  /** The number of objects that hold a version. */
  versions: number;
}

/** Limits the memory of all versions together, in bytes; Infinity removes the limit. */
export function setMemoryLimit(bytes: number): void;
export function memory(): Memory;
/** Frees all versions that no object holds, and then returns the same as memory(). */
export function reclaim(): Memory;

/** The cells of a tree. Each cell comes before its quadrants. */
export interface Cells {
  /** Four numbers per cell, in world units: minX, minY, maxX, maxY. */
  boxes: Float64Array;
  /** 1: the cell is divided into four; 2: it is a leaf, which has items; 3: it holds the own items
      of an inner cell. */
  kinds: Uint8Array;
  /** The number of times that the bounds were halved to get the cell. */
  depths: Uint8Array;
  /** The number of items in the cell. */
  counts: Uint32Array;
  /** The number of each cell's block. Two versions share the cells whose blocks are equal. The
      number of a block is meaningless after its version has been freed. */
  blocks: Uint32Array;
}

/**
 * Starts the library with pqt.wasm: its URL (a string or a URL), the Response for it, its bytes (an
 * ArrayBuffer or a view of one), a WebAssembly.Module, or a promise of one of these. Calls work when the
 * promise that it returns is fulfilled. It does nothing if the library has started; importing `pqt`
 * starts it, importing `pqt/init` does not.
 */
export function init(source: string | object): Promise<void>;

/** Returns the cells of a tree, or of the tree of a world. */
export function cells(version: PersistentTree | World): Cells;
/** Returns the number of bytes of a version that another version of the same kind does not share.
    Without another version, returns the number of all its bytes. */
export function exclusiveBytes<V extends Version>(version: V, other?: V): number;

/** A row to write with Table.write(): its item, and what it is made of. */
export interface TableRow extends Item {
  /** The number of the row of the table that is written, counted from 0. Without it, the row is new. */
  row?: number;
  /** Texts for columns, to replace those of the row. The id and the position are those of the item. */
  texts?: Record<string, string>;
}

/** A CSV file, with commas, semicolons or tabs between the fields. Each row has an item. `pqt` reads
    the same files in the same way; pqt/table.h has the names of columns that both know. */
export class Table {
  private constructor();
  /** Reads the bytes of a CSV file. Throws if they are not a table; the error then has a member
      `line`, the number of the line at fault, counted from 1. */
  static read(bytes: Uint8Array): Table;
  /** The columns of the position: min_x,min_y,max_x,max_y; x,y,w,h; x,y; lon,lat; or
      min_lon,min_lat,max_lon,max_lat; or other names of these. */
  readonly position: 'boxes' | 'sizes' | 'points' | 'degrees' | 'degree-boxes' | 'geometries';
  /** Whether a column has ids. Otherwise, the ids are the numbers of the rows, counted from 0. */
  readonly hasIds: boolean;
  /** The names of all columns, in their order. */
  readonly columns: readonly string[];
  /** The items of all rows, in their order. Ids may occur several times. The y of `degrees` and
      `degree-boxes` is the latitude, which increases upwards. */
  readonly items: readonly Item[];
  /** Returns the same items as arrays: boxes, with four numbers per box, and ids. */
  arrays(): { boxes: Float64Array; ids: BigUint64Array };
  /** Returns the text of a column in each row, without quotes. */
  texts(column: string): string[];
  /** Returns the same texts as UTF-8, without a string for each. */
  textBytes(column: string): ByteColumn;
  /** Returns the line at which a row begins, counted from 1. */
  line(row: number): number;
  /** Returns the bytes of the table with other rows, in the given order. A row whose item and texts
      are those of the table is written byte for byte; in other rows, only the fields that differ
      change. New rows have the line ends and quotes of the table. */
  write(rows: readonly TableRow[]): Uint8Array;
}
