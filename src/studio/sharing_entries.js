// SPDX-License-Identifier: MIT
// sharing_entries.js: keeps the entries of a shared history, with those that the drafts will add after the current one.

/**
 * @typedef {import('./pqt.js').HistoryEntry} HistoryEntry
 * @typedef {import('./sharing_connection.js').Report} Report
 * @typedef {import('./sharing_connection.js').Row} Row
 */

export class SharedEntries {
  #drafts;
  /** The last report of the server. @type {Report} */
  report = /** @type {any} */ (null);
  /** The rows of the entries by their numbers. @type {Map<number, Row>} */
  #rows = new Map();
  /** All entries; null after a change. @type {HistoryEntry[] | null} */
  #list = null;
  /** @type {Map<number, HistoryEntry>} */
  #byNumber = new Map();

  constructor(/** @type {import('./sharing_drafts.js').Drafts} */ drafts) {
    this.#drafts = drafts;
  }

  /** Takes over a report, which has all entries or those that changed. */
  take(/** @type {Report} */ report) {
    if (report.before === null) this.#rows.clear();
    for (const row of report.entries) this.#rows.set(row[0], row);
    this.report = report;
    this.#list = null;
  }

  /** Makes another entry current, in this page only. */
  go(/** @type {number} */ number) {
    this.report = { ...this.report, current: number };
    this.#list = null;
  }

  /** Must be called when the drafts have changed. */
  changed() {
    this.#list = null;
  }

  /** Returns the numbers of the entries that the server has according to a report. */
  numbersWith(/** @type {Report} */ report) {
    return new Set([...(report.before === null ? [] : this.#rows.keys()), ...report.entries.map(([number]) => number)]);
  }

  /** Returns the numbers that the entries of the drafts will have. */
  numbersOfDrafts() {
    let last = 0;
    for (const number of this.#rows.keys()) last = Math.max(last, number);
    return this.#drafts.numbers(this.report.current, last);
  }

  get current() {
    return this.numbersOfDrafts().at(-1) ?? this.report.current;
  }

  /** Returns all entries in the order of their numbers. */
  all() {
    if (this.#list !== null) return [...this.#list];
    const rows = new Map(this.#rows), numbers = this.numbersOfDrafts();
    let parent = this.report.current;
    this.#drafts.list.forEach(({ label }, i) => {
      if (!rows.has(numbers[i])) rows.set(numbers[i], [numbers[i], parent, label, null, 0, '']);
      parent = numbers[i];
    });
    const current = numbers.at(-1) ?? this.report.current;
    /** @type {Map<number, HistoryEntry>} */
    const made = new Map();
    for (const [number, above, label, name, time] of [...rows.values()].sort((a, b) => a[0] - b[0])) {
      const before = above === number ? undefined : made.get(above);
      if (before !== undefined) before.children++;
      made.set(number, { number, parent: above, depth: before === undefined ? 0 : before.depth + 1, children: 0, time, label, name,
        isCurrent: number === current, isSaved: number === this.report.saved, isOnPath: false });
    }
    for (let at = made.get(current); at !== undefined && !at.isOnPath; at = made.get(at.parent)) at.isOnPath = true;
    this.#list = [...made.values()];
    this.#byNumber = made;
    return [...this.#list];
  }

  /** Returns the entry with a given number. @returns {HistoryEntry | undefined} */
  get(/** @type {number} */ number) {
    if (this.#list === null) this.all();
    return this.#byNumber.get(number);
  }
}
