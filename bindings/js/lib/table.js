// SPDX-License-Identifier: MIT
// table.js: tables, which are CSV files: reads their rows as items, and writes them back with all that did not change.
import { Handle, attached, bufferAt, call, counted, isArrayOf, number, wasm } from './core.js';
import { item } from './items.js';
import { Reader, Writer } from './bytes.js';

const POSITIONS = [, 'boxes', 'sizes', 'points', 'degrees', 'degree-boxes', 'geometries'];
const READ = {}; // the argument with which only Table.read calls the constructor

/** Returns the number of the line with which a message begins, or undefined. */
const lineOf = (message) => /^line (\d+):/.exec(message)?.[1];

export class Table extends Handle {
  #bytes;
  #rows; // their number

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
    table.items = Array.from({ length: reader.word() }, () => reader.item());
    table.#rows = table.items.length; // the user may change that array
    return Object.freeze(table);
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
