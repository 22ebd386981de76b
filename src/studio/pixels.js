// SPDX-License-Identifier: MIT
// pixels.js: the Pixels tab, in which the user draws two pixel objects, and sees how they collide when
// one moves toward the other.

import { Region } from './pqt.js';
import { makeControls } from './pixels_controls.js';
import { KeptWork } from './kept_work.js';
import { Objects, PLACES, SIDE, noColours } from './pixels_objects.js';
import { openPicture, openRegion, pictureOf } from './pixels_file.js';
import { drawScene } from './pixels_draw.js';
import { SCENE, Scene } from './pixels_scene.js';
import { sizeOfPng } from './picture.js';
import { saveBack } from './source.js';
import { Strip } from './strip.js';
import { onThemeChange } from './theme.js';

/**
 * @typedef {import('./main.js').Studio} Studio
 * @typedef {import('./pixels_objects.js').Name} Name
 * @typedef {import('./pixels_scene.js').Held} Held
 */

/** The width of the widest pen, in pixels. */
export const WIDEST = 64;

/** Arrow keys pressed within this time make one entry, in milliseconds. */
const PAUSE = 1000;

/** The margin around the objects when all of them are shown, in CSS pixels. */
const MARGIN = 12;

const LABELS = { blocking: 'blocking object', collider: 'collision object', tip: 'movement' };

/** Makes the tab. */
export function create(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
  return new Pixels(panel, studio).tab();
}

/** The tab. Its public methods are the actions of the controls. */
export class Pixels {
  /** The width of the pen, in pixels. */
  pen = 3;
  isErasing = false;
  isRunning = false;
  isShown = false;
  withCells = true;
  /** The colour in which the pen paints; null: the pen takes colours away. @type {import('./pixels_objects.js').Colour | null} */
  ink = null;
  /** The part of the plane that the scene shows. */
  view = SCENE;
  /** The part of the scene that the arrow keys move. @type {Held} */
  grabbed = 'collider';
  /** The object into which files are loaded. @type {Name} */
  target = 'blocking';
  /** The files that the objects come from. @type {Record<Name, import('./pixels_file.js').OpenedObject | null>} */
  #files = { blocking: null, collider: null };
  /** The names of files, without an extension, for the entries of the history that took an object from a file or cleared it. @type {Map<number, Partial<Record<Name, string>>>} */
  #names = new Map();
  /** The same files, if they were given to `pqt studio` and can be saved back. @type {Record<Name, import('./source.js').Source | null>} */
  sources = { blocking: null, collider: null };
  /** The objects that have been edited since they were opened or saved. @type {Set<Name>} */
  #unsaved = new Set();
  /** The sizes of the sheets that are shown. */
  #sizes = '';
  #frame = 0;
  #lastFrame = 0;
  #drags = 0;
  #lastArrow = 0;

  constructor(/** @type {HTMLElement} */ panel, /** @type {Studio} */ studio) {
    this.studio = studio;
    this.objects = new Objects((command) => studio.record(command));
    this.scene = new Scene(this.objects);
    this.strip = new Strip('pixels', studio, { empty: 'Draw: the parts that the stroke copies light up here. The parts are the two objects and their colours.' });
    this.controls = makeControls(panel, this);
    this.work = new KeptWork(studio, 'pixels', () => {
      const { bytes, places } = this.objects.stored();
      return { bytes, state: { places }, versions: this.objects.history.entries().length, what: 'Your drawings' };
    }, (bytes, { places }) => {
      this.objects.restore(bytes, places);
      this.#names.clear();
      this.scene.put(this.objects.places);
      this.#unsaved = new Set(/** @type {Name[]} */ (['blocking', 'collider']));
      this.#showEdit();
      this.show();
      studio.announce('Your drawings are here, with all their versions.');
    });
    onThemeChange(() => this.show());
  }

  tab() {
    return {
      pixels: this,
      tip: 'Draw on the two sheets. In the scene, drag the objects and the tip of the arrow; Run moves the collision object along it.',
      shown: () => {
        this.isShown = true;
        for (const { surface } of [this.controls, ...this.controls.sheets]) surface.measure();
        this.show();
        if (this.isRunning) this.#requestFrame();
      },
      hidden: () => {
        this.isShown = false;
        cancelAnimationFrame(this.#frame);
      },
      key: (/** @type {KeyboardEvent} */ event) => this.#key(event),
      open: (/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {import('./source.js').Source | null} */ source) => this.#open(name, bytes, source),
      isUnsaved: () => this.#unsaved.size > 0 && !this.work.isKept,
      keep: () => this.work.flush(),
      offerOwn: () => this.work.offer(this.controls.stage),
    };
  }

  /** Runs an action. A failure stops the movement and is shown. */
  guarded(/** @type {() => void} */ action) {
    try {
      action();
    } catch (reason) {
      this.isRunning = false;
      this.studio.fail(reason);
    }
  }

  // ---- Objects ----

  /** Runs an action that changes an object, and shows the change in the tab "Under the hood". */
  #change(/** @type {Name} */ name, /** @type {() => void} */ action) {
    const { now: { [name]: before }, colours: { [name]: inks }, history } = this.objects, { current } = history;
    this.guarded(action);
    const after = this.objects.now[name];
    if (history.current !== current) {
      this.studio.succeeded();
      if (!after.equals(before) || !this.objects.colours[name].equals(inks)) this.#unsaved.add(name);
      if (history.undoLabel !== null) this.studio.announce(`${history.undoLabel}.`);
      if (!after.equals(before)) this.studio.changed({ label: `Pixels: ${(history.undoLabel ?? '').toLowerCase()}`, before, after });
    }
    if (history.current !== current) this.work.note();
    this.#showEdit();
    this.show();
  }

  /** Shows in the strip what the current version copied of the one before it. */
  #showEdit() {
    const { history } = this.objects, { parent, depth, label } = history.entry(history.current);
    this.strip.show(depth === 0 ? null : { label, before: history.version(parent), after: history.version() });
  }

  paint(/** @type {Name} */ name, /** @type {import('./pixels_sheet.js').Stroke[]} */ strokes) {
    this.#change(name, () => this.objects.paint(name, strokes, `${this.isErasing ? 'Erase' : this.ink === null ? 'Draw' : 'Paint'} on the ${LABELS[name]}`, this.ink));
  }

  clear(/** @type {Name} */ name) {
    this.#change(name, () => this.objects.replace(name, new Region(), `Clear the ${LABELS[name]}`, noColours(this.objects.sizes[name])));
    this.#nameEntry(name, '');
  }

  /** Undoes or redoes a change of an object, which then differs from what was saved. */
  #travel(/** @type {() => string | null} */ action) {
    const { now, colours } = this.objects, label = action();
    for (const name of /** @type {Name[]} */ (['blocking', 'collider']))
      if (!this.objects.now[name].equals(now[name]) || !this.objects.colours[name].equals(colours[name])) this.#unsaved.add(name);
    this.scene.put(this.objects.places);
    this.work.note();
    this.studio.succeeded();
    this.#showEdit();
    return label;
  }

  undo() {
    const label = this.#travel(() => this.objects.undo());
    this.studio.announce(label === null ? 'Nothing to undo.' : `Undone: ${label}`);
    this.show();
  }

  redo() {
    const label = this.#travel(() => this.objects.redo());
    this.studio.announce(label === null ? 'Nothing to redo.' : `Redone: ${label}`);
    this.show();
  }

  setPen(/** @type {number} */ width) {
    this.pen = Math.min(Math.max(width, 1), WIDEST);
    this.controls.pen.set(this.pen);
  }

  setEraser(/** @type {boolean} */ isErasing) {
    this.isErasing = isErasing;
    this.controls.eraser.input.checked = isErasing;
    this.studio.announce(isErasing ? 'The pen erases.' : 'The pen draws.');
  }

  /** Chooses a picture for an object. */
  async choosePicture(/** @type {Name} */ name) {
    this.target = name;
    try {
      for (const file of await this.studio.files.open({ accept: 'image/png' }))
        if (!await this.#open(file.name, file.bytes)) throw new Error(`${file.name} is neither a PNG picture nor a .pqt file with a region`);
    } catch (reason) {
      this.studio.fail(reason);
    }
  }

  /** Loads a picture, or a region in a .pqt file, into an object. Returns false if the file is neither. */
  async #open(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {import('./source.js').Source | null} */ source = null) {
    const lower = name.toLowerCase(), { target } = this;
    const file = lower.endsWith('.pqt') ? openRegion(bytes) : lower.endsWith('.png') ? await openPicture(bytes, name) : null;
    if (file === null) return false;
    const isUnsaved = this.#unsaved.has(target); // the drawing that the file replaces is still there for undo
    this.#change(target, () => this.objects.replace(target, file.region, `Load ${name}`, file.colours));
    this.#files[target] = file;
    this.#nameEntry(target, name.replace(/\.[^.]*$/, ''));
    this.sources[target] = source;
    if (!isUnsaved) this.#unsaved.delete(target);
    this.studio.announce(`${name} is the ${LABELS[target]}.${file.note === '' ? '' : ` ${file.note}`}`);
    this.show();
    return true;
  }

  /** Saves an object: to its file, if the file was given to `pqt studio` and the user agrees; if not, as a new file. */
  async savePicture(/** @type {Name} */ name) {
    const source = this.sources[name], file = this.#files[name], region = this.objects.now[name], colours = this.objects.colours[name];
    const saveAs = () => this.#saveAs(name, region, colours).catch((reason) => this.studio.fail(reason));
    if (source === null || file === null) {
      await saveAs();
      return;
    }
    let note = '';
    const write = async () => {
      const written = await file.write(region, colours);
      ({ note } = written);
      return written.bytes;
    };
    const isSaved = await saveBack(this.studio, source, write, {
      saveAs, declined: saveAs, reopen: () => {
        this.target = name;
        this.studio.openOffered(source.name);
      } });
    if (isSaved && note !== '') this.studio.announce(`${source.name} is saved. ${note}`);
    if (isSaved && this.#is(name, region, colours)) this.#unsaved.delete(name);
  }

  /** Returns whether an object is still the same. */
  #is(/** @type {Name} */ name, /** @type {Region} */ region, /** @type {import('./pqt.js').PersistentImage} */ colours) {
    return this.objects.now[name].equals(region) && this.objects.colours[name].equals(colours);
  }

  /** Saves an object as a new file: like the picture that it comes from if that can hold it; if not, says why, and saves the sheet. */
  async #saveAs(/** @type {Name} */ name, /** @type {Region} */ region, /** @type {import('./pqt.js').PersistentImage} */ colours) {
    let reason = '';
    const written = await this.#files[name]?.write(region, colours).catch((/** @type {Error} */ { message }) => { reason = message; });
    const like = written !== undefined && sizeOfPng(written.bytes) !== null ? written : null, { bytes, note } = like ?? await pictureOf(region, colours);
    const size = sizeOfPng(bytes), whole = like === null ? `, the whole sheet of ${size?.width} x ${size?.height} pixels` : '';
    const file = `${this.#nameOf(name)}.png`;
    this.studio.files.save(file, bytes, 'image/png');
    this.studio.announce([`The ${LABELS[name]} was saved as ${file}${whole}.`, reason, note].filter((sentence) => sentence !== '').join(' '));
    if (this.#is(name, region, colours)) this.#unsaved.delete(name);
  }

  /** Records the name of an object since the current entry; an empty one means that it is from no file. */
  #nameEntry(/** @type {Name} */ object, /** @type {string} */ name) {
    const { current } = this.objects.history;
    this.#names.set(current, { ...this.#names.get(current), [object]: name });
  }

  /** Returns the name under which an object is saved, without an extension: that of its file, unless the other object has it. */
  #nameOf(/** @type {Name} */ object) {
    const { history } = this.objects, other = object === 'blocking' ? 'collider' : 'blocking';
    const found = (/** @type {Name} */ one) => {
      for (let entry = history.entry(history.current); ; entry = history.entry(entry.parent)) {
        const name = this.#names.get(entry.number)?.[one];
        if (name !== undefined || entry.depth === 0) return name ?? '';
      }
    };
    const name = found(object);
    return name === '' || name === found(other) ? object : name;
  }

  // ---- The scene ----

  toggle() {
    this.isRunning = !this.isRunning;
    this.#lastFrame = 0;
    if (this.isRunning) this.#requestFrame();
    else this.scene.stop();
    this.show();
  }

  #requestFrame() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame((now) => {
      if (!this.isRunning || !this.isShown) return;
      const seconds = this.#lastFrame === 0 ? 0.016 : Math.min((now - this.#lastFrame) / 1000, 0.05);
      this.#lastFrame = now;
      this.guarded(() => this.scene.advance(seconds));
      this.show();
      this.#requestFrame();
    });
  }

  /** Returns a key for the moves of a new drag, which make one entry. */
  newDrag() {
    return ++this.#drags;
  }

  /** Moves an object, or the tip of the movement. */
  drag(/** @type {Held} */ what, /** @type {number} */ dx, /** @type {number} */ dy, key = this.newDrag()) {
    this.scene.drag(what, dx, dy, this.view);
    this.objects.place(this.scene, `Move the ${LABELS[what]}`, key);
    this.work.note();
    this.show();
  }

  /** Puts the objects where they were at the start. */
  reset() {
    this.scene.put(PLACES);
    this.objects.place(this.scene, 'Reset the places');
    this.work.note();
    this.#sizes = ''; // the scene is shown as at the start
    this.studio.announce('The objects are where they were at the start. Undo brings their places back.');
    this.show();
  }

  /** Shows both objects and the movement, as large as possible. */
  fit() {
    this.view = this.scene.bounds;
    this.fitView();
    this.show();
  }

  /** Shows the view as large as possible. */
  fitView() {
    this.controls.surface.fit(this.view, this.view === SCENE ? 0 : MARGIN);
  }

  #key(/** @type {KeyboardEvent} */ { key, ctrlKey, metaKey, altKey, shiftKey, target }) {
    const letter = key.toLowerCase();
    if (altKey) return false;
    if (ctrlKey || metaKey) {
      if (letter === 'z' && !shiftKey) this.undo();
      else if (letter === 'y' || (letter === 'z' && shiftKey)) this.redo();
      else return false;
      return true;
    }
    const sheet = this.controls.sheets.find(({ surface }) => surface.canvas === target);
    if (sheet !== undefined && sheet.key(key, shiftKey)) return true;
    if (target === this.controls.surface.canvas) {
      const step = shiftKey ? 10 : 1;
      const [dx, dy] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[key] ?? [0, 0];
      if (dx !== 0 || dy !== 0) {
        const now = performance.now();
        this.drag(this.grabbed, dx, dy, now - this.#lastArrow > PAUSE ? this.newDrag() : this.#drags);
        this.#lastArrow = now;
        return true;
      }
    }
    switch (letter) {
      case 'e': this.setEraser(!this.isErasing); break;
      case 'r': this.toggle(); break;
      case 'a': this.setPen(this.pen - 1); break;
      case 's': this.setPen(this.pen + 1); break;
      default: return false;
    }
    return true;
  }

  // ---- Drawing ----

  show() {
    if (!this.isShown) return;
    this.#adoptSizes();
    const { surface, sheets, undoButton, redoButton, runButton } = this.controls;
    const { history } = this.objects;
    surface.drawNow();
    for (const sheet of sheets) sheet.surface.redraw();
    undoButton.disabled = history.undoLabel === null;
    redoButton.disabled = history.redoLabel === null;
    runButton.textContent = this.isRunning ? 'Stop' : 'Run';
  }

  /** Shows all of the sheets and of the scene if an object has another size than before. */
  #adoptSizes() {
    const { objects: { sizes }, controls: { sheets } } = this, text = JSON.stringify(sizes);
    if (text === this.#sizes) return;
    this.#sizes = text;
    for (const sheet of sheets) sheet.resize();
    this.view = Object.values(sizes).every(({ width, height }) => width === SIDE && height === SIDE) ? SCENE : this.scene.bounds;
    this.fitView();
  }

  /** Draws the scene, and shows its figures. */
  draw() {
    const { surface, figures } = this.controls;
    const result = this.scene.result();
    drawScene(surface, this.scene, result, { withCells: this.withCells, grabbed: this.grabbed });
    const { move, overlaps, area } = result;
    const number = (/** @type {number} */ value) => String(Math.round(value * 100) / 100);
    const isBlocked = move !== null && (move.blockedX || move.blockedY);
    // A slide that continues along the free axis reaches an end that is free, although it was blocked.
    const slides = isBlocked && this.scene.mode === 'slide' && move.status !== 'overlaps', axes = [...(move?.blockedX ? ['x'] : []), ...(move?.blockedY ? ['y'] : [])].join(' and ');
    figures.show({
      status: move === null ? (overlaps ? 'overlaps' : 'apart') : slides ? `slides, blocked along ${axes}` : move.status,
      area: area === null ? (overlaps ? 'some' : 'none') : `${number(area)} px²`,
      time: move === null ? '–' : slides ? `blocked last at ${number(move.time)}` : number(move.time),
      stop: move === null ? '–' : `${number(move.stop.x)}, ${number(move.stop.y)}`,
      normal: isBlocked ? `${number(move.normalX)}, ${number(move.normalY)}` : '–',
      entries: this.objects.history.entries().length,
    });
  }
}
