// SPDX-License-Identifier: MIT
// conflicts.js: merges versions, and lets a function resolve the conflicts.
//
// The library writes the conflicts of a merge to the buffer. The function is called for each of them
// after that merge and before the next one, so it may call the library, and an exception that it
// throws leaks nothing.
import { raise } from './core.js';
import { Writer } from './bytes.js';

/**
 * Merges until each conflict has an answer, and returns the pin of the result.
 *
 * @param {object} merger
 *   attempt(count, bytes): merges with the answers in the buffer, and returns a pin or 0;
 *   conflicts(): the conflicts of this merge, each with a `hash`;
 *   names: the number of each resolution, by its name;
 *   send(writer, conflict, answer): writes an answer that is not a name
 */
export function mergeWith(merger, release, onConflict) {
  const names = merger.names;
  if (typeof onConflict !== 'function' && onConflict !== 'error' && !Object.hasOwn(names, onConflict))
    throw new RangeError(`onConflict must be a function or one of error, ${Object.keys(names).join(', ')}, not ${String(onConflict)}`);
  const decide = typeof onConflict === 'function' ? onConflict : () => onConflict;
  const answers = new Map();
  for (let asked = []; ;) {
    const writer = new Writer();
    for (const { hash } of asked) {
      const { resolution, payload } = answers.get(hash);
      writer.word(hash);
      writer.word(resolution);
      writer.nested(payload);
    }
    writer.send();
    const pin = merger.attempt(asked.length, writer.length, onConflict === 'error' ? 1 : 0) || raise();
    let conflicts = [];
    try {
      conflicts = merger.conflicts();
      if (conflicts.length === asked.length && conflicts.every(({ hash }, i) => hash === asked[i].hash)) return pin;
      for (const conflict of conflicts)
        if (!answers.has(conflict.hash)) answers.set(conflict.hash, answerOf(merger, conflict, decide));
    } catch (error) {
      release(pin);
      throw error;
    }
    release(pin);
    asked = conflicts;
  }
}

function answerOf(merger, conflict, decide) {
  const { hash, ...shown } = conflict;
  const answer = decide(shown);
  const payload = new Writer();
  if (typeof answer === 'string' && Object.hasOwn(merger.names, answer)) return { resolution: merger.names[answer], payload };
  if (answer === null || typeof answer !== 'object')
    throw new TypeError(`the answer to a conflict must be one of ${Object.keys(merger.names).join(', ')}, or an object, not ${String(answer)}`);
  return { resolution: merger.send(payload, conflict, answer), payload };
}
