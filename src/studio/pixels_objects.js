// SPDX-License-Identifier: MIT
// pixels_objects.js: keeps the two objects of the Pixels tab, their colours and their places, and the history of all of these, and
// records the commands that change the objects.

import { Document, History, PersistentImage, Region } from './pqt.js';

/**
 * @typedef {'blocking' | 'collider'} Name
 * @typedef {import('./pqt.js').Paint} Paint
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {readonly [r: number, g: number, b: number, a: number]} Colour
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ blocking: Point, collider: Point, vector: Point }} Places  where the objects are in the scene, and the movement
 * @typedef {(
 *   { op: 'boxes', boxes: number[] } |
 *   { op: 'paint', primitives: { op: 'set' | 'clear', x: number, y: number, toX: number, toY: number, radius: number }[] }
 * ) & { tab: 'pixels', from: number }} Command
 */

/** The side of a sheet at the start, in pixels. A sheet with a larger picture has the size of the picture. */
export const SIDE = 64;
/** The colour of the pixels that were not painted in a colour. */
const NONE = /** @type {Colour} */ ([0, 0, 0, 0]);
const PARTS = { blocking: 'blockingColours', collider: 'colliderColours' };
/** The places at the start. */
export const PLACES = Object.freeze({ blocking: Object.freeze({ x: 130, y: 60 }), collider: Object.freeze({ x: 20, y: 16 }), vector: Object.freeze({ x: 120, y: 62 }) });

/** The initial objects: a vessel with a rock in it, and a ring with a tail. */
function firstBlocking() {
  /** @type {Paint[]} */
  const walls = [];
  for (let i = 0; i < 6; i++) walls.push({ x: 8 + 2 * i, y: 20 + 5 * i, toX: 10 + 2 * i, toY: 25 + 5 * i, radius: 3.5 });
  walls.push({ x: 20, y: 52, toX: 46, toY: 52, radius: 4 }, { x: 46, y: 52, toX: 56, toY: 24, radius: 3.5 }, { x: 33, y: 34, radius: 5 });
  return new Region().paint(walls);
}

function firstCollider() {
  return new Region().paint({ x: 30, y: 30, radius: 13 }, { op: 'clear', x: 30, y: 30, radius: 7 }, { x: 41, y: 38, toX: 52, toY: 50, radius: 2.5 });
}

/** Returns the boxes of a region as an array of numbers, four per box. */
export function boxesOf(/** @type {Region} */ region) {
  return region.boxes().flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]);
}

/** Returns an image of a sheet without colours. */
export function noColours(size = { width: SIDE, height: SIDE }) {
  return new PersistentImage(size);
}

/** Returns the box of the pixels of a sheet. */
export function sheetOf(/** @type {{ width: number, height: number }} */ { width, height }) {
  return { minX: 0, minY: 0, maxX: width, maxY: height };
}

/**
 * Paints strokes: on the object, and in its colours. A stroke without a colour, and one that erases, takes colours away.
 * @param {Region} region
 * @param {PersistentImage} colours
 * @param {Paint[]} strokes
 * @param {Colour | null} colour
 */
export function painted(region, colours, strokes, colour) {
  const whole = region.paint(strokes), isErasing = strokes.some(({ op }) => op === 'clear');
  return { region: whole.crop(sheetOf(colours)), colours: colours.paint(strokes.map(({ op: _, ...place }) => place), isErasing ? NONE : colour ?? NONE, { mode: 'replace' }) };
}

/** Returns the old version if the new one is equal, so that what is known of it need not be found again. @template T @param {T | undefined} old @param {T & { equals: (other: any) => boolean }} next */
const sameOf = (old, next) => (old !== undefined && next.equals(old) ? old : next);

const copyOf = (/** @type {Places} */ { blocking, collider, vector }) => ({ blocking: { ...blocking }, collider: { ...collider }, vector: { ...vector } });

/** Both objects with their colours and places, and all versions of them. */
export class Objects {
  #record;
  /** The numbers that the log gives to versions, by their fingerprints. @type {Map<string, number>} */
  #versions = new Map();
  #count = 0;
  /** The places in each entry. @type {Map<number, Places>} */
  #places = new Map();

  constructor(/** @type {(command: object) => void} */ record) {
    this.#record = record;
    const blocking = firstBlocking(), collider = firstCollider(), colours = noColours();
    this.history = new History(Document.of({ blocking, collider, blockingColours: colours, colliderColours: colours }));
    this.#places.set(0, copyOf(PLACES));
    for (const region of [blocking, collider]) this.#logBoxes(region);
    this.#read();
  }

  /** The current regions. @type {Record<Name, Region>} */
  now = /** @type {any} */ ({});
  /** Their colours, which have the size of their sheets. @type {Record<Name, PersistentImage>} */
  colours = /** @type {any} */ ({});
  /** The sizes of their sheets. @type {Record<Name, { width: number, height: number }>} */
  sizes = /** @type {any} */ ({});
  /** The current places. */
  places = copyOf(PLACES);

  #read() {
    const document = this.history.version(), { now, colours } = this;
    for (const name of /** @type {const} */ (['blocking', 'collider'])) {
      now[name] = sameOf(now[name], document.get(name));
      colours[name] = sameOf(colours[name], document.get(PARTS[name]));
      const { width, height } = colours[name];
      this.sizes[name] = { width, height };
    }
    this.places = copyOf(this.#places.get(this.history.current) ?? PLACES);
    document.free();
  }

  /** @param {object} command  @param {number} from  @param {Region} made */
  #log(command, from, made) {
    this.#record({ tab: 'pixels', from, ...command });
    this.#versions.set(made.fingerprint(), this.#count++);
  }

  /** Logs a region. A picture can have 100,000 boxes, which are made when the log is read. */
  #logBoxes(/** @type {Region} */ region) {
    this.#record({ tab: 'pixels', from: -1, op: 'boxes', get boxes() { return boxesOf(region); } });
    this.#versions.set(region.fingerprint(), this.#count++);
  }

  /** Returns the number that the log gives to a version of a region. */
  versionOf(/** @type {Region} */ region) {
    return this.#versions.get(region.fingerprint()) ?? -1;
  }

  /** Appends a version of an object to the history. */
  #push(/** @type {Name} */ name, /** @type {Region} */ region, /** @type {PersistentImage} */ colours, /** @type {string} */ label) {
    const document = this.history.version(), next = document.set({ [name]: region, [PARTS[name]]: colours });
    this.history.push(next, { label });
    document.free();
    next.free();
    this.#places.set(this.history.current, copyOf(this.places));
    this.#read();
  }

  /** Paints a stroke, and adds an entry to the history. Pixels outside the sheet are ignored. */
  paint(/** @type {Name} */ name, /** @type {Paint[]} */ strokes, /** @type {string} */ label, /** @type {Colour | null} */ colour = null) {
    const before = this.now[name], { region, colours } = painted(before, this.colours[name], strokes, colour), isOther = !region.equals(before);
    if (!isOther && colours.equals(this.colours[name])) return;
    if (isOther) this.#log({ op: 'paint', primitives: strokes.map((one) => ({ op: 'set', radius: 0.5, ...one })) }, this.versionOf(before), region);
    this.#push(name, region, colours, label);
  }

  /** Replaces an object. */
  replace(/** @type {Name} */ name, /** @type {Region} */ region, /** @type {string} */ label, colours = noColours()) {
    const after = region.crop(sheetOf(colours));
    this.#logBoxes(after);
    this.#push(name, after, colours, label);
  }

  /** Adds an entry with other places of the objects. Consecutive entries with the same key become one. */
  place(/** @type {Places} */ places, /** @type {string} */ label, key = 0) {
    const document = this.history.version();
    this.history.push(document, { label, key, keepEqual: true });
    document.free();
    this.#places.set(this.history.current, copyOf(places));
    this.places = copyOf(places);
  }

  /** Returns all versions as bytes, and the places in each of them. */
  stored() {
    return { bytes: this.history.toBytes(), places: [...this.#places] };
  }

  /** Makes the versions of bytes again. Throws if they are damaged, and then changes nothing. */
  restore(/** @type {Uint8Array} */ bytes, /** @type {[number, Places][]} */ places) {
    const history = /** @type {History<Document>} */ (History.fromBytes(bytes)), version = history.version();
    for (const part of ['blocking', 'collider', PARTS.blocking, PARTS.collider]) version.get(part);
    this.history.free();
    this.history = history;
    this.#places = new Map(places);
    this.#read();
    for (const region of [this.now.blocking, this.now.collider]) this.#logBoxes(region);
  }

  undo() {
    const label = this.history.undoLabel;
    if (!this.history.undo()) return null;
    this.#read();
    return label;
  }

  redo() {
    const label = this.history.redoLabel;
    if (!this.history.redo()) return null;
    this.#read();
    return label;
  }
}
