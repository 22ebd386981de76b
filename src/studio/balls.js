// SPDX-License-Identifier: MIT
// balls.js: the Balls tab, which shows balls that collide and a timeline of all their moments.

import { Region, World as PqtWorld } from './pqt.js';
import { toHex } from './hex.js';
import { NUMBERS, makeControls } from './balls_controls.js';
import { COLOURS, beginPicture, drawBalls, drawCells, drawMoves, drawObstacle } from './balls_draw.js';
import { Timeline } from './balls_timeline.js';
import { BOUNDS, DT, apply } from './balls_world.js';
import { element, inBytes } from './dom.js';
import { readPicture, solidPixels } from './picture.js';
import { randomFrom, seedOfPage } from './random.js';
import { Raster } from './raster.js';
import { saveBack } from './source.js';
import { onThemeChange } from './theme.js';

/** The milliseconds that a frame may spend on steps. Further steps are skipped, and the simulation slows down. */
const STEP_TIME = 12;
const MOST_STEPS = 16;
const FAMILIAR = 2000; // up to this number of balls, they have radii of 2 to 4

/**
 * @typedef {import('./main.js').Studio} Studio
 * @typedef {import('./pqt.js').World} World
 */

/** Returns whether two files hold equal worlds. A file of an older format has other bytes than a new one. */
function isSameWorld(/** @type {Uint8Array} */ a, /** @type {Uint8Array} */ b) {
  const first = PqtWorld.fromBytes(a), second = PqtWorld.fromBytes(b);
  try {
    return first.equals(second);
  } finally {
    first.free();
    second.free();
  }
}

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
  /** The moment that others are compared with. @type {number | null} */
  marked = null;
  speed = 1;
  /** The bounds of the worlds. */
  bounds = BOUNDS;
  settings = { restitution: 1, gravity: 0 };
  withTrails = true;
  withCells = true;
  raster = new Raster();
  /** The time that is due to be simulated, in seconds. */
  #due = 0;
  #lastFrame = 0;
  #frame = 0;
  #frames = 0;
  #tests = 0;
  #collisions = 0;
  #nextId = 1;
  #isChecking = false;
  /** Whether the user has changed the balls or branched off since the start or since a world was opened or saved. */
  #isEdited = false;
  /** The number of moments that the timeline began with. */
  #atFirst = 0;
  /** The file of the first world, if it was given to `pqt studio` and can be saved back. @type {import('./source.js').Source | null} */
  source = null;
  /** The world whose size in bytes is shown. @type {World | null} */
  #measured = null;

  constructor(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
    this.studio = studio;
    this.random = randomFrom(seedOfPage());
    this.timeline = new Timeline((command) => studio.record(command));
    this.controls = makeControls(panel, this);
    this.start();
    onThemeChange(() => this.show());
  }

  tab() {
    return {
      balls: this,
      tip: 'Run starts the balls, and a click in the picture adds ten. The slider goes back to any moment.',
      shown: () => {
        this.isShown = true;
        this.#lastFrame = 0;
        this.controls.surface.measure();
        this.show();
        if (this.isRunning) this.#requestFrame();
      },
      hidden: () => {
        this.isShown = false;
        cancelAnimationFrame(this.#frame);
      },
      key: (/** @type {KeyboardEvent} */ event) => this.#key(event),
      open: (/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {import('./source.js').Source | null} */ source) => this.#open(name, bytes, source),
      isUnsaved: () => this.#isEdited,
    };
  }

  /** Runs an action. A failure stops the simulation and is shown. */
  guarded(/** @type {() => void} */ action) {
    try {
      action();
    } catch (reason) {
      this.stop();
      const isFull = reason instanceof Error && 'code' in reason && reason.code === 'PQT_ERROR_MEMORY';
      this.studio.fail(isFull ? new Error('The memory is full of versions. Start again, or use fewer balls.') : reason);
    }
  }

  // ---- Commands ----

  /** Starts with five balls and an empty timeline. */
  start() {
    this.#begin({ op: 'world', bounds: BOUNDS });
    this.#edit({ op: 'add', bodies: this.#randomBalls(5, null) }, false);
    this.#rememberStart();
  }

  /** Starts with five balls, unless the user wants to keep the timeline. */
  restart() {
    if (this.#mayDrop()) this.start();
  }

  #rememberStart() {
    this.#isEdited = false;
    this.#atFirst = this.timeline.length;
  }

  /** Asks whether all lines may be dropped, unless they have no more moments than at the start. */
  #mayDrop() {
    const { lines, length } = this.timeline;
    if (lines.length === 1 && length <= this.#atFirst) return true;
    const what = lines.length === 1 ? `The ${length.toLocaleString('en')} moments of this line are` : `${lines.length} lines with all their moments are`;
    return confirm(`${what} in this page only. Continue without them?`);
  }

  /** Starts with an empty timeline and the world that a command makes. */
  #begin(/** @type {object} */ command) {
    this.timeline.free();
    this.source = null;
    this.viewed = null;
    this.marked = null;
    this.#edit(command);
    const { tip } = this.timeline;
    this.bounds = tip.bounds;
    this.#nextId = 1 + tip.bodies().reduce((most, { id }) => Math.max(most, Number(id)), 0);
    this.controls.surface.fit(this.bounds, 0);
    this.#showLines();
    this.#rememberStart();
    this.show();
  }

  /** Makes a world with a command, and shows the change in the tab "Under the hood", unless it is
      the first world. */
  #edit(/** @type {object} */ command, isAction = true) {
    const before = this.timeline.lines.length > 0 ? this.timeline.tip : null;
    this.viewed = null;
    const after = this.timeline.edit(command, this.settings);
    this.#isEdited = true;
    if (before !== null && isAction) this.#showUnderHood(/** @type {{ op: string }} */ (command).op, before, after);
    this.show();
  }

  #showUnderHood(/** @type {string} */ what, /** @type {World} */ before, /** @type {World} */ after) {
    this.timeline.hold(before);
    this.timeline.hold(after);
    const labels = /** @type {Record<string, string>} */ ({ add: 'add balls', remove: 'remove balls', obstacle: 'set the obstacle' });
    this.studio.changed({ label: `Balls: ${labels[what] ?? what}`, before, after });
  }

  #add(/** @type {number} */ count, /** @type {{ x: number, y: number } | null} */ around) {
    this.#edit({ op: 'add', bodies: this.#randomBalls(count, around) });
  }

  /** Returns random balls, around a point or anywhere in the bounds. */
  #randomBalls(/** @type {number} */ count, /** @type {{ x: number, y: number } | null} */ around) {
    const { random, bounds: { minX, minY, maxX, maxY } } = this;
    const most = this.timeline.tip.size + count;
    const small = Math.min(1, Math.sqrt(FAMILIAR / most));
    const clamp = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => Math.min(Math.max(value, low), high);
    const bodies = [];
    for (let i = 0; i < count; i++) {
      const radius = (2 + 2 * random()) * small;
      const signed = () => (30 + 150 * random()) * (random() < 0.5 ? -1 : 1);
      const vx = signed();
      const vy = signed();
      const x = around === null ? minX + random() * (maxX - minX) : around.x + (random() - 0.5) * 60;
      const y = around === null ? minY + random() * (maxY - minY) : around.y + (random() - 0.5) * 60;
      bodies.push({ id: this.#nextId, x: clamp(x, minX + 1.001 * radius, maxX - 1.001 * radius),
        y: clamp(y, minY + 1.001 * radius, maxY - 1.001 * radius), vx, vy, radius,
        data: this.#nextId % COLOURS });
      this.#nextId++;
    }
    return bodies;
  }

  addTen(/** @type {{ x: number, y: number } | null} */ around) {
    this.#add(10, around);
    this.studio.announce(`${this.timeline.tip.size.toLocaleString('en')} balls`);
  }

  /** Adds random balls, or removes the newest ones. */
  setNumber(/** @type {number} */ wanted) {
    const { tip } = this.timeline;
    if (wanted > tip.size) this.#add(wanted - tip.size, null);
    if (wanted >= tip.size) return;
    const ids = tip.bodies().map(({ id }) => Number(id)).sort((a, b) => a - b).slice(wanted);
    this.#edit({ op: 'remove', ids });
  }

  clear() {
    this.#edit({ op: 'clear' });
    this.studio.announce('No balls. The earlier worlds remain on the timeline.');
  }

  setObstacle(/** @type {number[] | null} */ boxes) {
    this.#edit({ op: 'obstacle', boxes });
  }

  choosePicture() {
    return this.#choose('image/png');
  }

  chooseFile() {
    return this.#choose('.pqt');
  }

  async #choose(/** @type {string} */ accept) {
    try {
      for (const { name, bytes } of await this.studio.files.open({ accept }))
        if (!await this.#open(name, bytes)) throw new Error(`${name} holds no world`);
    } catch (reason) {
      this.studio.fail(reason);
    }
  }

  /** Opens a world, or, while the tab is shown, makes a picture the obstacle. */
  async #open(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {import('./source.js').Source | null} */ source = null) {
    const lower = name.toLowerCase();
    if (lower.endsWith('.pqt')) return this.#openWorld(name, bytes, source);
    if (!lower.endsWith('.png') || !this.isShown) return false;
    await this.#openPicture(name, bytes);
    return true;
  }

  /** Starts from the world in a file. Returns false if the file holds none. */
  #openWorld(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {import('./source.js').Source | null} */ source) {
    try {
      PqtWorld.fromBytes(bytes).free();
    } catch {
      return false;
    }
    if (!this.#mayDrop()) return true;
    this.stop();
    this.#begin({ op: 'file', bytes: toHex(bytes) });
    this.source = source;
    this.show();
    this.studio.announce(`${name}: ${this.timeline.tip.size.toLocaleString('en')} balls`);
    return true;
  }

  /** Returns the world of the moment that is shown as a .pqt file. */
  #bytes() {
    const { timeline, viewed } = this;
    return (viewed === null ? timeline.tip : timeline.at(viewed)).toBytes();
  }

  /** Saves the world of the moment that is shown as a new file. */
  save() {
    this.guarded(() => {
      this.studio.files.save('balls.pqt', this.#bytes());
      this.#isEdited = false;
    });
  }

  /** Replaces the file that `pqt studio` was given by the world of the moment that is shown, after asking. If that is the world
   * of the file, the file keeps its bytes. */
  async saveBack() {
    const { source, timeline: { tip } } = this;
    if (source === null) return;
    try {
      if (this.isRunning) this.stop();
      const bytes = this.#bytes();
      const isSaved = await saveBack(this.studio, source, () => (isSameWorld(bytes, source.bytes) ? source.bytes : bytes), {
        saveAs: () => this.save(),
        reopen: () => this.studio.openOffered(source.name),
      });
      if (isSaved && this.source === source && this.timeline.tip === tip) this.#isEdited = false;
    } catch (reason) {
      this.studio.fail(reason);
    }
  }

  /** Makes a picture the obstacle, in the middle of the world. */
  async #openPicture(/** @type {string} */ name, /** @type {Uint8Array} */ bytes) {
    const { minX, minY, maxX, maxY } = this.bounds;
    const most = { width: Math.max(1, Math.floor(maxX - minX)), height: Math.max(1, Math.floor(maxY - minY)) };
    const picture = await readPicture(bytes, name, most);
    const x = Math.floor((minX + maxX - picture.width) / 2), y = Math.floor((minY + maxY - picture.height) / 2);
    const region = Region.ofPixels(solidPixels(picture), { width: picture.width, height: picture.height, x, y });
    if (region.size === 0) throw new Error(`${name} has no dark or opaque pixel`);
    const boxes = region.boxes().flatMap((box) => [box.minX, box.minY, box.maxX, box.maxY]);
    region.free();
    this.guarded(() => this.setObstacle(boxes));
    this.studio.announce(`${name} is the obstacle.`);
  }

  // ---- Time ----

  toggle() {
    if (this.isRunning) this.stop();
    else this.run();
  }

  run() {
    this.isRunning = true;
    this.#lastFrame = 0;
    this.controls.runButton.textContent = 'Stop';
    this.#requestFrame();
  }

  stop() {
    this.isRunning = false;
    this.controls.runButton.textContent = 'Run';
    cancelAnimationFrame(this.#frame);
    this.show();
  }

  #requestFrame() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame((now) => this.guarded(() => this.#runFrame(now)));
  }

  /** Makes the steps that have become due since the last frame, and draws. */
  #runFrame(/** @type {number} */ now) {
    if (!this.isRunning || !this.isShown) return;
    const passed = this.#lastFrame === 0 ? DT : Math.min((now - this.#lastFrame) / 1000, 0.1);
    if (this.#lastFrame !== 0) this.rate = (this.rate ?? 60) * 0.9 + (0.1 * 1000) / Math.max(now - this.#lastFrame, 1);
    this.#lastFrame = now;
    this.#due += passed * this.speed;
    const began = performance.now();
    for (let steps = 0; this.#due >= DT && steps < MOST_STEPS && performance.now() - began < STEP_TIME; steps++) {
      this.#step();
      this.#due -= DT;
    }
    if (this.#due > DT) this.#due = 0;
    this.show();
    this.#requestFrame();
  }

  #step() {
    /** @type {import('./pqt.js').StepReport} */
    const report = {};
    const before = this.timeline.tip;
    const after = this.timeline.step(this.settings, report);
    this.#tests = report.tests ?? 0;
    this.#collisions = (report.bounces ?? 0) + (report.obstacleHits ?? 0);
    if (!this.isRunning) this.#showUnderHood('step', before, after);
  }

  stepOnce() {
    if (this.isRunning) this.stop();
    if (this.viewed !== null && this.viewed < this.timeline.length - 1) {
      this.goTo(this.viewed + 1);
      return;
    }
    this.viewed = null;
    this.#step();
    this.show();
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

  /** Continues from the moment that is shown, in a new line. */
  resume() {
    if (this.viewed === null) return;
    this.guarded(() => {
      this.timeline.branch(/** @type {number} */ (this.viewed));
      this.#isEdited = true;
      this.viewed = null;
      this.#showLines();
      this.run();
      this.studio.announce(`${this.timeline.line.name} begins at this moment. The previous line remains.`);
    });
  }

  mark() {
    this.marked = this.marked === null ? this.viewed ?? this.timeline.length - 1 : null;
    this.controls.markButton.setAttribute('aria-pressed', String(this.marked !== null));
    this.studio.announce(this.marked === null ? 'The comparison has ended.'
      : `Arrows lead from moment ${this.marked.toLocaleString('en')} to the one that the slider shows. Press Compare again to remove them.`);
    this.show();
  }

  choose(/** @type {number} */ line) {
    this.timeline.current = line;
    this.viewed = null;
    if (this.marked !== null) this.mark();
    this.show();
  }

  #showLines() {
    const { lines, current } = this.timeline;
    this.controls.lines.select.replaceChildren(...lines.map(({ name }, i) => element('option', { value: i }, name)));
    this.controls.lines.select.value = String(current);
    if (this.marked !== null) this.mark();
  }

  /** Recomputes all worlds of the line from the log of commands, and compares the last fingerprint. */
  async check() {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const { timeline } = this;
      const moment = timeline.length - 1, expected = timeline.tip.fingerprint();
      /** @type {World | null} */
      let world = null;
      let made = 0, began = performance.now();
      for (const command of timeline.commandsOf(timeline.versionAt(moment)))
        for (let i = 0; i < (command.op === 'step' ? command.count : 1); i++) {
          const next = apply(world, command);
          world?.free();
          world = next;
          made++;
          if (performance.now() - began > 30) {
            this.studio.announce(`Recomputed ${made.toLocaleString('en')} worlds …`);
            await new Promise((resolve) => { setTimeout(resolve); });
            began = performance.now();
          }
        }
      const found = world?.fingerprint();
      world?.free();
      this.studio.announce(found === expected
        ? `Yes: ${made.toLocaleString('en')} worlds were recomputed, and the last one is equal: ${found}`
        : `No: the fingerprints differ: ${found} now, ${expected} before`);
    } catch (reason) {
      this.studio.fail(reason);
    } finally {
      this.#isChecking = false;
    }
  }

  #key(/** @type {KeyboardEvent} */ { key, ctrlKey, metaKey, altKey, target }) {
    if (ctrlKey || metaKey || altKey) return false;
    switch (key.toLowerCase()) {
      case ' ': this.toggle(); break;
      case '.': this.guarded(() => this.stepOnce()); break;
      case ',': this.goTo((this.viewed ?? this.timeline.length - 1) - 1); break;
      case 'l': this.live(); break;
      case 'b': this.resume(); break;
      case 'm': this.mark(); break;
      case 'enter':
        if (target !== this.controls.surface.canvas) return false;
        this.guarded(() => this.addTen(null));
        break;
      default: return false;
    }
    return true;
  }

  // ---- Drawing ----

  /** Shows the moment in the picture, on the slider and in the figures. */
  show() {
    if (!this.isShown) return;
    const { timeline } = this;
    const last = timeline.length - 1;
    if (this.viewed !== null && this.viewed < timeline.start) this.viewed = timeline.start;
    const moment = this.viewed ?? last;
    this.controls.position.min = String(timeline.start);
    this.controls.position.max = String(last);
    this.controls.position.value = String(moment);
    this.controls.positionText.textContent = `${moment.toLocaleString('en')} of ${last.toLocaleString('en')}, ${timeline.timeAt(moment).toFixed(2)} s`;
    this.controls.saveBackButton.hidden = this.source === null;
    this.controls.liveButton.disabled = this.viewed === null;
    this.controls.resumeButton.disabled = this.viewed === null;
    this.#frames++;
    this.controls.surface.drawNow();
  }

  /** Draws the moment that is shown. */
  draw() {
    const { timeline, controls: { surface } } = this;
    if (timeline.lines.length === 0) return;
    const world = this.viewed === null ? timeline.tip : timeline.at(this.viewed);
    const fades = this.withTrails && this.isRunning && this.viewed === null && this.marked === null;
    beginPicture(surface, this.raster, fades);
    drawObstacle(surface, this.raster, world);
    if (this.withCells) drawCells(surface, this.raster, world);
    const drawn = drawBalls(surface, this.raster, world);
    let moved = null;
    if (this.marked !== null && this.marked >= timeline.start) {
      const before = timeline.at(this.marked);
      moved = drawMoves(surface, before, world);
      if (before !== timeline.tip) before.free();
    }
    this.controls.hint.hidden = drawn > 0;
    this.controls.diagnostics.show({ bodies: world.size, drawn, tests: this.#tests, collisions: this.#collisions, kept: timeline.kept,
      moved: moved ?? '–', rate: this.isRunning ? Math.round(this.rate ?? 0) : '–' });
    if (timeline.tip !== this.#measured && (!this.isRunning || this.#frames % 60 === 0)) {
      this.#measured = timeline.tip;
      this.controls.diagnostics.show({ bytes: inBytes(timeline.bytesOfTip()) });
    }
    this.controls.number.set(Math.max(0, NUMBERS.findLastIndex((number) => number <= world.size)), world.size.toLocaleString('en'));
    if (world !== timeline.tip) world.free();
  }

  /** The average number of frames per second. @type {number | undefined} */
  rate;
}
