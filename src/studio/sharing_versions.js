// SPDX-License-Identifier: MIT
// sharing_versions.js: keeps the versions of a shared history that a page has fetched.

import { sceneOfBytes, sceneOfTree, partsOf } from './editor_scene.js';
import { PersistentTree } from './pqt.js';

/** @typedef {import('./editor_scene.js').Scene} Scene */

/** The maximum number of versions that are kept in addition to those that are needed. */
const MOST_VERSIONS = 60;

export class SharedVersions {
  #connection;
  /** The scenes by their numbers, in the order in which they were fetched. @type {Map<number, Scene>} */
  #scenes = new Map();
  /** The kind of the versions. @type {'documents' | 'trees'} */
  holds = 'documents';

  constructor(/** @type {import('./sharing_connection.js').Connection} */ connection) {
    this.#connection = connection;
  }

  async fetch(/** @type {number} */ number) {
    const bytes = await this.#connection.version(number), name = `version ${number}`;
    return this.holds === 'trees' ? sceneOfTree(PersistentTree.fromBytes(bytes), name) : sceneOfBytes(bytes, name);
  }

  /** Returns the bytes of a scene, in the form that the server stores. */
  bytesOf(/** @type {Scene} */ scene) {
    return this.holds === 'documents' ? scene.toBytes() : partsOf(scene).boxes.toBytes();
  }

  /** Throws if the history cannot hold a scene. */
  check(/** @type {Scene} */ scene, /** @type {string} */ name) {
    const { colours, names } = partsOf(scene);
    if (this.holds === 'trees' && (colours.size > 0 || names.size > 0)) throw new Error(`${name} holds trees, which have no names and colours`);
  }

  get(/** @type {number} */ number) {
    return this.#scenes.get(number);
  }

  /** Keeps a version, and drops the oldest one that is not needed if there are too many. */
  keep(/** @type {number} */ number, /** @type {Scene} */ scene, /** @type {(number: number) => boolean} */ isNeeded) {
    this.#scenes.delete(number);
    this.#scenes.set(number, scene);
    for (const old of this.#scenes.keys()) {
      if (this.#scenes.size <= MOST_VERSIONS) break;
      if (old !== number && !isNeeded(old)) this.#scenes.delete(old);
    }
  }

  /** Returns all scenes that are kept, by their numbers. */
  all() {
    return new Map(this.#scenes);
  }

  replace(/** @type {Map<number, Scene>} */ scenes) {
    this.#scenes = scenes;
  }
}
