// SPDX-License-Identifier: MIT
// balls.js: the Balls tab, which shows balls that collide and a timeline of all their moments.

import { Clock } from './balls_clock.js';
import { makeControls } from './balls_controls.js';
import * as worlds from './balls_files.js';
import { draw } from './balls_picture.js';
import { openLink } from './balls_follow.js';
import { keptWork } from './balls_kept.js';
import { makeKeys } from './balls_keys.js';
import { commandOf } from './balls_link.js';
import { FIRST, commandsOf } from './balls_scenes.js';
import { Seek } from './balls_seek.js';
import { BallsUndo } from './balls_undo.js';
import { Timeline, nextIdOf } from './balls_timeline.js';
import { BOUNDS } from './balls_world.js';
import { element } from './dom.js';
import { randomFrom, seedOfPage } from './random.js';
import { Raster } from './raster.js';
import { onThemeChange } from './theme.js';

/** The names of actions. */
const LABELS = /** @type {Record<string, string>} */ ({ add: 'add balls', remove: 'remove balls', clear: 'remove all balls', obstacle: 'set the obstacle' });

/**
 * @typedef {import('./main.js').Studio} Studio
 * @typedef {import('./pqt.js').World} World
 * @typedef {import('./balls_scenes.js').Scene} Scene
 * @typedef {import('./balls_timeline.js').Line} Line
 */

/** Makes the tab. */
export function create(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
  return new Balls(panel, studio).tab();
}

/** The tab. Its public methods are the actions of the controls. */
export class Balls {
  /** @type {Timeline} */
  timeline;
  isRunning = false;
  isShown = false;
  /** The moment that is shown; null: the last one. @type {number | null} */
  viewed = null;
  /** The moment that others are compared with, with its world. @type {{ line: Line, moment: number, world: World } | null} */
  marked = null;
  /** A line that is drawn as rings behind the balls. @type {Line | null} */
  ghost = null;
  seek = new Seek();
  ghostSeek = new Seek();
  undoing = new BallsUndo(this);
  speed = 1;
  /** The scene that the timeline began with; null: a file. @type {Scene | null} */
  scene = null;
  /** The message when the tab is shown, if it opened with the moment of a link. */
  greeting = '';
  /** The seed of the scene. */
  seed = 0;
  /** The part of the plane that is shown, in which balls are added. */
  view = BOUNDS;
  /** @type {import('./balls_world.js').StepSettings} */
  settings = { restitution: 1, gravity: 0 };
  withTrails = true;
  withCells = true;
  raster = new Raster();
  clock = new Clock(this);
  /** The id of the next ball. Lines have no id in common that they did not share. */
  nextId = 1;
  /** Whether the user has changed the balls or branched off since the start or since a world was opened or saved. */
  isEdited = false;
  /** The file of the first world, if it was given to `pqt studio` and can be saved back. @type {import('./source.js').Source | null} */
  source = null;

  constructor(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
    this.studio = studio;
    this.random = randomFrom(seedOfPage());
    this.timeline = new Timeline((command) => studio.record(command));
    this.controls = makeControls(panel, this);
    this.work = keptWork(this);
    this.#key = makeKeys(this);
    openLink(this, studio.link, !this.#wantsStillness());
    onThemeChange(() => this.show());
  }

  #key;

  /** Whether the user has pressed Run or Stop. */
  #isChosen = false;

  /** Whether the system asks for less motion. Then nothing moves until Run is pressed. */
  #wantsStillness() {
    return matchMedia('(prefers-reduced-motion: reduce)').matches;
  }

  tab() {
    const { balls } = { balls: this };
    return {
      balls,
      get tip() {
        if (balls.greeting !== '') return balls.greeting;
        if (!balls.isRunning && !balls.#isChosen && balls.#wantsStillness()) return 'Nothing moves, because your system asks for less motion. Run starts the balls.';
        return 'Drag the slider below the picture to go back in time. A click in the picture adds ten balls.';
      },
      shown: () => {
        this.isShown = true;
        this.controls.surface.measure();
        this.show();
        this.controls.presets.drawSoon();
        if (this.isRunning) this.clock.run();
      },
      hidden: () => {
        this.isShown = false;
        this.clock.pause();
      },
      key: this.#key,
      open: (/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {import('./source.js').Source | null} */ source) => worlds.open(this, name, bytes, source),
      link: (/** @type {string} */ text) => { if (this.undoing.mayDrop()) openLink(this, text, this.isRunning); },
      isUnsaved: () => this.isEdited && !this.work.isKept,
      keep: () => {
        if (this.isEdited) this.work.note();
        this.work.flush();
      },
      offerOwn: () => this.work.offer(this.controls.stage),
    };
  }

  /** Runs an action. A failure stops the simulation and is shown. */
  guarded(/** @type {() => void} */ action) {
    try {
      action();
    } catch (reason) {
      this.clock.stop();
      const isFull = reason instanceof Error && 'code' in reason && reason.code === 'PQT_ERROR_MEMORY';
      this.studio.fail(isFull ? new Error('The memory is full of versions. Start again, or use fewer balls.') : reason);
    }
  }

  // ---- Commands ----

  /** Starts a scene with an empty timeline. */
  start(/** @type {Scene} */ scene, seed = this.#newSeed()) {
    this.begin(scene, commandsOf(scene, seed), seed);
  }

  #newSeed() {
    return Math.floor(this.random() * 2 ** 31);
  }

  /** Starts a scene, and runs it, unless the user wants to keep the timeline. */
  chooseScene(/** @type {Scene} */ scene) {
    if (!this.undoing.mayDrop()) return;
    this.start(scene);
    if (!this.#wantsStillness()) this.clock.run();
  }

  /** Starts the scene again. A world from a file makes place for the first scene. */
  restart() {
    if (this.undoing.mayDrop()) this.start(this.scene ?? FIRST);
  }

  /** Starts with an empty timeline and the world that some commands make. */
  begin(/** @type {Scene | null} */ scene, /** @type {object[]} */ commands, seed = 0) {
    this.end();
    this.undoing.leave();
    this.scene = scene;
    this.seed = seed;
    this.source = null;
    this.settings = scene?.settings ?? { restitution: 1, gravity: 0 };
    for (const command of commands) this.timeline.edit(command, this.settings);
    const { tip } = this.timeline;
    this.view = scene?.view ?? tip.bounds;
    this.nextId = nextIdOf(tip);
    this.isEdited = false;
    this.began();
  }

  /** Ends what belongs to the lines that are shown. */
  end() {
    if (this.isRunning) this.clock.stop();
    this.unmark();
    this.ghost = null;
    this.undoing.forgetEdit();
    for (const seek of [this.seek, this.ghostSeek]) seek.clear();
    this.controls.scrubber.clear();
    this.viewed = null;
    this.clock.report = { tests: 0, collisions: 0 };
  }

  /** Shows other lines. */
  began() {
    this.studio.succeeded();
    this.controls.surface.fit(this.view);
    this.controls.presets.show(this.scene);
    this.controls.showSettings(this.settings);
    this.controls.about.clear();
    this.#isFresh = true;
    this.showLines();
    this.show();
  }

  /** Makes a world with a command, and shows the change in the tab "Under the hood". */
  #edit(/** @type {{ op: string } & Record<string, unknown>} */ command) {
    const before = this.timeline.tip;
    const after = this.timeline.edit(command, this.settings);
    this.isEdited = true;
    this.work.note();
    this.undoing.note(LABELS[command.op] ?? command.op);
    this.studio.succeeded();
    this.showUnderHood(command.op, before, after);
    this.controls.about.showEdit(before, after);
    this.show();
  }

  showUnderHood(/** @type {string} */ what, /** @type {World} */ before, /** @type {World} */ after) {
    this.timeline.hold(before);
    this.timeline.hold(after);
    this.studio.changed({ label: `Balls: ${LABELS[what] ?? what}`, before, after });
  }

  #add(/** @type {number} */ count, /** @type {{ x: number, y: number } | null} */ given) {
    const rounded = (/** @type {number} */ value) => Math.round(Math.min(Math.max(value, -1e6), 1e6) * 10) / 10; // short in links
    const around = given === null ? null : { x: rounded(given.x), y: rounded(given.y) };
    const first = this.nextId;
    this.nextId += count;
    this.#edit(commandOf({ op: 'add', count, seed: this.#newSeed(), first, around }, this));
  }

  addTen(/** @type {{ x: number, y: number } | null} */ around) {
    const where = this.branchIfPast();
    this.#add(10, around);
    this.studio.announce(`${where}${this.timeline.tip.size.toLocaleString('en')} balls`);
  }

  /** Adds random balls, or removes the newest ones. */
  setNumber(/** @type {number} */ wanted) {
    this.branchIfPast();
    const { tip } = this.timeline;
    if (wanted > tip.size) this.#add(wanted - tip.size, null);
    if (wanted >= tip.size) return;
    this.#edit(commandOf({ op: 'keep', count: wanted }, this));
  }

  clear() {
    const where = this.branchIfPast();
    this.#edit(commandOf({ op: 'clear' }, this));
    this.studio.announce(`${where}No balls. The earlier worlds remain on the timeline.`);
  }

  setObstacle(/** @type {number[] | null} */ boxes) {
    this.branchIfPast();
    this.#edit(boxes === null ? commandOf({ op: 'obstacle' }, this) : { op: 'obstacle', boxes });
  }

  /** Returns the world of the moment that is shown as a .pqt file. */
  bytes() {
    const { timeline, viewed } = this;
    return (viewed === null ? timeline.tip : timeline.at(viewed)).toBytes();
  }

  /** The world in the picture, which is still an earlier one if `missing` is not 0. */
  get shownWorld() {
    return this.viewed === null ? this.timeline.tip : /** @type {World} */ (this.seek.world);
  }

  // ---- Time ----

  /** Stops, or runs from the moment that is shown. */
  toggle() {
    this.#isChosen = true;
    if (this.isRunning) this.clock.stop();
    else if (this.viewed !== null) this.resume();
    else this.clock.run();
  }

  /** Shows a moment. The simulation continues. */
  goTo(/** @type {number} */ moment) {
    const last = this.timeline.length - 1;
    this.viewed = moment >= last ? null : Math.max(moment, this.timeline.start);
    this.show();
  }

  live() {
    this.viewed = null;
    this.show();
  }

  /** If an earlier moment is shown, starts a line that branches off there. An edit then changes that line, and no moment that
      others follow. Returns a sentence about it. */
  branchIfPast() {
    if (this.viewed === null) return '';
    const { timeline, viewed } = this, old = timeline.line.name;
    timeline.branch(viewed);
    this.isEdited = true;
    this.work.note();
    this.viewed = null;
    this.showLines();
    return `${timeline.line.name} branches off ${old} at moment ${viewed.toLocaleString('en')}; ${old} remains. `;
  }

  /** Runs on from the moment that is shown, in a new line. */
  resume() {
    if (this.viewed === null) return;
    this.guarded(() => {
      this.studio.announce(this.branchIfPast().trim());
      this.clock.run();
    });
  }

  /** Marks the moment that is shown, or ends the comparison with it. */
  mark() {
    const { timeline } = this, moment = this.viewed ?? timeline.length - 1;
    if (this.marked !== null) {
      this.unmark();
      this.studio.announce('The comparison has ended.');
    } else {
      const { segment, step } = timeline.placeOf(moment, timeline.line);
      this.marked = { line: timeline.line, moment, world: segment.recording.at(step) };
      this.studio.announce(`Arrows lead from moment ${moment.toLocaleString('en')} of ${timeline.line.name} to the one that is shown, of any line.`);
    }
    this.show();
  }

  /** Ends the comparison. */
  unmark() {
    this.marked?.world.free();
    this.marked = null;
  }

  /** Chooses the line that runs on. */
  choose(/** @type {number} */ line) {
    this.timeline.current = line;
    this.viewed = null;
    this.show();
  }

  /** Draws a line as rings behind the balls; -1: none. */
  setGhost(/** @type {number} */ line) {
    this.ghost = this.timeline.lines[line] ?? null;
    this.show();
  }

  showLines() {
    const { timeline: { lines }, controls } = this, choices = lines.map(({ name }, i) => element('option', { value: i }, name));
    controls.lines.select.replaceChildren(...choices);
    controls.ghost.select.replaceChildren(element('option', { value: -1 }, 'none'), ...choices.map((one) => one.cloneNode(true)));
  }

  // ---- Drawing ----

  /** Shows the moment in the picture, on the slider and in the figures. */
  show() {
    if (!this.isShown) return;
    if (this.viewed !== null && this.viewed < this.timeline.start) this.viewed = this.timeline.start;
    this.#aim();
    this.controls.showMoment();
    this.controls.surface.drawNow();
    if (this.missing > 0) this.#settle();
  }

  /** The number of steps by which the picture is behind the moment. */
  get missing() {
    return (this.viewed === null ? 0 : this.seek.missing) + (this.ghost === null ? 0 : this.ghostSeek.missing);
  }

  #aim() {
    const { timeline, viewed, ghost } = this;
    if (viewed !== null) this.seek.aim(timeline, timeline.line, viewed);
    if (ghost === null) return;
    this.ghostSeek.aim(timeline, ghost, timeline.momentAfter(timeline.stepsAt(viewed ?? timeline.length - 1), ghost));
  }

  /** Makes the missing steps in slices, one per frame. */
  #settle() {
    cancelAnimationFrame(this.#settling);
    this.#settling = requestAnimationFrame(() => {
      for (const seek of [this.seek, this.ghostSeek]) seek.advance();
      this.show();
    });
  }
  #settling = 0;

  /** Draws the moment that is shown. */
  draw() {
    if (this.timeline.lines.length > 0) draw(this, this.#isFresh);
    this.#isFresh = false;
  }
  /** Whether the next picture has no trail. */
  #isFresh = true;
}
