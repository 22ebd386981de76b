// SPDX-License-Identifier: MIT
// table.js: tables, which are CSV files: reads their rows as items, and writes them back with all that did not change.
import { Handle, attached, bufferAt, call, counted, isArrayOf, number, wasm } from './core.js';
import { item } from './items.js';
import { Reader, Writer, readColumns } from './bytes.js';

const POSITIONS = [, 'boxes', 'sizes', 'points', 'degrees', 'degree-boxes', 'geometries'];
const READ = {}; // the argument with which only Table.read calls the constructor

/** Returns the number of the line with which a message begins, or undefined. */
const lineOf = (message) => /^line (\d+):/.exec(message)?.[1];

export class Table extends Handle {
  #bytes;
  #rows; // their number
  #boxes;
  #ids;
  #items = null; // made when they are first asked for

  constructor(token, bytes) {
    if (token !== READ) throw new TypeError('only Table.read can make a table');
    super();
    this.#bytes = bytes;
  }

  /** Reads the bytes of a CSV file. The error for a file that is not a table has its `line`. */
  static read(bytes) {
    if (!isArrayOf(bytes, 'Uint8Array')) throw new TypeError('bytes must be a Uint8Array');
    attached(bytes, 'the array of bytes');
    const table = new Table(READ, new Uint8Array(bytes));
    try {
      counted(table.#call('read'));
    } catch (error) {
      const line = lineOf(error.message);
      throw line === undefined ? error : Object.assign(error, { line: Number(line) });
    }
    const reader = Reader.ofStrings();
    table.position = POSITIONS[reader.word()];
    table.hasIds = reader.word() === 1;
    table.columns = Object.freeze(Array.from({ length: reader.word() }, () => reader.text()));
    table.#rows = reader.word();
    table.#keep(reader.at);
    return Object.freeze(table);
  }

  /** Copies the items from a place in the memory. */
  #keep(at) {
    const count = this.#rows, { buffer } = wasm.memory, numbers = new Float64Array(buffer, at, 5 * count), halves = new Uint32Array(buffer, at, 10 * count);
    this.#boxes = new Float64Array(4 * count);
    this.#ids = new BigUint64Array(count);
    const ids = new Uint32Array(this.#ids.buffer);
    for (let i = 0, k = 0; i < count; i++, k += 5) {
      for (let side = 0; side < 4; side++) this.#boxes[4 * i + side] = numbers[k + side];
      ids[2 * i] = halves[2 * k + 8];
      ids[2 * i + 1] = halves[2 * k + 9];
    }
  }

  /** The items of all rows, in their order. */
  get items() {
    const boxes = this.#boxes, ids = this.#ids, halves = new Uint32Array(ids.buffer);
    return this.#items ??= Array.from({ length: this.#rows }, (_, i) => {
      const k = 4 * i, high = halves[2 * i + 1], id = high < 2 ** 21 ? halves[2 * i] + high * 2 ** 32 : ids[i];
      return { minX: boxes[k], minY: boxes[k + 1], maxX: boxes[k + 2], maxY: boxes[k + 3], id };
    });
  }

  /** Returns the same items as arrays: boxes, with four numbers per box, and ids. */
  arrays() {
    return { boxes: this.#boxes.slice(), ids: this.#ids.slice() };
  }

  /** Calls a function with the bytes of the file in the buffer. */
  #call(name, ...rest) {
    const file = new Writer();
    file.bytes(this.#bytes, 'the file');
    file.send();
    return call(wasm[`pqtjs_table_${name}`], ...rest);
  }

  /** Returns the number of a column; throws if there is none with this name. */
  #column(name) {
    const lower = String(name).toLowerCase();
    const found = this.columns.findIndex((column) => column.toLowerCase() === lower);
    if (found < 0) throw new RangeError(`the table has no column ${name}`);
    return found;
  }

  /** Returns the text of a column in each row. */
  texts(column) {
    counted(this.#call('texts', this.#column(column)));
    const reader = Reader.ofStrings();
    return Array.from({ length: this.#rows }, () => reader.text());
  }

  /** Returns the same texts as UTF-8, { bytes, ends }: each ends before its place in `ends`, and begins where the one before ends. */
  textBytes(column) {
    counted(this.#call('texts', this.#column(column)));
    return readColumns(1, [0])[0];
  }

  /** Returns the line at which a row begins, counted from 1. */
  line(row) {
    if (!Number.isInteger(number(row, 'the row')) || row < 0 || row >= this.#rows) throw new RangeError(`the table has no row ${row}`);
    return counted(this.#call('line', row));
  }

  /** Returns the bytes of the table with other rows. A row without changes is written byte for byte. */
  write(rows) {
    if (!Array.isArray(rows)) throw new TypeError('rows must be an array');
    const lines = new Writer(), all = [...rows]; // reading a row may change the array
    lines.bytes(this.#bytes, 'the file');
    all.forEach((given, i) => {
      const { minX, minY, maxX, maxY, id } = item(given, `row ${i}`), { row, texts = {} } = given;
      if (row !== undefined && (!Number.isInteger(row) || row < 0 || row >= this.#rows)) throw new RangeError(`the table has no row ${row}`);
      lines.word(row === undefined ? 0 : row + 1, 'the row');
      for (const side of [minX, minY, maxX, maxY]) lines.double(side, `row ${i}`);
      lines.word(id, `row ${i}: the id`);
      const changed = Object.entries(texts);
      lines.word(changed.length);
      for (const [column, text] of changed) {
        lines.word(this.#column(column));
        lines.bytes(text, `row ${i}: the text of column ${column}`);
      }
    });
    lines.send();
    const count = counted(call(wasm.pqtjs_table_write, all.length, lines.length / 8, lines.length + lines.size));
    return new Uint8Array(wasm.memory.buffer, bufferAt(), count).slice();
  }
}
