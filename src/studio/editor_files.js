// SPDX-License-Identifier: MIT
// editor_files.js: opens files in the Editor tab, and saves its versions and its picture.

import { readCsv } from './editor_csv.js';
import { pngOfPlane, svgOfPlane } from './editor_export.js';
import { bytesOf, isOpened, openFile } from './editor_file.js';
import { Scenes } from './editor_history.js';
import { LARGE, readLarge } from './editor_large.js';
import { sceneOf } from './editor_scene.js';
import { identityOf } from './editor_work.js';
import { Cancelled } from './progress.js';
import { request } from './requests.js';
import { saveBack } from './source.js';

/** The id of the first city in the example. Smaller ids belong to countries. */
const FIRST_CITY = 100000;

/**
 * A file or a work that is being read.
 * @typedef {object} Reading
 * @property {() => void} [cancel]  ends the worker that reads it
 * @property {string} [work]  the id of the work
 */

/** The file of the editor. The public methods are the actions of the controls. */
export class EditorFiles {
  #editor;
  #studio;
  /** The name of the file without its ending. */
  name = 'scene';
  /** The file that the scene comes from. @type {import('./editor_file.js').OpenedScene | null} */
  #file = null;
  /** The same file, if it was given to `pqt studio` and can be saved back. @type {import('./source.js').Source | null} */
  source = null;
  /** The file or the work that is being read. @type {Reading | null} */
  #reading = null;
  #isSaving = false;

  constructor(/** @type {import('./editor.js').Editor} */ editor) {
    this.#editor = editor;
    this.#studio = editor.studio;
  }

  /**
   * Reads a file or a work, and cancels what is being read: only one is read at a time. Returns whether `read` succeeded; if the user
   * cancelled it, says so.
   * @param {string} what  its name in that message
   * @param {(reading: Reading) => Promise<void>} read  calls `check` after each pause
   * @param {string} [work]  the id of the work
   */
  async read(what, read, work) {
    this.#reading?.cancel?.();
    const reading = this.#reading = /** @type {Reading} */ ({ work });
    try {
      await read(reading);
      return true;
    } catch (reason) {
      if (!(reason instanceof Cancelled)) throw reason;
      if (this.#reading === reading) this.#studio.announce(`${what} was not opened.`);
      return false;
    } finally {
      if (this.#reading === reading) this.#reading = null;
    }
  }

  /** Throws Cancelled if something else was begun since. */
  check(/** @type {Reading} */ reading) {
    if (this.#reading !== reading) throw new Cancelled();
  }

  /** Whether something is being read. */
  get isBusy() {
    return this.#reading !== null;
  }

  /** Returns whether a work is being read, other than by `own`. */
  isReading(/** @type {string} */ work, /** @type {Reading | null} */ own = null) {
    return this.#reading !== own && this.#reading?.work === work;
  }

  /** Takes the file of the scenes that the editor has begun, and cancels what is being read. */
  take(/** @type {string} */ name, /** @type {import('./editor_file.js').OpenedScene | null} */ file, /** @type {import('./source.js').Source | null} */ source) {
    this.#reading?.cancel?.();
    this.#reading = null;
    this.name = name.replace(/\.[^.]*$/, '');
    this.#file = file;
    this.source = source;
  }

  newSheet() {
    if (!this.#editor.mayLeave()) return;
    const scene = sceneOf({ items: [], names: [], colours: [] });
    this.#editor.begin(new Scenes(scene, (command) => this.#studio.record(command), 'Empty sheet'), { name: 'scene' });
  }

  /** Opens a table, GeoJSON or a .pqt file. A file that cannot be read changes nothing. Returns whether it accepted the file. */
  async open(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {import('./source.js').Source | null} */ source = null) {
    if (!isOpened(name)) return false;
    await this.read(name, async (reading) => {
      const large = bytes.length > LARGE ? await this.readLarge(name, bytes, reading) : null;
      const file = large?.file ?? openFile(name, bytes);
      if (file === null || !this.#editor.mayLeave()) return;
      const { scene, history, isUp } = file, { largest, first, contents = identityOf(bytes) } = large ?? {};
      this.#editor.begin(new Scenes(scene, (command) => this.#studio.record(command), `Open ${name}`, history, { isStored: history !== undefined, largest }), { name, isUp, file, source, bytes, contents, first });
      this.#editor.earlier.offer(name, contents).catch((reason) => this.#studio.fail(reason));
    });
    return true;
  }

  /** Reads a large file while the page answers; returns null if that is impossible, after saying so. `shown` is what the page says that it
      reads. Throws Cancelled if something else was begun meanwhile. */
  async readLarge(/** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {Reading} */ reading, shown = name) {
    await this.#studio.show('editor');
    this.check(reading);
    const large = await readLarge(this.#studio, name, bytes, reading, shown);
    this.check(reading);
    return large;
  }

  async chooseFile() {
    try {
      for (const { name, bytes } of await this.#studio.files.open({ accept: '.csv,.tsv,.txt,.json,.geojson,.geojsonl,.ndjson,.pqt' }))
        if (!await this.open(name, bytes)) throw new Error(`${name} is neither CSV nor GeoJSON nor .pqt`);
    } catch (reason) {
      this.#studio.fail(reason);
    }
  }

  /** Opens the countries and the cities of the world. As the first scene, it makes place for whatever was begun meanwhile, and is left
      out without a message if it is not there. */
  async openExample(isFirst = false) {
    const { scenes } = this.#editor;
    const begin = async (/** @type {Reading} */ reading) => {
      const [countries, cities] = await Promise.all(['countries.csv', 'cities.csv'].map(async (name) => {
        const response = await request(`data/${name}`);
        if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
        return new Uint8Array(await response.arrayBuffer());
      }));
      this.check(reading);
      const { items, names } = readCsv(countries, 'countries.csv'), points = readCsv(cities, 'cities.csv');
      const idOf = (/** @type {import('./pqt.js').Id} */ row) => Number(row) + FIRST_CITY;
      if (isFirst ? this.#editor.scenes !== scenes || scenes.count > 1 : !this.#editor.mayLeave()) return;
      const scene = sceneOf({
        items: [...items, ...points.items.map((item) => ({ ...item, id: idOf(item.id) }))],
        names: [...names, ...points.names.map(([row, name]) => /** @type {[number, string]} */ ([idOf(row), name]))],
        colours: points.items.map(({ id }) => /** @type {[number, number]} */ ([idOf(id), 3])),
      });
      this.#editor.begin(new Scenes(scene, (command) => this.#studio.record(command), 'Countries and cities'), { name: 'world', isUp: true });
    };
    try {
      await this.read('The example', begin);
    } catch (reason) {
      if (!isFirst) this.#studio.fail(reason);
    }
  }

  /** Saves the current version: all of it as .pqt, or its boxes as CSV or GeoJSON. */
  async save(/** @type {'pqt' | 'csv' | 'geojson'} */ format) {
    const { scenes } = this.#editor, { name } = this, { now, history: { current } } = scenes;
    try {
      this.#studio.succeeded();
      const types = { pqt: 'application/octet-stream', csv: 'text/csv', geojson: 'application/geo+json' };
      const { bytes, isReduced } = await bytesOf(scenes, this.#file, format);
      this.#studio.files.save(`${name}.${format}`, bytes, types[format]);
      if (this.#editor.scenes === scenes && scenes.history.current === current && scenes.now === now) scenes.markSaved();
      this.#studio.announce(`The version shown was saved as ${name}.${format}${isReduced ? ', with boxes, names and colours only' : ''}.`);
      this.#editor.show();
    } catch (reason) {
      this.#studio.fail(reason);
    }
  }

  /** Saves all versions as a file, which opens here again, and which `pqt log`, `show` and `diff` read. */
  saveHistory() {
    this.#editor.guarded(() => {
      const { scenes } = this.#editor, name = `${this.name}-history.pqt`;
      this.#studio.files.save(name, scenes.store());
      this.#studio.announce(`All ${scenes.count.toLocaleString('en')} versions were saved as ${name}.`);
    });
  }

  /** Saves what is seen as a picture. */
  async savePicture(/** @type {'png' | 'svg'} */ format) {
    try {
      if (format === 'png') this.#studio.files.save(`${this.name}.png`, await pngOfPlane(this.#editor.plane), 'image/png');
      else this.#studio.files.save(`${this.name}.svg`, svgOfPlane(this.#editor), 'image/svg+xml');
      this.#studio.announce(`What is seen was saved as ${this.name}.${format}.`);
    } catch (reason) {
      this.#studio.fail(reason);
    }
  }

  /** Replaces the file that `pqt studio` was given, after asking. One file is replaced at a time, so no older version follows a newer one. */
  async saveBack() {
    const { source } = this, { scenes, scenes: { history } } = this.#editor, file = this.#file;
    if (source === null || file === null) return;
    if (this.#isSaving) {
      this.#studio.announce('A file is being saved back already.');
      return;
    }
    this.#isSaving = true;
    try {
      const entry = history.current, { now } = scenes;
      const isSaved = await saveBack(this.#studio, source, () => file.write(now, scenes), {
        saveAs: () => (file.format === 'history' ? this.saveHistory() : this.save(file.format === 'geojson' ? 'csv' : file.format)),
        reopen: () => this.#studio.openOffered(source.name),
      });
      if (isSaved && this.#editor.scenes === scenes) {
        if (history.current === entry && scenes.now === now) scenes.markSaved();
        this.#editor.work?.setFile(source.bytes);
      }
      this.#editor.show();
    } catch (reason) {
      this.#studio.fail(reason);
    } finally {
      this.#isSaving = false;
    }
  }
}
