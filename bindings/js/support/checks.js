// SPDX-License-Identifier: MIT
// checks.js: checks that the tests share.
import assert from 'node:assert/strict';
import test from 'node:test';

export const SEED = Number(globalThis.process?.env.PQT_SEED ?? 2026);

/** Returns a function that draws integers below its argument (mulberry32). */
export function dice(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Transfers the buffer of an array, and returns the array. */
export function detached(array) {
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** Checks for each case, [name, action, type of the error], that the action throws an error of the
    type and does not trap. */
export function refuses(cases) {
  for (const [name, action, type] of cases)
    test(`${name}: throws ${type.name} with a message`, () => {
      assert.throws(action, (error) => {
        assert.ok(error instanceof type, String(error));
        assert.ok(!(error.cause instanceof WebAssembly.RuntimeError), String(error));
        assert.match(error.message, /\w+ \w+/);
        return true;
      });
    });
}

/** Damages each byte in turn, and checks that reading the bytes fails without a trap. */
export function damages(bytes, read) {
  for (let i = 0; i < bytes.length; i++) {
    const damaged = bytes.slice();
    damaged[i] ^= 0x55;
    assert.throws(() => read(damaged), (error) => !(error.cause instanceof WebAssembly.RuntimeError));
  }
}

/** Checks that each use of a freed object throws an error with a given message. */
export function refusesFreed(sentence, uses) {
  for (const use of uses) assert.throws(use, { message: sentence });
}

/** Makes edits on a draft. Returns the messages of those that it refuses. Each edit is an array of
    the name of a method and its arguments. */
export function refusalsOf(draft, edits) {
  const messages = [];
  for (const [name, ...given] of edits)
    try {
      assert.equal(draft[name](...given), draft);
    } catch (error) {
      messages.push(String(error));
    }
  return messages;
}
