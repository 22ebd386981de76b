// SPDX-License-Identifier: MIT
// random.js: random numbers from a seed, so that a session can be repeated.

/**
 * Returns a function like Math.random, which returns the same numbers for the same seed. It is the
 * generator splitmix32, which hashes a counter.
 * @param {number} seed
 */
export function randomFrom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Returns the seed in the address of the page, ?seed=N; without one, an arbitrary seed. */
export function seedOfPage() {
  const given = new URLSearchParams(location.search).get('seed');
  return given !== null && /^\d{1,9}$/.test(given) ? Number(given) : Math.floor(Math.random() * 2 ** 31);
}
