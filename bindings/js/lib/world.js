// SPDX-License-Identifier: MIT
// world.js: the classes World and Recording, for moving balls and their steps.
import {
  DISPOSE, Handle, PIN, REGION, SUMMARY, TREE, WORLD, Version, attached, bigId, box, bufferAt, call, checkNearest, counted, doubles, fingerprintAt, fromBytes, isArrayOf, members, number,
  own as ownVersion, pinOf, raise, register, renewViews, reserve, reserveArray, scratch, settings, surplus, wasm, whole, wordAt,
} from './core.js';
import { Reader, Writer } from './bytes.js';
import { checkedId, highOf, lowOf } from './items.js';
import { windowOf } from './query.js';

const BODY = 112; // the bytes of a pqt_body: an id, eight doubles, four bytes, a float, a 64-bit number, two 32-bit numbers, and two doubles
const EVENT = 72; // the bytes of a pqt_contact_event
const KINDS = [, 'hit', 'begin', 'end', 'sensorBegin', 'sensorEnd'];
const SIDES = ['body', 'left', 'right', 'upper', 'lower', 'obstacle'];
const FIGURES = 8; // the doubles: x, y, vx, vy, ax, ay, radius, mass
const MEMBERS = ['x', 'y', 'vx', 'vy', 'ax', 'ay', 'radius', 'mass', 'angle', 'angularVelocity'];
const ROLES = { fixed: 72, kinematic: 73, sensor: 74, ownFriction: 75 }; // a byte each; in arrays, the bits 1, 2, 4 and 8 of a number
const FRICTION = 76;
const DATA = 80;
const CATEGORY = 88;
const MASK = 92;
const SPIN = 96; // angle and angular velocity
const SPINS = 2;
const COUNTS = ['tests', 'contacts', 'bounces', 'obstacleHits', 'overlaps', 'separated', 'clusters', 'passes', 'resting', 'plastic',
  'delayed', 'embedded', 'squares', 'asleep', 'woken', 'visited'];
const MOST = 2147483647; // results of a search
const EVERYWHERE = { minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity };

const pinOfWorld = (world, what = 'the object of the call') => pinOf(world, WORLD, what);
const own = (pin) => ownVersion(WORLD, pin);

/** Returns an unsigned 32-bit number; throws if it is not one. */
function bits(value, what) {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) throw new RangeError(`${what} must be an integer from 0 to 2^32 - 1`);
  return value;
}

/** Copies bodies into the buffer, and returns their number. */
function sendObjects(bodies) {
  const count = bodies.length; // reading a body may change the array
  const bytes = scratch(Uint8Array, count * BODY), view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    const what = `body ${i}`, at = i * BODY, body = bodies[i];
    if (body === null || typeof body !== 'object') throw new TypeError(`${what} is not an object`);
    const { id, x, y, vx = 0, vy = 0, ax = 0, ay = 0, radius, mass = 0, friction = 0, angle = 0, angularVelocity = 0, data = 0, category = 0,
      mask = 0 } = body;
    for (const [name, value, to] of [['id', id, at], ['data', data, at + DATA]]) {
      if (typeof value !== 'number' && typeof value !== 'bigint') throw new TypeError(`${what}: ${name} must be a number or a bigint`);
      view.setBigUint64(to, bigId(value, what), true);
    }
    [x, y, vx, vy, ax, ay, radius, mass].forEach((figure, k) => view.setFloat64(at + 8 + 8 * k, number(figure, `${MEMBERS[k]} of ${what}`), true));
    [angle, angularVelocity].forEach((figure, k) => view.setFloat64(at + SPIN + 8 * k, number(figure, `${MEMBERS[8 + k]} of ${what}`), true));
    view.setFloat32(at + FRICTION, number(friction, `the friction of ${what}`), true);
    for (const [role, place] of Object.entries(ROLES)) view.setUint8(at + place, body[role] ? 1 : 0);
    view.setUint32(at + CATEGORY, bits(category, `the category of ${what}`), true);
    view.setUint32(at + MASK, bits(mask, `the mask of ${what}`), true);
  }
  reserveArray(Uint8Array, bytes.length).set(bytes);
  return count;
}

/** Throws unless a value is an array of one of these types, with this length. */
function array(value, types, length, what) {
  if (!isArrayOf(value, ...types)) throw new TypeError(`${what} must be a ${types.join(' or a ')}`);
  const found = attached(value, what);
  if (found !== length) throw new RangeError(`${what} has ${found} elements, not ${length}`);
}

/** Copies bodies into the buffer from arrays like those that World.arrays returns. Without ids, the
    ids are 0, 1, 2 and so on. */
function sendArrays({ figures, ids, roles, data, categories, masks, spins, frictions }) {
  if (!isArrayOf(figures, 'Float64Array')) throw new TypeError('figures must be a Float64Array');
  const length = attached(figures, 'the array of figures'), count = length / FIGURES;
  if (length % FIGURES !== 0) throw new RangeError(`bodies have ${FIGURES} figures each, but the array has ${length}`);
  if (ids !== undefined) array(ids, ['BigUint64Array', 'Uint32Array'], count, 'the array of ids');
  if (roles !== undefined) array(roles, ['Uint8Array'], count, 'the array of roles');
  for (let i = 0; roles !== undefined && i < count; i++)
    if (roles[i] > 15) throw new RangeError('roles are sums of 1, 2, 4 and 8');
  if (data !== undefined) array(data, ['BigUint64Array', 'Uint32Array'], count, 'the array of data');
  if (categories !== undefined) array(categories, ['Uint32Array'], count, 'the array of categories');
  if (masks !== undefined) array(masks, ['Uint32Array'], count, 'the array of masks');
  if (spins !== undefined) array(spins, ['Float64Array'], count * SPINS, 'the array of spins');
  if (frictions !== undefined) array(frictions, ['Float32Array'], count, 'the array of frictions');
  const at = reserve(count * BODY);
  const { buffer } = wasm.memory;
  const doubleWords = new Float64Array(buffer, at, (count * BODY) / 8), longWords = new BigUint64Array(buffer, at, (count * BODY) / 8);
  const bytes = new Uint8Array(buffer, at, count * BODY), words = new Uint32Array(buffer, at, (count * BODY) / 4);
  const floats = new Float32Array(buffer, at, (count * BODY) / 4);
  bytes.fill(0);
  for (let i = 0, k = 0; i < count; i++, k += BODY / 8) {
    longWords[k] = ids === undefined ? BigInt(i) : BigInt(ids[i]);
    for (let j = 0; j < FIGURES; j++) doubleWords[k + 1 + j] = figures[i * FIGURES + j];
    if (roles?.[i]) Object.values(ROLES).forEach((place, bit) => { bytes[i * BODY + place] = (roles[i] >> bit) & 1; });
    if (data !== undefined) longWords[k + DATA / 8] = BigInt(data[i]);
    if (categories !== undefined) words[2 * k + CATEGORY / 4] = categories[i];
    if (masks !== undefined) words[2 * k + MASK / 4] = masks[i];
    for (let j = 0; spins !== undefined && j < SPINS; j++) doubleWords[k + SPIN / 8 + j] = spins[i * SPINS + j];
    if (frictions !== undefined) floats[2 * k + FRICTION / 4] = frictions[i];
  }
  return count;
}

function send(bodies) {
  if (Array.isArray(bodies)) return sendObjects(bodies);
  if (bodies === null || typeof bodies !== 'object') throw new TypeError('bodies must be an array or an object of arrays');
  return 'figures' in bodies ? sendArrays(bodies) : sendObjects([bodies]);
}

function rolesAt(view, at) {
  return Object.fromEntries(Object.entries(ROLES).map(([role, place]) => [role, view.getUint8(at + place) !== 0]));
}

/** Returns the body at an address. The views must be renewed. */
function bodyAt(at) {
  const view = new DataView(wasm.memory.buffer);
  const [x, y, vx, vy, ax, ay, radius, mass] = new Float64Array(wasm.memory.buffer, at + 8, FIGURES);
  const [angle, angularVelocity] = new Float64Array(wasm.memory.buffer, at + SPIN, SPINS);
  return { id: wordAt(at), x, y, vx, vy, ax, ay, radius, mass, ...rolesAt(view, at), friction: view.getFloat32(at + FRICTION, true), angle, angularVelocity, data: wordAt(at + DATA),
    category: view.getUint32(at + CATEGORY, true), mask: view.getUint32(at + MASK, true) };
}

const STEP_OPTIONS = ['restitution', 'gravity', 'damping', 'restSpeed', 'contactBudget', 'sleepSteps', 'events', 'friction'];

/** Copies the options of steps into the buffer. */
function sendOptions(dt, given) {
  const { restitution = 1, gravity = {}, damping = 0, restSpeed = 0, contactBudget = 0, sleepSteps = 60, events = false,
    friction = 0 } = given;
  const { x = 0, y = 0 } = members(gravity);
  const figures = { dt, restitution, 'gravity.x': x, 'gravity.y': y, damping, restSpeed, contactBudget, sleepSteps };
  Object.entries(figures).forEach(([name, value]) => number(value, name));
  reserveArray(Float64Array, 10).set([...Object.values(figures), events ? 1 : 0, number(friction, 'friction')]);
}

/** Adds the counts of the report in the buffer to another report. */
function addReport(report) {
  if (report === undefined) return;
  const reader = new Reader();
  const added = COUNTS.map((name) => [name, reader.word()]);
  added.push(['separationEnergy', reader.double()]);
  for (const [name, more] of added) report[name] = (report[name] ?? 0) + more;
}

/** Returns the report in the options of a step; undefined if there is none. */
function reportOf({ report }) {
  if (report !== undefined && (report === null || typeof report !== 'object')) throw new TypeError('the report must be an object');
  return report;
}

/** One version of a set of moving balls. No method changes it; methods that edit or step return another version. */
export class World extends Version {
  /** Makes an empty world. Its bounds are walls, unless walls is false. */
  constructor(given, pin) {
    if (given !== PIN) {
      const { bounds, walls = true, leafCapacity = 24 } = settings(given, ['bounds', 'walls', 'leafCapacity']);
      const { minX, minY, maxX, maxY } = box(bounds, 'options.bounds');
      pin = call(wasm.pqtjs_world_make, minX, minY, maxX, maxY, walls ? 1 : 0, whole(leafCapacity, 'leafCapacity')) || raise();
    }
    super(PIN, WORLD, pin);
  }

  /** Makes a world from bytes that toBytes returned, in JavaScript or in another language. */
  static fromBytes(bytes) {
    return fromBytes(WORLD, bytes);
  }

  /** Adds bodies: one, an array of bodies, or the arrays of NewBodyArrays. */
  add(bodies) {
    if (arguments.length > 1) surplus(arguments.length, 'add', 1);
    const count = send(bodies);
    return own(call(wasm.pqtjs_world_add_all, pinOfWorld(this), count));
  }

  /** Replaces the bodies that have the same ids as the given ones; absent ids change nothing. */
  change(bodies) {
    if (arguments.length > 1) surplus(arguments.length, 'change', 1);
    const count = send(bodies);
    return own(call(wasm.pqtjs_world_change_all, pinOfWorld(this), count));
  }

  /** Removes the bodies with these ids; absent ids change nothing. */
  remove(...ids) {
    const writer = new Writer();
    const all = ids.flat();
    all.forEach((id) => writer.word(id, 'an id'));
    writer.send();
    return own(call(wasm.pqtjs_world_remove_all, pinOfWorld(this), all.length));
  }

  /** Returns the empty world with the same bounds, options and obstacle. */
  clear() {
    return own(call(wasm.pqtjs_world_clear, pinOfWorld(this)));
  }

  /** Sets the region that bodies bounce off; its pixel 0, 0 is at x, y. null removes it. */
  setObstacle(region, at = {}) {
    const { x = 0, y = 0 } = members(at);
    if (region === null) return own(call(wasm.pqtjs_world_remove_obstacle, pinOfWorld(this)));
    return own(call(wasm.pqtjs_world_set_obstacle, pinOfWorld(this), pinOf(region, REGION, 'the obstacle'), number(x, 'x'), number(y, 'y')));
  }

  /** The region that bodies bounce off, as { region, x, y }; null if there is none. */
  get obstacle() {
    if (counted(call(wasm.pqtjs_world_obstacle_at, pinOfWorld(this))) === 0) return null;
    const [x, y] = doubles(2);
    return { region: ownVersion(REGION, call(wasm.pqtjs_world_obstacle, pinOfWorld(this))), x, y };
  }

  /** Returns whether a ball would overlap the obstacle. */
  isObstructed(x, y, radius) {
    if (arguments.length > 3) surplus(arguments.length, 'isObstructed', 3);
    return counted(call(wasm.pqtjs_world_is_obstructed, pinOfWorld(this), number(x, 'x'), number(y, 'y'), number(radius, 'radius'))) === 1;
  }

  /** Returns the world after dt seconds. The step adds its counts to options.report, if there is
      one. */
  step(dt, given = {}) {
    const report = reportOf(settings(given, [...STEP_OPTIONS, 'report']));
    sendOptions(dt, given);
    const next = own(call(wasm.pqtjs_world_step, pinOfWorld(this)));
    addReport(report);
    return next;
  }

  [SUMMARY]() {
    return { size: this.size, bounds: this.bounds };
  }

  /** The number of bodies. */
  get size() {
    return counted(call(wasm.pqtjs_world_count, pinOfWorld(this)));
  }

  #described() {
    call(wasm.pqtjs_world_describe, pinOfWorld(this)) || raise();
    return doubles(12);
  }

  /** The bounds that the world was made with. */
  get bounds() {
    const [minX, minY, maxX, maxY] = this.#described();
    return { minX, minY, maxX, maxY };
  }

  /** Whether the bounds are walls. */
  get walls() {
    return this.#described()[4] === 1;
  }

  /** Returns a version with only the bodies whose boxes have a relation to a window. */
  keep(window, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'keep', 2);
    const query = windowOf(window, settings(given, ['relation']).relation); // first, because reading it may free this world
    return own(call(wasm.pqtjs_world_search, pinOfWorld(this), ...query));
  }

  /** Fills the buffer with the bodies whose boxes have a relation to a window, and returns their number. */
  #sendBodies(window, given) {
    const query = windowOf(window, settings(given, ['relation']).relation);
    return counted(call(wasm.pqtjs_world_bodies, pinOfWorld(this), ...query)) / BODY;
  }

  /** Returns the bodies whose boxes have a relation to a window, as objects; all bodies by default. */
  bodies(window = EVERYWHERE, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'bodies', 2);
    const count = this.#sendBodies(window, given);
    renewViews();
    const at = bufferAt();
    return Array.from({ length: count }, (_, i) => bodyAt(at + i * BODY));
  }

  [Symbol.iterator]() {
    return this.bodies()[Symbol.iterator]();
  }

  /** Returns the same bodies as arrays: figures (x, y, vx, vy, ax, ay, radius, mass for each body),
   * ids, roles, data, categories, masks, spins (angle, angularVelocity for each body) and frictions. */
  arrays(window = EVERYWHERE, given = {}) {
    if (arguments.length > 2) surplus(arguments.length, 'arrays', 2);
    const count = this.#sendBodies(window, given);
    const at = bufferAt(), stride = BODY / 8, { buffer } = wasm.memory;
    const doubleWords = new Float64Array(buffer, at, count * stride), words = new Uint32Array(buffer, at, (count * BODY) / 4);
    const bytes = new Uint8Array(buffer, at, count * BODY);
    const floats = new Float32Array(buffer, at, (count * BODY) / 4);
    const all = { figures: new Float64Array(count * FIGURES), ids: new BigUint64Array(count), roles: new Uint8Array(count), data: new BigUint64Array(count),
      categories: new Uint32Array(count), masks: new Uint32Array(count), spins: new Float64Array(count * SPINS), frictions: new Float32Array(count) };
    // Ids and data are copied as halves, so that no object and no bigint is made for a body.
    const places = Object.values(ROLES), ids = new Uint32Array(all.ids.buffer), data = new Uint32Array(all.data.buffer);
    for (let i = 0, k = 0; i < count; i++, k += stride) {
      for (let j = 0; j < FIGURES; j++) all.figures[i * FIGURES + j] = doubleWords[k + 1 + j];
      ids[2 * i] = words[2 * k];
      ids[2 * i + 1] = words[2 * k + 1];
      for (let bit = 0; bit < places.length; bit++) all.roles[i] |= bytes[i * BODY + places[bit]] << bit;
      data[2 * i] = words[2 * k + DATA / 4];
      data[2 * i + 1] = words[2 * k + DATA / 4 + 1];
      all.categories[i] = words[2 * k + CATEGORY / 4];
      all.masks[i] = words[2 * k + MASK / 4];
      for (let j = 0; j < SPINS; j++) all.spins[i * SPINS + j] = doubleWords[k + SPIN / 8 + j];
      all.frictions[i] = floats[2 * k + FRICTION / 4];
    }
    return all;
  }

  /** Returns the body with a given id; null if there is none. */
  get(id) {
    if (arguments.length > 1) surplus(arguments.length, 'get', 1);
    if (counted(call(wasm.pqtjs_world_find, pinOfWorld(this), lowOf(checkedId(id)), highOf(id))) === 0) return null;
    renewViews();
    return bodyAt(bufferAt());
  }

  /** Returns whether a body is asleep: it rests, and steps leave it as it is until something
      touches it. */
  isAsleep(id) {
    return counted(call(wasm.pqtjs_world_is_asleep, pinOfWorld(this), lowOf(checkedId(id)), highOf(id))) === 1;
  }

  /** Returns the bodies whose surfaces are nearest to a point, nearest first, each with its distance. */
  nearest(x, y, most = 1) {
    if (arguments.length > 3) surplus(arguments.length, 'nearest', 3);
    checkNearest(x, y, most);
    const count = counted(call(wasm.pqtjs_world_nearest, pinOfWorld(this), x, y, Math.min(most, MOST))) / (BODY + 8);
    renewViews();
    const at = bufferAt(), view = new DataView(wasm.memory.buffer);
    return Array.from({ length: count }, (_, i) => ({ ...bodyAt(at + i * (BODY + 8)), distance: view.getFloat64(at + i * (BODY + 8) + BODY, true) }));
  }

  /** Returns the events of the step that made this version, in the same order as in C, if its
      option `events` was set. */
  events() {
    const count = counted(call(wasm.pqtjs_world_events, pinOfWorld(this))) / EVENT;
    renewViews();
    const at = bufferAt(), view = new DataView(wasm.memory.buffer);
    return Array.from({ length: count }, (_, i) => {
      const place = at + i * EVENT;
      const [impulse, x, y, normalX, normalY] = new Float64Array(wasm.memory.buffer, place + 32, 5);
      return { time: view.getFloat64(place, true), kind: KINDS[view.getUint32(place + 8, true)], side: SIDES[view.getUint32(place + 12, true)],
        low: wordAt(place + 16), high: wordAt(place + 24), impulse, x, y, normalX, normalY };
    });
  }

  /** Returns the bodies that entered or left a zone since an earlier version. A zone is a box or {
      region, x, y }. */
  crossings(earlier, zone) {
    const { region, x = 0, y = 0 } = members(zone);
    const isBox = region === undefined;
    const { minX, minY, maxX, maxY } = isBox ? box(zone, 'the zone') : {};
    const pins = [pinOfWorld(earlier, 'the earlier version'), pinOfWorld(this)];
    const bytes = counted(isBox ? call(wasm.pqtjs_world_crossings, ...pins, minX, minY, maxX, maxY)
      : call(wasm.pqtjs_world_region_crossings, ...pins, pinOf(region, REGION, 'the zone'), number(x, 'x'), number(y, 'y')));
    renewViews();
    const at = bufferAt(), view = new DataView(wasm.memory.buffer);
    return Array.from({ length: bytes / (BODY + 8) }, (_, i) => {
      const place = at + i * (BODY + 8);
      return { body: bodyAt(place), entered: view.getUint8(place + BODY) !== 0 };
    });
  }

  /** The boxes of the bodies, as a tree. */
  get tree() {
    return ownVersion(TREE, call(wasm.pqtjs_world_tree, pinOfWorld(this)));
  }

  /** Returns { bodies, cells, bytes, energy, momentumX, momentumY }. */
  stats() {
    const [bodies, cells, bytes, energy, momentumX, momentumY] = this.#described().subarray(6);
    return { bodies, cells, bytes, energy, momentumX, momentumY };
  }

  /** Returns the lowest id whose body differs, or is in only one of the versions; null if there is none. */
  differs(other) {
    if (counted(call(wasm.pqtjs_world_differs, pinOfWorld(this), pinOfWorld(other, 'the other version'))) === 0) return null;
    return new Reader().word();
  }
}

register(WORLD, World);

// ---- Recordings ----

const recordings = new FinalizationRegistry((recording) => wasm.pqtjs_recording_destroy(recording));

/** The steps of a world: some worlds are stored, and the others are recomputed from those. */
export class Recording extends Handle {
  #recording = 0;

  /** Starts a recording with a world as step 0. All steps have the same dt and options; a world is
      stored every `every` steps. */
  constructor(first, dt, given = {}) {
    super();
    const { every = 16 } = settings(given, ['every', ...STEP_OPTIONS]);
    number(every, 'every');
    sendOptions(dt, given);
    this.#recording = call(wasm.pqtjs_recording_make, pinOfWorld(first, 'the first world'), every) || raise();
    recordings.register(this, this.#recording, this);
  }

  /** Makes and records the next step, and returns its world. */
  step(given = {}) {
    const report = reportOf(settings(given, ['report']));
    const next = own(call(wasm.pqtjs_recording_step, this.#recording));
    addReport(report);
    return next;
  }

  /** The number of the last step. */
  get last() {
    return counted(call(wasm.pqtjs_recording_count, this.#recording, 0));
  }

  /** The number of stored worlds. */
  get kept() {
    return counted(call(wasm.pqtjs_recording_count, this.#recording, 1));
  }

  /** Returns the world after a step. To go back, start a new recording from it. */
  at(step) {
    return own(call(wasm.pqtjs_recording_at, this.#recording, number(step, 'the step')));
  }

  /** Returns the fingerprint of the world after a step. */
  fingerprint(step) {
    call(wasm.pqtjs_recording_fingerprint, this.#recording, number(step, 'the step')) || raise();
    return fingerprintAt(bufferAt());
  }

  /** Repeats all steps. Returns true if they give the same worlds; otherwise, throws an Error that
      names the first step that differs. */
  verify() {
    return counted(call(wasm.pqtjs_recording_verify, this.#recording)) === 1;
  }

  /** Returns the first step at which two recordings differ, among those that both have, and the lowest id of a body that
      differs there, { step, body }; null if there is none. */
  compare(other) {
    if (!(#recording in Object(other))) throw new TypeError('the other one is not a Recording');
    if (counted(call(wasm.pqtjs_recording_compare, this.#recording, other.#recording)) === 0) return null;
    const reader = new Reader();
    return { step: reader.word(), body: reader.word() };
  }

  [SUMMARY]() {
    return { last: this.last, kept: this.kept };
  }

  [DISPOSE]() {
    this.free();
  }

  /** Releases all stored worlds now. Later calls throw. */
  free() {
    if (this.#recording === 0) return;
    recordings.unregister(this);
    wasm.pqtjs_recording_destroy(this.#recording);
    this.#recording = 0;
  }
}
