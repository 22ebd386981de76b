// SPDX-License-Identifier: MIT
// random.js: random numbers for the tests.

/** Returns a function like Math.random whose numbers are determined by a seed. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
