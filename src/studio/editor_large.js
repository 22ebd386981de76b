// SPDX-License-Identifier: MIT
// editor_large.js: reads and writes large files in a worker, so that the page answers meanwhile.
//
// A version belongs to the instance of the library that made it. So the worker sends the boxes, colours and names of the scene that
// it has read in parts, and the page inserts each part in a task of its own. The fingerprints show that both have the same scene.

import { inBytes } from './dom.js';
import { openFile } from './editor_file.js';
import { MOST_BYTES } from './editor_history.js';
import { partsOf } from './editor_scene.js';
import { Document, History, module } from './pqt.js';
import { Cancelled, sayBusy, showProgress } from './progress.js';
import { startWorker } from './requests.js';

/**
 * @typedef {import('./editor_large_parts.js').Message} Message
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {import('./editor_file.js').OpenedScene} OpenedScene
 * @typedef {import('./main.js').Studio} Studio
 *
 * A large file that was read.
 * @typedef {object} Large
 * @property {OpenedScene} file
 * @property {number} largest  the largest id
 * @property {string} contents  the identity of the bytes
 * @property {Uint8Array} first  a history whose first version is the scene
 */

/** A file of more bytes than this is read by a worker. */
export const LARGE = 4e6;

/** The worker could not start, or leaves a file to the page. */
class NoWorker extends Error {}

/** Inserts the parts of a scene. */
class Builder {
  /** The number of parts that were inserted, of all kinds, and of all that there are. */
  done = 0;

  constructor(/** @type {Extract<Message, { kind: 'begin' }>} */ { empty, isUp, format, count, time }) {
    this.scene = Document.fromBytes(empty);
    this.isUp = isUp;
    this.format = format;
    this.count = count;
    this.time = time;
  }

  /** Inserts a part. */
  insert(/** @type {Extract<Message, { kind: 'boxes' | 'colours' | 'names' }>} */ part) {
    const before = this.scene, parts = partsOf(before), next = this.#withPart(parts, part);
    this.scene = before.set(part.kind, next);
    for (const version of [next, before, ...Object.values(parts)]) version.free(); // now, not when their objects are collected
  }

  /** Returns the part of the scene with those of a message. */
  #withPart(/** @type {ReturnType<typeof partsOf>} */ { boxes, colours, names }, /** @type {Extract<Message, { kind: 'boxes' | 'colours' | 'names' }>} */ part) {
    if (part.kind === 'colours') {
      this.done += part.entries.length;
      return colours.setAll(part.entries);
    }
    this.done += part.ids.length;
    if (part.kind === 'boxes') return boxes.load(part.boxes, part.ids);
    const { ids, ends, bytes } = part;
    return names.setColumns(ids, { bytes, ends });
  }
}

/**
 * Starts a worker with a message, and calls `take` with each message that it sends until `take` returns a value. Throws what goes wrong, and
 * Cancelled if the user cancels.
 * @template T
 * @param {object} message
 * @param {string} text  what is shown meanwhile
 * @param {(message: Message, show: (text: string, part: number) => void) => T | undefined} take
 * @param {{ cancel?: () => void }} handle  gets the function that cancels
 * @returns {Promise<T>}
 */
function work(message, text, take, handle) {
  return new Promise((resolve, reject) => {
    /** @type {Worker} */
    let worker;
    const end = () => {
      worker?.terminate();
      progress.end();
    };
    handle.cancel = () => fail(new Cancelled());
    const progress = showProgress(text, handle.cancel);
    const fail = (/** @type {unknown} */ reason) => {
      end();
      reject(reason);
    };
    const failToWork = () => fail(new NoWorker());
    try {
      worker = startWorker('editor_large_worker.js');
      for (const kind of ['error', 'messageerror']) worker.addEventListener(kind, failToWork);
      worker.addEventListener('message', ({ data }) => {
        try {
          if (data.kind === 'fault') throw new Error(data.message);
          if (data.kind === 'whole') throw new NoWorker();
          const result = take(data, progress.show);
          if (result === undefined) return;
          end();
          resolve(result);
        } catch (reason) {
          fail(reason);
        }
      });
      worker.postMessage({ ...message, module });
    } catch {
      failToWork(); // there are no workers, or there is no memory for the message
    }
  });
}

/**
 * Returns the functions of an opened file that write it, in a worker if there is one.
 * @param {Studio} studio
 * @param {string} name
 * @param {Uint8Array} bytes
 * @param {OpenedScene['format']} format
 * @param {Scene | null} first  the scene of the file, for which the bytes are those of the file; null if it is not known
 * @returns {Pick<OpenedScene, 'write' | 'writeCsv'>}
 */
function writersOf(studio, name, bytes, format, first) {
  if (format === 'history') return { write: (_, scenes) => scenes.store() };
  const write = async (/** @type {Scene} */ scene, /** @type {import('./editor_history.js').Scenes} */ scenes, isCsv = false) => {
    try {
      return await work({ name, bytes, scene: scene.toBytes(), isCsv }, `Writing ${name}`, (message) => (message.kind === 'written' ? message.bytes : undefined), {});
    } catch (reason) {
      if (!(reason instanceof NoWorker)) throw reason;
      await sayBusy(studio, `Writing ${name}`, 'written');
      const { write: writeHere, writeCsv = writeHere } = /** @type {OpenedScene} */ (openFile(name, bytes));
      return (isCsv ? writeCsv : writeHere)(scene, scenes);
    }
  };
  return { write: (scene, scenes) => (first !== null && scene.equals(first) ? bytes : write(scene, scenes)),
    ...(format === 'geojson' && { writeCsv: (/** @type {Scene} */ scene, /** @type {import('./editor_history.js').Scenes} */ scenes) => write(scene, scenes, true) }) };
}

/** Returns a large file of work that is continued. It is read when it is written. @returns {Omit<OpenedScene, 'scene'>} */
export function unreadFile(/** @type {Studio} */ studio, /** @type {string} */ name, /** @type {Uint8Array} */ bytes, /** @type {OpenedScene['format']} */ format, isUp = false) {
  return { isUp, format, ...writersOf(studio, name, bytes, format, null) };
}

/**
 * Reads a large file. Returns null if the page has to read it at once, after saying so. Throws Cancelled if the user cancels, and changes
 * nothing then.
 * @param {Studio} studio
 * @param {string} name
 * @param {Uint8Array} bytes
 * @param {{ cancel?: () => void }} handle  gets the function that cancels
 * @param {string} shown  what the page says that it reads
 * @returns {Promise<Large | null>}
 */
export async function readLarge(studio, name, bytes, handle, shown) {
  const total = inBytes(bytes.length), number = (/** @type {number} */ one) => one.toLocaleString('en');
  /** @type {Builder | null} */
  let builder = null;
  try {
    const { largest, contents, first, fingerprint } = await work({ name, bytes }, `Reading ${shown}, ${total}`, (message, show) => {
      if (message.kind === 'read') {
        show(`Reading ${shown}: ${inBytes(message.done)} of ${inBytes(message.total)}`, message.done / message.total / 2);
      } else if (message.kind === 'begin') {
        builder = new Builder(message);
      } else if (message.kind === 'end') {
        return message;
      } else if (builder !== null && (message.kind === 'boxes' || message.kind === 'colours' || message.kind === 'names')) {
        builder.insert(message);
        show(`Reading ${shown}, ${total}: ${number(builder.done)} of ${number(builder.count)} boxes, names and colours`, 0.5 + builder.done / builder.count / 2);
      }
      return undefined;
    }, handle);
    const { scene, isUp, format, time } = /** @type {Builder} */ (/** @type {unknown} */ (builder));
    if (scene.fingerprint() !== fingerprint) throw new NoWorker();
    builder = null;
    const history = format === 'history' ? new History(scene, { maxBytes: MOST_BYTES, time }) : undefined;
    return { file: { scene, history, isUp, format, ...writersOf(studio, name, bytes, format, scene) }, largest, contents, first };
  } catch (reason) {
    if (!(reason instanceof NoWorker)) throw reason;
    await sayBusy(studio, `Reading ${shown}, ${total}`, 'read');
    return null;
  } finally {
    /** @type {Builder | null} */ (builder)?.scene.free();
  }
}
