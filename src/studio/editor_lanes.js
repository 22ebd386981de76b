// SPDX-License-Identifier: MIT
// editor_lanes.js: keeps the numbers of all entries and the branches that they are on, and finds the lines that cross a row of the list
// of versions. An edit adds an entry in constant time.

/**
 * A branch: the entries that follow one another.
 * @typedef {object} Lane
 * @property {number} start  the entry from which it branches off; -1 for the first one
 * @property {number} first
 * @property {number} last
 * @property {number} end  the newest entry that its line leads to: `last`, or a later one into which it was merged
 *
 * The lines in the row of an entry, in columns.
 * @typedef {{ number: number, column: number, passing: number[], joining: number[], merged: number | null, isAbove: boolean, isBelow: boolean }} Row
 */

export class Lanes {
  /** All entries in ascending order. @type {number[]} */
  numbers = [];
  /** The branches in the order of their first entries. @type {Lane[]} */
  #lanes = [];
  /** The branch of each entry. @type {Map<number, Lane>} */
  #laneOf = new Map();
  /** The entries that were merged into others. @type {Map<number, number>} */
  #merges = new Map();

  /**
   * @param {Iterable<{ number: number, parent: number }>} entries  each after those that it follows
   * @param {Map<number, number>} merges
   */
  constructor(entries, merges) {
    for (const { number, parent } of entries) this.add(number, parent);
    for (const [into, from] of merges) this.merge(into, from);
    this.numbers.sort((a, b) => a - b);
  }

  get size() {
    return this.numbers.length;
  }

  /** Adds an entry that follows another. */
  add(/** @type {number} */ number, /** @type {number} */ parent) {
    const above = this.#laneOf.get(parent);
    if (above !== undefined && above.last === parent) {
      above.last = number;
      above.end = Math.max(above.end, number);
      this.#laneOf.set(number, above);
    } else {
      const lane = { start: above === undefined ? -1 : parent, first: number, last: number, end: number };
      this.#lanes.push(lane);
      this.#laneOf.set(number, lane);
    }
    this.numbers.push(number);
  }

  /** Records that an entry was merged into another. */
  merge(/** @type {number} */ into, /** @type {number} */ from) {
    const lane = this.#laneOf.get(from);
    if (lane === undefined || !this.#laneOf.has(into)) return;
    this.#merges.set(into, from);
    lane.end = Math.max(lane.end, into);
  }

  /** Returns the place of an entry among all; -1 if it is not there. */
  indexOf(/** @type {number} */ number) {
    let low = 0, high = this.numbers.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.numbers[middle] <= number) low = middle;
      else high = middle - 1;
    }
    return this.numbers[low] === number ? low : -1;
  }

  /** Returns the rows of the entries at some places, with the newest first. Only branches that cross these rows have columns. @returns {Row[]} */
  rows(/** @type {number} */ from, /** @type {number} */ end) {
    const low = this.numbers[from], high = this.numbers[end - 1];
    const near = this.#lanes.filter((lane) => lane.end >= low && lane.start <= high);
    const columns = new Map(near.map((lane, column) => [lane, column]));
    const columnOf = (/** @type {Lane | undefined} */ lane) => (lane === undefined ? 0 : columns.get(lane) ?? 0);
    return this.numbers.slice(from, end).reverse().map((number) => {
      const own = /** @type {Lane} */ (this.#laneOf.get(number)), from = this.#merges.get(number), crossing = near.filter((lane) => lane !== own && lane.end > number);
      return {
        number, column: columnOf(own), isAbove: own.end > number, isBelow: number > own.first || own.start >= 0,
        passing: crossing.filter(({ start, first }) => start < number && (start >= 0 || first < number)).map(columnOf),
        joining: crossing.filter(({ start }) => start === number).map(columnOf),
        merged: from === undefined ? null : columnOf(this.#laneOf.get(from)),
      };
    });
  }
}
