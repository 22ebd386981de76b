// SPDX-License-Identifier: MIT
// balls_timeline.js: all worlds of the Balls tab, as lines of moments that branch.
//
// A segment is a recording: a first world, and the steps from it, which have the same settings. A
// line is a list of parts of segments. Lines share the segments before the point at which they
// branch. A moment is a world of a line, identified by its number from the beginning of the line.

import { Recording, exclusiveBytes, memory, reclaim } from './pqt.js';
import { DT, apply, areEqual, stepOptions } from './balls_world.js';

/**
 * @typedef {import('./pqt.js').World} World
 * @typedef {import('./balls_world.js').StepSettings} StepSettings
 * @typedef {import('./balls_world.js').Command} Command
 */

/** The maximum number of steps of a segment. Dropping the oldest moments frees whole segments. */
const LONGEST = 512;
/** If all versions take more bytes than this, the oldest moments are dropped. */
const BUDGET = 600e6;

/** Returns the number of collisions of a step: contacts that it resolved, of two balls, and of a ball and a wall or the obstacle. */
export function collisionsOf(/** @type {import('./pqt.js').StepReport} */ { contacts = 0, bounces = 0, obstacleHits = 0 }) {
  return contacts + bounces + obstacleHits;
}

/** Returns an id above those of all balls. */
export function nextIdOf(/** @type {World} */ world) {
  return 1 + world.bodies().reduce((most, { id }) => Math.max(most, Number(id)), 0);
}

export class Segment {
  /**
   * @param {World} first
   * @param {StepSettings} settings
   * @param {number} version  the number of the version `first`
   * @param {number} collisions  the number of collisions up to `first`
   * @param {number} steps  the number of steps up to `first`, from the beginning of the line
   */
  constructor(first, settings, version, collisions, steps) {
    this.settings = settings;
    this.firstSteps = steps;
    this.firstVersion = version;
    /** The number of the version after step 1. Later steps have the numbers that follow. */
    this.nextVersion = -1;
    /** The number of steps that were made. */
    this.last = 0;
    /** The number of collisions up to each step. */
    this.collisions = [collisions];
    // Steps of more bodies take more time and memory, so fewer of their worlds are stored.
    /** The number of steps from one stored world to the next. */
    this.every = first.size <= 200 ? 4 : first.size <= 1000 ? 8 : first.size <= 5000 ? 16 : 64;
    this.recording = new Recording(first, DT, { ...stepOptions(settings), every: this.every });
  }

  /** Makes the next step. */
  step(/** @type {import('./pqt.js').StepReport} */ report) {
    const world = this.recording.step({ report });
    this.collisions.push(this.collisions[this.last] + collisionsOf(report));
    this.last++;
    return world;
  }

  versionAt(/** @type {number} */ step) {
    return step === 0 ? this.firstVersion : this.nextVersion + step - 1;
  }
}

/**
 * A part of a line: the steps `first` to `last` of a segment.
 * @typedef {{ segment: Segment, first: number, last: number }} Part
 * @typedef {{ name: string, parts: Part[], dropped: number, tip: World, before: World | null, parent: Line | null, from: number }} Line
 *   `before` is the world before the tip; the line branches off its parent after the moment `from`
 */

export class Timeline {
  /** @type {Line[]} */
  lines = [];
  /** The index of the running line. */
  current = 0;
  #versions = 0;
  #record;
  #budget;
  /** @type {Command[]} */
  log = [];

  /** `record` is called with each command. If the versions take more than `budget` bytes, the
      oldest moments are dropped. */
  constructor(/** @type {(command: object) => void} */ record, budget = BUDGET) {
    this.#record = record;
    this.#budget = budget;
  }

  get line() {
    return this.lines[this.current];
  }

  /** The number of moments of the running line, including those that were dropped. */
  get length() {
    return this.lengthOf(this.line);
  }

  /** The number of moments of a line. */
  lengthOf(/** @type {Line} */ { dropped, parts }) {
    return dropped + parts.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** The oldest moment that is still kept. */
  get start() {
    return this.line.dropped;
  }

  /** The world of the last moment of the line. */
  get tip() {
    return this.line.tip;
  }

  #log(/** @type {Command} */ command) {
    this.log.push(command);
    this.#record(command);
  }

  /** Finds the part that contains a moment, and the step in it. */
  #find(/** @type {number} */ moment, /** @type {Line} */ line = this.line) {
    let rest = moment - line.dropped;
    for (const part of line.parts) {
      const count = part.last - part.first + 1;
      if (rest >= 0 && rest < count) return { part, step: part.first + rest };
      rest -= count;
    }
    throw new RangeError(`moment ${moment} is not kept`);
  }

  /** Returns the world of a moment, and may recompute a few steps for it. */
  at(/** @type {number} */ moment) {
    if (moment === this.length - 1) return this.tip;
    const { part, step } = this.#find(moment);
    return part.segment.recording.at(step);
  }

  /** Returns the segment that has a moment of a line, and the step in it. */
  placeOf(/** @type {number} */ moment, /** @type {Line} */ line) {
    const { part, step } = this.#find(moment, line);
    return { segment: part.segment, step };
  }

  /** Returns the number that the log gives to the version of a moment. */
  versionAt(/** @type {number} */ moment, /** @type {Line} */ line = this.line) {
    const { part, step } = this.#find(moment, line);
    return part.segment.versionAt(step);
  }

  /** Returns the number of collisions from the beginning of the line to a moment. */
  collisionsAt(/** @type {number} */ moment) {
    const { part, step } = this.#find(moment);
    return part.segment.collisions[step];
  }

  /** Returns the number of steps from the beginning of a line to a moment. Edits are moments, too, but take no time. */
  stepsAt(/** @type {number} */ moment, /** @type {Line} */ line = this.line) {
    const { part, step } = this.#find(moment, line);
    return part.segment.firstSteps + step;
  }

  /** Returns the time from the beginning of the running line to a moment, in seconds. */
  timeAt(/** @type {number} */ moment) {
    return this.stepsAt(moment) * DT;
  }

  /** Returns the last moment of a line that is not later than a number of steps; the first one that is kept if all are. */
  momentAfter(/** @type {number} */ steps, /** @type {Line} */ line) {
    let at = line.dropped, found = at;
    for (const { segment: { firstSteps }, first, last } of line.parts) {
      if (firstSteps + first > steps) break;
      found = at + Math.min(steps - firstSteps, last) - first;
      at += last - first + 1;
    }
    return found;
  }

  /** Finds the command that made a version, and the number of its first version. */
  #commandOf(/** @type {number} */ version) {
    let low = 0, high = this.log.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firsts[middle] <= version) low = middle;
      else high = middle - 1;
    }
    return { command: this.log[low], first: this.#firsts[low] };
  }
  /** @type {number[]} */
  #firsts = [];

  /** Applies a command to the last moment, and appends the resulting world as a moment.
   * @param {object} command  without `tab` and `from`
   * @param {StepSettings} settings
   */
  edit(command, settings) {
    const has = this.lines.length > 0;
    const whole = /** @type {Command} */ ({ tab: 'balls', from: has ? this.versionAt(this.length - 1) : -1, ...command });
    const world = apply(has ? this.tip : null, whole);
    const version = this.#versions++;
    this.#firsts.push(version);
    this.#log(whole);
    const collisions = has ? this.collisionsAt(this.length - 1) : 0;
    const part = { segment: new Segment(world, settings, version, collisions, has ? this.stepsAt(this.length - 1) : 0), first: 0, last: 0 };
    if (has) {
      this.line.parts.push(part);
      this.#append(world);
    } else {
      this.lines.push({ name: 'Line 1', parts: [part], dropped: 0, tip: world, before: null, parent: null, from: 0 });
    }
    return world;
  }

  /** Keeps a world even when another one follows it. */
  hold(/** @type {World} */ world) {
    this.#held.add(world);
  }
  /** @type {WeakSet<World>} */
  #held = new WeakSet();

  /** Makes a world the tip of the line. Frees the world before the previous tip, which the
      recordings can recompute. */
  #append(/** @type {World} */ world) {
    const { line } = this, older = line.before;
    line.before = line.tip;
    line.tip = world;
    if (older !== null && !this.#held.has(older) && this.lines.every(({ tip, before }) => tip !== older && before !== older)) older.free();
  }

  /** Makes the next step of the line. */
  step(/** @type {StepSettings} */ settings, /** @type {import('./pqt.js').StepReport} */ report) {
    const { line } = this;
    let part = line.parts[line.parts.length - 1];
    /** @type {Command | undefined} */
    let last = this.log[this.log.length - 1];
    const { segment } = part;
    const goesOn = part.last === segment.last && segment.last < LONGEST && areEqual(segment.settings, settings) &&
      segment.versionAt(part.last) === this.#versions - 1;
    if (!goesOn) {
      part = { segment: new Segment(line.tip, settings, segment.versionAt(part.last), segment.collisions[part.last], segment.firstSteps + part.last), first: 1, last: 0 };
      last = undefined;
    }
    const from = part.segment.versionAt(part.last);
    const world = part.segment.step(report);
    if (!goesOn) line.parts.push(part);
    const version = this.#versions++;
    if (part.last === 0) part.segment.nextVersion = version;
    if (last?.op === 'step' && goesOn && part.last > 0) {
      last.count++;
    } else {
      this.#firsts.push(version);
      this.#log({ tab: 'balls', op: 'step', from, count: 1, dt: DT, ...settings });
    }
    part.last++;
    this.#append(world);
    if (version % 64 === 0) this.#dropOldest();
    return world;
  }

  /** Starts a line that shares all moments up to a given one, and makes it the current line. */
  branch(/** @type {number} */ moment) {
    const { line } = this;
    const tip = this.at(moment);
    const { part, step } = this.#find(moment);
    const parts = [...line.parts.slice(0, line.parts.indexOf(part)), { ...part, last: step }];
    this.lines.push({ name: `Line ${this.lines.length + 1}`, parts, dropped: line.dropped, tip, before: null, parent: line, from: moment });
    this.current = this.lines.length - 1;
  }

  /** Frees the oldest segments while the versions take more than the budget. */
  #dropOldest() {
    while (memory().usedBytes > this.#budget && this.line.parts.length > 2) {
      const [{ segment }] = this.line.parts;
      for (const line of this.lines) {
        const kept = line.parts.filter((part) => part.segment !== segment);
        if (kept.length === line.parts.length || kept.length === 0) continue;
        line.dropped += line.parts.filter((part) => part.segment === segment).reduce((sum, { first, last }) => sum + last - first + 1, 0);
        line.parts = kept;
      }
      if (this.lines.some(({ parts }) => parts.some((part) => part.segment === segment))) return;
      segment.recording.free();
      reclaim();
    }
  }

  /** The number of versions that are moments of any line. */
  get kept() {
    /** @type {Map<Segment, { first: number, last: number }>} */
    const ranges = new Map();
    for (const { segment, first, last } of this.lines.flatMap(({ parts }) => parts)) {
      const old = ranges.get(segment);
      ranges.set(segment, { first: Math.min(first, old?.first ?? first), last: Math.max(last, old?.last ?? last) });
    }
    return [...ranges.values()].reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  #segments(lines = this.lines) {
    return new Set(lines.flatMap(({ parts }) => parts.map(({ segment }) => segment)));
  }

  /** Returns the number of bytes that the last moment does not share with the previous moment. */
  bytesOfTip() {
    if (this.length - this.start < 2) return exclusiveBytes(this.tip);
    this.line.before ??= this.at(this.length - 2); // this may recompute steps, once per line
    return exclusiveBytes(this.tip, this.line.before);
  }

  /** Returns the commands that made a version, in order, each with the number of its steps up to
      that version. */
  commandsOf(/** @type {number} */ version) {
    /** @type {Command[]} */
    const commands = [];
    for (let at = version; at >= 0;) {
      const { command, first } = this.#commandOf(at);
      commands.push(command.op === 'step' ? { ...command, count: at - first + 1 } : command);
      at = command.from;
    }
    return commands.reverse();
  }

  /** Takes all lines out, so that others can begin. They can be put back, or freed. */
  takeOut() {
    const { lines, current } = this;
    this.lines = [];
    this.current = 0;
    return { lines, current };
  }

  /** Puts lines back that were taken out, when there are no others. */
  putBack(/** @type {{ lines: Line[], current: number }} */ { lines, current }) {
    this.lines = lines;
    this.current = current;
  }

  /** Frees all worlds of lines, which may have been taken out, and forgets the lines but not the log. */
  free(lines = this.lines) {
    for (const { recording } of this.#segments(lines)) recording.free();
    if (lines !== this.lines) return;
    this.lines = [];
    this.current = 0;
  }
}
