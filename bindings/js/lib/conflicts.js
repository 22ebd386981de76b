// SPDX-License-Identifier: MIT
// conflicts.js: merges versions, and lets a function resolve the conflicts.
//
// The library writes the conflicts of a merge to the buffer. The function is called for each of them
// after that merge and before the next one, so it may call the library, and an exception that it
// throws leaks nothing.
import { raise } from './core.js';
import { Reader, Writer, bytesFrom, wordFrom } from './bytes.js';

/**
 * Merges until each conflict has an answer, and returns the pin of the result.
 *
 * @param {object} merger
 *   attempt(otherwise, count): merges with the answers in the buffer, and with a resolution of other conflicts; returns a pin or 0;
 *   read(reader): a conflict, with its `hash`;
 *   names: the number of each resolution, by its name;
 *   answer(conflict, answer): what an answer that is not a name becomes: { resolution, number, bytes }
 */
export function mergeWith(merger, release, onConflict) {
  const names = merger.names;
  if (typeof onConflict !== 'function') {
    if (onConflict !== 'error' && !Object.hasOwn(names, onConflict))
      throw new RangeError(`onConflict must be a function or one of error, ${Object.keys(names).join(', ')}, not ${String(onConflict)}`);
    return merger.attempt(onConflict === 'error' ? 0 : names[onConflict], 0) || raise();
  }
  const answers = new Map();
  for (let asked = []; ;) {
    const writer = new Writer();
    for (const { hash } of asked) {
      const { resolution, number = 0, bytes = '' } = answers.get(hash);
      writer.word(hash);
      writer.word(resolution);
      writer.word(number);
      writer.bytes(bytes);
    }
    writer.send();
    const pin = merger.attempt(names.ours, asked.length) || raise();
    try {
      const conflicts = Reader.ofStrings().all(merger.read);
      if (conflicts.length === asked.length && conflicts.every(({ hash }, i) => hash === asked[i].hash)) return pin;
      for (const conflict of conflicts)
        if (!answers.has(conflict.hash)) answers.set(conflict.hash, answerOf(merger, conflict, onConflict));
      asked = conflicts;
    } catch (error) {
      release(pin);
      throw error;
    }
    release(pin);
  }
}

function answerOf(merger, conflict, decide) {
  const { hash, ...shown } = conflict;
  const answer = decide(shown);
  if (typeof answer === 'string' && Object.hasOwn(merger.names, answer)) return { resolution: merger.names[answer] };
  if (answer === null || typeof answer !== 'object')
    throw new TypeError(`the answer to a conflict must be one of ${Object.keys(merger.names).join(', ')}, or an object, not ${String(answer)}`);
  return merger.answer(conflict, answer);
}

/** Returns the answer that a value of a map is. */
export function valueAnswer(resolution, value, byteValues) {
  if (byteValues) return { resolution, bytes: new Uint8Array(bytesFrom(value, 'a value')) };
  return { resolution, number: wordFrom(value, 'a value') };
}
