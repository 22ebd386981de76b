// SPDX-License-Identifier: MIT
// balls_files.js: opens worlds and pictures in the Balls tab, and saves worlds.

import { Region, World as PqtWorld } from './pqt.js';
import { toHex } from './hex.js';
import { readPicture, solidPixels } from './picture.js';
import { saveBack } from './source.js';

/**
 * @typedef {import('./balls.js').Balls} Balls
 * @typedef {import('./source.js').Source} Source
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

/** Lets the user choose files of a kind, and opens them. */
export async function choose(/** @type {Balls} */ balls, /** @type {string} */ accept) {
  try {
    for (const { name, bytes } of await balls.studio.files.open({ accept }))
      if (!await open(balls, name, bytes)) throw new Error(`${name} holds no world`);
  } catch (reason) {
    balls.studio.fail(reason);
  }
}

/**
 * Opens a world, or, while the tab is shown, makes a picture the obstacle. Returns whether the file is one of these.
 * @param {Balls} balls
 * @param {string} name
 * @param {Uint8Array} bytes
 * @param {Source | null} [source]
 */
export async function open(balls, name, bytes, source = null) {
  const lower = name.toLowerCase();
  if (lower.endsWith('.pqt')) return openWorld(balls, name, bytes, source);
  if (!lower.endsWith('.png') || !balls.isShown) return false;
  await openPicture(balls, name, bytes);
  return true;
}

/**
 * Starts from the world in a file. Returns false if the file holds none.
 * @param {Balls} balls
 * @param {string} name
 * @param {Uint8Array} bytes
 * @param {Source | null} source
 */
function openWorld(balls, name, bytes, source) {
  try {
    PqtWorld.fromBytes(bytes).free();
  } catch {
    return false;
  }
  if (!balls.undoing.mayDrop()) return true;
  balls.begin(null, [{ op: 'file', bytes: toHex(bytes) }]);
  balls.source = source;
  balls.show();
  balls.studio.announce(`${name}: ${balls.timeline.tip.size.toLocaleString('en')} balls`);
  return true;
}

/** Makes a picture the obstacle, in the middle of what is shown. */
async function openPicture(/** @type {Balls} */ balls, /** @type {string} */ name, /** @type {Uint8Array} */ bytes) {
  const { minX, minY, maxX, maxY } = balls.view;
  const most = { width: Math.max(1, Math.floor(maxX - minX)), height: Math.max(1, Math.floor(maxY - minY)) };
  const { image: picture } = await readPicture(bytes, name, most);
  const x = Math.floor((minX + maxX - picture.width) / 2), y = Math.floor((minY + maxY - picture.height) / 2);
  const region = Region.ofPixels(solidPixels(picture), { width: picture.width, height: picture.height, x, y });
  if (region.size === 0) throw new Error(`${name} has no dark or opaque pixel`);
  const boxes = region.boxes().flatMap((box) => [box.minX, box.minY, box.maxX, box.maxY]);
  region.free();
  balls.guarded(() => balls.setObstacle(boxes));
  balls.studio.announce(`${name} is the obstacle.`);
}

/** Saves the world of the moment that is shown as a new file. */
export function save(/** @type {Balls} */ balls) {
  balls.guarded(() => {
    balls.studio.files.save('balls.pqt', balls.bytes());
    balls.isEdited = false;
  });
}

/** Replaces the file that `pqt studio` was given by the world of the moment that is shown, after asking. If that is the world
 * of the file, the file keeps its bytes. */
export async function replaceFile(/** @type {Balls} */ balls) {
  const { source, studio, timeline: { tip } } = balls;
  if (source === null) return;
  try {
    if (balls.isRunning) balls.clock.stop();
    const bytes = balls.bytes();
    const isSaved = await saveBack(studio, source, () => (isSameWorld(bytes, source.bytes) ? source.bytes : bytes), {
      saveAs: () => save(balls),
      reopen: () => studio.openOffered(source.name),
    });
    if (isSaved && balls.source === source && balls.timeline.tip === tip) balls.isEdited = false;
  } catch (reason) {
    studio.fail(reason);
  }
}
