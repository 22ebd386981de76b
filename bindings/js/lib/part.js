// SPDX-License-Identifier: MIT
// part.js: records which part of the package a program uses: all of it, or only trees and their histories.

let chosen = 'all';

/** Chooses the part before core.js reads its file. index.js does not call this. */
export function choose(name) {
  chosen = name;
}

export function part() {
  return chosen;
}
