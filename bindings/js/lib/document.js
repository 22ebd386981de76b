// SPDX-License-Identifier: MIT
// document.js: the class Document, which holds trees, maps, regions, images and worlds that change together.
import {
  DOCUMENT, KINDS, MAP, PIN, SUMMARY, Version, box, call, counted, fromBytes, kindOf, members, own as ownVersion, pinOf, register, sendText, settings,
  surplus, wasm,
} from './core.js';
import { Reader, Writer } from './bytes.js';
import { mergeWith, valueAnswer } from './conflicts.js';
import { CHANGES } from './items.js';
import { kindsOf, readKey, readValue } from './map_queries.js';

const NAMES = { ours: 1, theirs: 2, neither: 3, base: 4, both: 6 };
const KEEP_ANSWER = 5;
const CONFLICTS = [undefined, 'item', 'removedItem', 'entry', 'part', 'pixels'];

const pinOfDocument = (document, what = 'the object of the call') => pinOf(document, DOCUMENT, what);
const own = (pin) => ownVersion(DOCUMENT, pin);

function writeName(writer, name) {
  if (typeof name !== 'string') throw new TypeError('the name of a part must be a string');
  if (name.includes('\0')) throw new RangeError('the name of a part must not have control characters');
  writer.bytes(`${name}\0`, 'the name of a part');
}

/** Writes parts for take_parts of flat_documents.c: each is a version, or { map, keyedBy }. Returns their number. */
function sendParts(parts) {
  const writer = new Writer();
  const entries = Object.entries(parts);
  const versions = entries.map(([name, part]) => {
    const isKeyed = part !== null && typeof part === 'object' && !(part instanceof Version);
    const { map, keyedBy } = isKeyed ? part : { map: part, keyedBy: undefined };
    return { name, version: map, keyedBy, kind: kindOf(map, `part ${name}`) };
  });
  for (const { name, version, keyedBy, kind } of versions) {
    if (kind === DOCUMENT) throw new TypeError(`part ${name} is a document: documents cannot be parts`);
    writer.word(kind);
    writer.word(pinOf(version, kind, `part ${name}`));
    writeName(writer, name);
    if (keyedBy === undefined) writer.bytes('');
    else writeName(writer, keyedBy);
  }
  writer.send();
  return entries.length;
}

function partsOf(pin) {
  counted(call(wasm.pqtjs_document_parts, pin));
  return Reader.ofStrings().all((reader) => ({ kind: KINDS[reader.word()], name: reader.text(), keyedBy: reader.text() || null }));
}

const documentOf = (parts) => own(call(wasm.pqtjs_document_make, sendParts(parts)));

/** Returns a part as a new object. */
function partOf(pin, parts, name) {
  const index = parts.findIndex((part) => part.name === name);
  if (index < 0) throw new RangeError(`the document has no part ${String(name)}; its parts are ${parts.map((part) => part.name).join(', ')}`);
  sendText(name, 'the name of a part');
  return ownVersion(KINDS.indexOf(parts[index].kind), call(wasm.pqtjs_document_part, pin));
}

/** Reads the key and the values of an entry of a map. */
function readEntry(reader, names) {
  const kinds = reader.word(), entry = { key: readKey(reader, (kinds & 1) !== 0) };
  for (const name of names) entry[name] = readValue(reader, (kinds & 2) !== 0);
  return entry;
}

function readChange(reader, parts) {
  const { name: part, kind } = parts[reader.word()];
  if (kind === 'map') return { part, kind, ...readEntry(reader, ['before', 'after']) };
  if (kind !== 'tree') return { part, kind };
  const change = CHANGES[reader.word()], item = reader.item(), to = reader.box();
  return change === 'move' ? { part, kind, change, item, to } : { part, kind, change, item };
}

function readConflict(reader, parts) {
  const hash = reader.bigWord(), kind = CONFLICTS[reader.word()], part = parts[reader.word()].name;
  if (kind === 'part') return { hash, kind, part };
  if (kind === 'pixels') return { hash, kind, part, box: reader.box() };
  if (kind === 'entry') return { hash, kind, part, ...readEntry(reader, ['base', 'ours', 'theirs']) };
  const conflict = { hash, kind, part, id: reader.word() };
  for (const side of ['base', 'ours', 'theirs']) conflict[side] = Array.from({ length: reader.word() }, () => reader.box());
  return conflict;
}

/** One version of a document. No method changes it; methods that edit return another version. */
export class Document extends Version {
  #parts = null; // what get has read of the parts, which never change

  constructor(given, pin) {
    if (given !== PIN) throw new TypeError('call Document.of');
    super(PIN, DOCUMENT, pin);
  }

  /** Makes a document from an object of parts: versions, and { map, keyedBy } for a map of attributes of items. */
  static of(parts) {
    return documentOf(members(parts));
  }

  /** Makes a document from bytes that toBytes returned, in JavaScript or in another language. */
  static fromBytes(bytes) {
    return fromBytes(DOCUMENT, bytes);
  }

  [SUMMARY]() {
    return Object.fromEntries(this.parts.map(({ name, kind }) => [name, kind]));
  }

  /** The parts in the order of their names: { name, kind, keyedBy }. */
  get parts() {
    return partsOf(pinOfDocument(this));
  }

  /** Returns a part as a new object: a PersistentTree, a PersistentMap, a Region, a
      PersistentImage or a World. */
  get(name) {
    if (arguments.length > 1) surplus(arguments.length, 'get', 1);
    const pin = pinOfDocument(this);
    return partOf(pin, this.#parts ??= partsOf(pin), name);
  }

  /** Sets one part or several: set(name, version), or set({ name: version, ... }). The attributes
      of removed items are removed too. */
  set(name, version) {
    if (arguments.length > 2) surplus(arguments.length, 'set', 2);
    const count = sendParts(typeof name === 'string' ? { [name]: version } : members(name));
    return own(call(wasm.pqtjs_document_set, pinOfDocument(this), count));
  }

  /** Returns the changes that turn this version into another one with the same parts. */
  diff(after) {
    if (arguments.length > 1) surplus(arguments.length, 'diff', 1);
    const parts = partsOf(pinOfDocument(this));
    counted(call(wasm.pqtjs_document_diff, pinOfDocument(this), pinOfDocument(after, 'the other version')));
    return Reader.ofStrings().all((reader) => readChange(reader, parts));
  }

  /** Returns a version with the changes of both sides, which must derive from this version. */
  merge(ours, theirs, given = {}) {
    const { onConflict = 'error' } = settings(given, ['onConflict']);
    const pins = () => [pinOfDocument(this), pinOfDocument(ours, 'ours'), pinOfDocument(theirs, 'theirs')];
    const parts = partsOf(pins()[0]);
    const held = []; // versions that are answers
    return own(mergeWith({
      names: NAMES,
      attempt: (otherwise, count) => call(wasm.pqtjs_document_merge, ...pins(), otherwise, count),
      read: (reader) => readConflict(reader, parts),
      answer: (conflict, answer) => this.#answer(conflict, answer, parts, held),
    }, wasm.pqtjs_unpin, onConflict));
  }

  /** Returns an answer for mergeWith. Uses no method of this object that a class of the user may replace. */
  #answer({ kind, part }, answer, parts, held) {
    if (kind === 'removedItem' || kind === 'pixels') throw new TypeError(`the answer to ${kind === 'pixels' ? 'pixels' : 'a removed item'} of ${part} must be a name`);
    if (kind === 'entry') {
      if (!('value' in answer)) throw new TypeError(`the answer to an entry of ${part} must have a value`);
      const { value } = answer, map = partOf(pinOfDocument(this), parts, part);
      try {
        return valueAnswer(KEEP_ANSWER, value, kindsOf(pinOf(map, MAP))[1]);
      } finally {
        map.free();
      }
    }
    if (kind === 'item') {
      const { boxes: given } = answer;
      if (!Array.isArray(given)) throw new TypeError(`the answer to an item of ${part} must have an array \`boxes\``);
      const boxes = [...given].map((one, i) => box(one, `box ${i}`)); // reading a box may change the array
      const edges = boxes.flatMap(({ minX, minY, maxX, maxY }) => [minX, minY, maxX, maxY]);
      return { resolution: KEEP_ANSWER, bytes: new Uint8Array(Float64Array.from(edges).buffer) };
    }
    const { version: given } = answer, expected = parts.find(({ name }) => name === part).kind;
    if (KINDS[kindOf(given, `the answer to the part ${part}`)] !== expected) throw new TypeError(`the answer to the part ${part} must be a ${expected}`);
    const copy = documentOf({ [part]: given }); // an object of its own: the user may free the answer
    held.push(copy);
    const pin = pinOfDocument(copy), version = partOf(pin, partsOf(pin), part);
    held.push(version);
    return { resolution: KEEP_ANSWER, number: pinOf(version, kindOf(version)) };
  }
}

register(DOCUMENT, Document);
