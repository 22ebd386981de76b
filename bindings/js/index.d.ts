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
  /** The maximum number of items in a leaf, 1 to 1024; 24 by default. */
  leafCapacity?: number;
  /** The maximum number of halvings of the bounds, 0 to 32; 24 by default. */
  maxDepth?: number;
  /** Whether an id occurs only once: inserting an existing id replaces its item. */
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

/** The methods of all kinds of versions. No method changes a version; methods that edit return
    another version. */
declare abstract class Version {
  protected constructor();
  /** The bytes in the file format of pqt. */
  toBytes(): Uint8Array;
  /** 32 hexadecimal digits, equal for equal versions in every language. */
  fingerprint(): string;
  /** Whether two versions of the same kind are equal. */
  equals(other: this): boolean;
  /** Checks the invariants of this version, and returns it. */
  check(): this;
  /** Releases this version now instead of when the object is collected. Other calls then throw. */
  free(): void;
}

export type { Version };

/** One version of a set of boxes with ids. */
export class PersistentTree extends Version implements Iterable<Item> {
  /** Makes an empty tree. */
  constructor(options: TreeOptions & { bounds: Box });

  /** Makes a tree from items in bulk. Its bounds are the smallest box around the items. */
  static of(items: readonly Item[], options?: TreeOptions): PersistentTree;
  /** The same from four numbers for each box. The ids are 0, 1, 2 ... */
  static of(boxes: Float64Array, options?: TreeOptions): PersistentTree;
  static of(boxes: Float64Array, ids: Ids, options?: TreeOptions): PersistentTree;
  static fromJSON(data: TreeJSON): PersistentTree;
  static fromBytes(bytes: Uint8Array): PersistentTree;

  load(items: readonly Item[]): PersistentTree;
  load(boxes: Float64Array, ids?: Ids): PersistentTree;
  /** With uniqueIds, replaces the item with the same id. */
  insert(item: Item): PersistentTree;
  /** Removes the item with this box and this id. If it is absent, the result equals this version. */
  remove(item: Item): PersistentTree;
  removeAll(items: readonly Item[]): PersistentTree;
  removeAll(boxes: Float64Array, ids?: Ids): PersistentTree;
  /** Changes the box of an item. If the item is absent, the result equals this version. */
  move(item: Item, to: Box): PersistentTree;
  clear(): PersistentTree;

  readonly size: number;
  readonly bounds: Box;

  /** The items that touch a window, edges included, as new objects. */
  search(window: Box): Item[];
  /** The same as arrays: four numbers of each box, and the ids. */
  searchArrays(window: Box): { boxes: Float64Array; ids: BigUint64Array };
  /** Only the ids; throws a RangeError if one is above 2^32 - 1. */
  searchIds(window: Box): Uint32Array;
  searchBigIds(window: Box): BigUint64Array;
  all(): Item[];
  [Symbol.iterator](): Iterator<Item>;
  collides(window: Box): boolean;
  count(window: Box): number;
  /** The items nearest to a point, nearest first; one if `most` is not given. */
  nearest(x: number, y: number, most?: number, maxDistance?: number): Near[];

  /** The changes that turn this version into another one with equal bounds and options. */
  diff(after: PersistentTree): Change[];
  /** A version with the changes of both sides, which were made from this one. */
  merge(ours: PersistentTree, theirs: PersistentTree,
    options?: { onConflict?: 'error' | 'ours' | 'theirs' | 'both' | 'neither' | 'base' }): PersistentTree;

  toJSON(): TreeJSON;
}

/** An id or a number of a map: an integer from 0 to 2^53 - 1, or a bigint below 2^64. */
export type Id = number | bigint;
/** Bytes, or a string, which is encoded as UTF-8. */
export type Bytes = string | Uint8Array;

export interface MapOptions {
  /** 'ids' by default; byte keys have at most 32 bytes. */
  keys?: 'ids' | 'bytes';
  /** 'numbers' by default. */
  values?: 'numbers' | 'bytes';
}

export interface MapChange {
  key: Id | Bytes;
  /** undefined: the key had no value. */
  before: Id | Uint8Array | undefined;
  /** undefined: the key has no value. */
  after: Id | Uint8Array | undefined;
}

/** A key to which the two sides of a merge gave different values; undefined: the key has none. */
export interface MapConflict {
  key: Id | Bytes;
  base: Id | Uint8Array | undefined;
  ours: Id | Uint8Array | undefined;
  theirs: Id | Uint8Array | undefined;
}

/** The resolution of a conflict: a side, 'neither' for a removal, or another value. */
export type Decision = 'ours' | 'theirs' | 'neither' | 'base';

/** One version of a map. The order of its entries depends on the keys alone. */
export class PersistentMap extends Version implements Iterable<[Id | Bytes, Id | Uint8Array]> {
  /** Makes an empty map. */
  constructor(options?: MapOptions);
  static of(entries: Iterable<readonly [Id | Bytes, Id | Bytes]>, options?: MapOptions): PersistentMap;
  static fromBytes(bytes: Uint8Array): PersistentMap;

  set(key: Id | Bytes, value: Id | Bytes): PersistentMap;
  /** If a key occurs several times, its last value counts. */
  setAll(entries: Iterable<readonly [Id | Bytes, Id | Bytes]>): PersistentMap;
  /** If the key is absent, the result equals this version. */
  delete(key: Id | Bytes): PersistentMap;
  deleteAll(keys: Iterable<Id | Bytes>): PersistentMap;

  /** undefined: the key has no value. */
  get(key: Id | Bytes): Id | Uint8Array | undefined;
  /** The value as a string; a TypeError if it is not UTF-8. */
  getText(key: Id | Bytes): string | undefined;
  has(key: Id | Bytes): boolean;
  readonly size: number;
  readonly keyKind: 'ids' | 'bytes';
  readonly valueKind: 'numbers' | 'bytes';
  entries(): [Id | Bytes, Id | Uint8Array][];
  keys(): (Id | Bytes)[];
  values(): (Id | Uint8Array)[];
  [Symbol.iterator](): Iterator<[Id | Bytes, Id | Uint8Array]>;

  /** The keys whose values differ. */
  diff(after: PersistentMap): MapChange[];
  /** A version with the changes of both sides, which were made from this one. */
  merge(ours: PersistentMap, theirs: PersistentMap, options?: {
    onConflict?: 'error' | Decision | ((conflict: MapConflict) => Decision | { value: Id | Bytes });
  }): PersistentMap;
}

export interface HistoryEntry {
  number: number;
  /** The number of the entry that it follows; 0 for the first entry. */
  parent: number;
  /** The number of undo steps from it to the first entry. */
  depth: number;
  /** The number of entries that follow it; 0: it is the tip of a branch. */
  children: number;
  time: number;
  label: string;
  name: string | null;
  isCurrent: boolean;
  isSaved: boolean;
  /** Whether it is the current entry or an ancestor of it. */
  isOnPath: boolean;
}

/** A decision about a conflict of documents; 'both' keeps the boxes of both sides. */
export type DocumentDecision = Decision | 'both';

/** A change of a part; a region or a world that changed is one change. */
export type DocumentChange =
  | { part: string; kind: 'tree'; change: 'insert' | 'remove'; item: Item }
  | { part: string; kind: 'tree'; change: 'move'; item: Item; to: Box }
  | ({ part: string; kind: 'map' } & MapChange)
  | { part: string; kind: 'region' | 'world' };

/**
 * A change that both sides made differently: an item; an item that one side removed while the other
 * changed it or its attributes; an entry of a map; or a region or a world. No boxes: the side
 * removed the item.
 */
export type DocumentConflict =
  | { kind: 'item' | 'removedItem'; part: string; id: Id; base: Box[]; ours: Box[]; theirs: Box[] }
  | ({ kind: 'entry'; part: string } & MapConflict)
  | { kind: 'part'; part: string };

/** An answer that is not a name: boxes for an item, a value for an entry, a version for a part. */
export type DocumentAnswer = { boxes: Box[] } | { value: Id | Bytes } | { version: Region | World };

export type Part = PersistentTree | PersistentMap | Region | World;

/** One version of up to 16 named parts that change together. */
export class Document extends Version {
  private constructor();
  /** A map of ids that is keyed by a tree with uniqueIds holds attributes of its items. */
  static of(parts: Record<string, Part | { map: PersistentMap; keyedBy: string }>): Document;
  static fromBytes(bytes: Uint8Array): Document;

  /** The parts in the order of their names. */
  readonly parts: { name: string; kind: 'tree' | 'map' | 'region' | 'world'; keyedBy: string | null }[];
  /** A part as a new object; a RangeError if there is none with this name. */
  get<P extends Part = Part>(name: string): P;
  /** The attributes of items that a new tree lacks are removed. */
  set(name: string, version: Part): Document;
  set(parts: Record<string, Part>): Document;

  diff(after: Document): DocumentChange[];
  /** A version with the changes of both sides, which were made from this one. */
  merge(ours: Document, theirs: Document, options?: {
    onConflict?: 'error' | DocumentDecision | ((conflict: DocumentConflict) => DocumentDecision | DocumentAnswer);
  }): Document;
}

/** An image: a pixel is in the region if its byte is above the threshold. */
export interface PixelOptions {
  /** Pixels. */
  width: number;
  height: number;
  /** Bytes from a row to the one below; width * pixelStride by default. */
  stride?: number;
  /** Bytes from a pixel to the next: 1 by default, 4 for RGBA. */
  pixelStride?: number;
  /** Index of the byte that is used in the first pixel: 3 for the alpha of RGBA; 0 by default. */
  offset?: number;
  /** 0 to 255; 0 by default. */
  threshold?: number;
  /** The position of the upper left pixel; 0, 0 by default. */
  x?: number;
  y?: number;
}

/** A box of pixels, or a round pen drawn from x, y to toX, toY, which are x, y by default. */
export type Paint = { op?: 'set' | 'clear' | 'toggle' } & (
  | { box: Box }
  | { x: number; y: number; toX?: number; toY?: number; /** 0.5 by default */ radius?: number });

/** A displacement: 0, 0 by default. */
export interface Offset {
  x?: number;
  y?: number;
}

export type Transform = 'flipX' | 'flipY' | 'rotate180' | 'flipDiagonal' | 'rotate90' | 'rotate270' | 'flipAntidiagonal';

export interface Sweep {
  status: 'free' | 'touches' | 'hits' | 'overlaps';
  /** The time at which it stops, as a fraction of the path. */
  time: number;
  /** The position at which it stops. */
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
  /** If blocked, a pixel of the region and one of the other that would overlap next. */
  met: { x: number; y: number; otherX: number; otherY: number } | null;
}

/** The time, the normal, the displacement and the pixels belong to the last part of the path that
 * was blocked. */
export interface Slide extends Sweep {
  /** The number of times that it gave up an axis. */
  bounces: number;
}

/** Cells in place of pixels: squares whose sides are powers of two, aligned at 0, 0 of each region. */
export interface CellOptions {
  /** The side of the region's cells, pixels; 1 by default. */
  cell?: number;
  /** The side of the other region's cells. */
  otherCell?: number;
  /** Whether a cell counts if it has any pixel, the default, or only if it has all of its
      pixels. */
  kind?: 'outer' | 'inner';
}

/** One version of a set of pixels: unit squares named by integers within 2^20 of 0; y points down. */
export class Region extends Version {
  /** Makes a region without pixels. */
  constructor();
  static ofPixels(bytes: Uint8Array | Uint8ClampedArray, options: PixelOptions): Region;
  /** Boxes are half open: they do not contain maxX and maxY. */
  static ofBoxes(boxes: readonly Box[] | Int32Array): Region;
  static fromBytes(bytes: Uint8Array): Region;

  /** Paints one primitive after the other. */
  paint(...primitives: (Paint | readonly Paint[])[]): Region;
  /** The other region is moved by a whole offset first, here and below. */
  union(other: Region, at?: Offset): Region;
  intersection(other: Region, at?: Offset): Region;
  difference(other: Region, at?: Offset): Region;
  xor(other: Region, at?: Offset): Region;
  move(x: number, y: number): Region;
  scale(factorX: number, factorY?: number): Region;
  /** About the point 0, 0. */
  transform(name: Transform): Region;
  /** 8 neighbours by default. */
  dilate(steps: number, connectivity?: 4 | 8): Region;
  erode(steps: number, connectivity?: 4 | 8): Region;
  /** The pixels that have a neighbour outside; 4 neighbours by default, here and below. */
  outline(connectivity?: 4 | 8): Region;
  component(x: number, y: number, connectivity?: 4 | 8): Region;
  components(connectivity?: 4 | 8): Region[];
  crop(box: Box): Region;
  /** The pixels of a box that are not in the region. */
  complement(box: Box): Region;
  /** The same pixels, with equal squares stored once. */
  intern(): Region;

  /** The number of pixels. */
  readonly size: number;
  readonly bounds: Box;
  count(window: Box): number;
  has(x: number, y: number): boolean;
  /** Boxes that cover exactly the pixels of a window, row by row. */
  boxes(window?: Box): Box[];
  /** The pixels of a window, row by row: the value, 255 by default, or 0. */
  toPixels(window?: Box, value?: number): Uint8Array;
  /** Boxes that cover all pixels in which the versions differ. */
  diff(after: Region): Box[];

  /** The offset of the other region need not be whole, here and below. */
  overlaps(other: Region, at?: Offset, cells?: CellOptions): boolean;
  overlapArea(other: Region, at?: Offset): number;
  /** Moves this region from one offset to another until the other region stops it. */
  sweep(from: Offset, to: Offset, other: Region, cells?: CellOptions): Sweep;
  /** The same; if one axis is blocked, it continues along the other one, at most `bounces` times; 2 by default. */
  slide(from: Offset, to: Offset, other: Region, options?: CellOptions & { bounces?: 0 | 1 | 2 }): Slide;
}

/** A ball. Lengths in world units, velocities per second. */
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
  /** Whether it collides with no body; steps list the bodies that enter and leave it. */
  sensor: boolean;
  /** The coefficient of friction of its surface, a 32-bit number; 0: the option of the step
      applies. */
  friction: number;
  /** Radians, from the x axis toward the y axis. */
  angle: number;
  /** Radians per second. */
  angularVelocity: number;
  /** A number for your own use. */
  data: Id;
  /** Bits of the groups to which it belongs. */
  category: number;
  /** Bits of the categories that it meets; 0: all. */
  mask: number;
}

/** The velocity and the acceleration are 0 by default, the mass is the area, and the others are 0. */
export type NewBody = Partial<Body> & Pick<Body, 'id' | 'x' | 'y' | 'radius'>;

export interface BodyArrays {
  /** Eight of each body: x, y, vx, vy, ax, ay, radius, mass. */
  figures: Float64Array;
  ids: BigUint64Array;
  /** The sum of 1 for a fixed body, 2 for a kinematic one and 4 for a sensor. */
  roles: Uint8Array;
  data: BigUint64Array;
  categories: Uint32Array;
  masks: Uint32Array;
  /** Two of each body: angle, angularVelocity. */
  spins: Float64Array;
  frictions: Float32Array;
}

/** Bodies to be added, in arrays. The ids are 0, 1, 2 ... if none are given. */
export interface NewBodyArrays {
  figures: Float64Array;
  ids?: BigUint64Array | Uint32Array;
  roles?: Uint8Array;
  data?: BigUint64Array | Uint32Array;
  categories?: Uint32Array;
  masks?: Uint32Array;
  spins?: Float64Array;
  frictions?: Float32Array;
}

/** Total counts of steps. */
export interface StepReport {
  tests?: number;
  contacts?: number;
  bounces?: number;
  obstacleHits?: number;
  overlaps?: number;
  separated?: number;
  clusters?: number;
  passes?: number;
  resting?: number;
  plastic?: number;
  delayed?: number;
  embedded?: number;
  squares?: number;
  asleep?: number;
  woken?: number;
  /** An upper bound of the energy that the separation of overlaps added. */
  separationEnergy?: number;
}

export interface StepOptions {
  /** 0, plastic, to 1, elastic; 1 by default. */
  restitution?: number;
  gravity?: Offset;
  /** Velocities are divided by 1 + damping * dt. */
  damping?: number;
  /** Below a restitution of 1, approaches up to this speed return none. */
  restSpeed?: number;
  /** Contacts after which a step delays bodies; 0, the default, depends on their number. */
  contactBudget?: number;
  /** Quiet steps after which bodies that rest fall asleep; 60 by default, 0: never. */
  sleepSteps?: number;
  /** The coefficient of friction of walls, the obstacle, and bodies whose own is 0; 0 by default. */
  friction?: number;
  /** List the events of the step in the version that is returned; see World.events. */
  events?: boolean;
  /** Counts are added to it. */
  report?: StepReport;
}

/** An entry of the list of a step. The contacts at rest that begin and end come first, then the
 * hits in the order of time, then sensors. */
export interface ContactEvent {
  /** Seconds since the step began. */
  time: number;
  kind: 'hit' | 'begin' | 'end' | 'sensorBegin' | 'sensorEnd';
  /** Another body, a wall, or the obstacle. */
  side: 'body' | 'left' | 'right' | 'upper' | 'lower' | 'obstacle';
  low: Id;
  /** The higher id; the same as `low` if there is one body. */
  high: Id;
  /** Mass times speed that was exchanged. */
  impulse: number;
  x: number;
  y: number;
  /** A unit vector from the body `low` to the other. */
  normalX: number;
  normalY: number;
}

/** One version of a set of moving balls. */
export class World extends Version implements Iterable<Body> {
  /** Makes an empty world. Its bounds are walls, unless walls is false. */
  constructor(options: { bounds: Box; walls?: boolean; leafCapacity?: number });
  static fromBytes(bytes: Uint8Array): World;

  add(bodies: NewBody | readonly NewBody[] | NewBodyArrays): World;
  /** Replaces the bodies with these ids; absent ids change nothing. */
  change(bodies: NewBody | readonly NewBody[] | NewBodyArrays): World;
  remove(...ids: (Id | readonly Id[])[]): World;
  /** The empty world with the same bounds, options and obstacle. */
  clear(): World;
  /** Bodies bounce off the region, whose pixel 0, 0 is at an offset; null removes it. */
  setObstacle(region: Region | null, at?: Offset): World;
  readonly obstacle: { region: Region; x: number; y: number } | null;
  /** The world after dt seconds. */
  step(dt: number, options?: StepOptions): World;

  readonly size: number;
  readonly bounds: Box;
  readonly walls: boolean;
  /** The bodies whose boxes touch a window; all by default. */
  bodies(window?: Box): Body[];
  [Symbol.iterator](): Iterator<Body>;
  arrays(window?: Box): BodyArrays;
  get(id: Id): Body | null;
  /** Whether the body rests, and steps leave it as it is until something touches it. */
  isAsleep(id: Id): boolean;
  /** The bodies whose surfaces are nearest to a point, nearest first. */
  nearest(x: number, y: number, most?: number): (Body & { distance: number })[];
  /** The events of the step that made this version, if its option `events` was set. */
  events(): ContactEvent[];
  /** The bodies that entered or left a zone since an earlier version: a box, or a region with its pixel 0, 0 at x, y. */
  crossings(earlier: World, zone: Box | ({ region: Region } & Partial<Offset>)): { body: Body; entered: boolean }[];
  /** The tree of the boxes of the bodies. */
  readonly tree: PersistentTree;
  stats(): { bodies: number; cells: number; bytes: number; energy: number; momentumX: number; momentumY: number };
  /** The lowest id whose body differs; null if there is none. */
  differs(other: World): Id | null;
}

/** The steps of a world: one world is stored every `every` steps, and the others are recomputed. */
export class Recording {
  /** Starts from a world, as step 0. One world is stored every 16 steps, or every `every` steps. */
  constructor(first: World, dt: number, options?: Omit<StepOptions, 'report'> & { every?: number });
  /** Makes and records the next step. */
  step(options?: { report?: StepReport }): World;
  /** The number of the last step. */
  readonly last: number;
  /** The number of stored worlds. */
  readonly kept: number;
  /** The world after a step. */
  at(step: number): World;
  fingerprint(step: number): string;
  /** Whether all steps give the same worlds when they are repeated. */
  verify(): boolean;
  /** Releases all stored worlds now. Other calls then throw. */
  free(): void;
}

/** A history of versions of one kind: undo, redo, branches, labels. It holds all versions that were pushed. */
export class History<V extends Version = PersistentTree> {
  /** Makes a history whose entry 0 is a version. Beyond a limit, it drops older entries. */
  constructor(first: V, options?: { maxEntries?: number; maxBytes?: number; time?: number });
  /** Adds an entry after the current one. Consecutive pushes with the same nonzero key are one
      entry. */
  push(version: V, options?: { label?: string; time?: number; key?: number; keepEqual?: boolean }): void;
  /** False at the first entry and in a group. */
  undo(): boolean;
  /** False at the tip of a branch and in a group. */
  redo(): boolean;
  checkout(entry: number): void;
  /** Opens a group: all pushes until end() become one entry with this label. */
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
  version(entry?: number): V;
  /** The same, for a history of trees. */
  tree(entry?: number): V;
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

/** The cells of a tree, each before its quadrants. */
export interface Cells {
  /** Four numbers of each cell: minX, minY, maxX, maxY, world units. */
  boxes: Float64Array;
  /** 1: divided into four; 2: a leaf, which has items; 3: the items that an inner cell has itself. */
  kinds: Uint8Array;
  /** The number of times that the bounds were halved. */
  depths: Uint8Array;
  /** Items in the cell. */
  counts: Uint32Array;
  /** Two versions share the cells whose blocks are equal. A block has no meaning after its version
      was freed. */
  blocks: Uint32Array;
}

/** The cells of a tree, or of the tree of a world. */
export function cells(version: PersistentTree | World): Cells;
/** The bytes of a version that another version of its kind does not share; without another one, all
    its bytes. */
export function exclusiveBytes<V extends Version>(version: V, other?: V): number;
