// SPDX-License-Identifier: MIT
// editor_geojson.js: reads GeoJSON as the rows of a table, and writes scenes back into its features.
//
// JSON.parse checks the text and returns the geometries. A scene is written as the text of the file, in which only the values that
// were edited are replaced, so numbers keep their spelling and members that the studio does not know remain.

import { colourOf, openTable } from './editor_csv.js';
import { partsOf } from './editor_scene.js';

/**
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {import('./pqt.js').Id} Id
 * @typedef {import('./pqt.js').Item} Item
 * @typedef {import('./editor_scene.js').Scene} Scene
 * @typedef {[number, number]} Range  where a text begins and ends
 * @typedef {Map<string, Range>} Members
 *
 * A feature, a geometry alone, or a plain object, which is a row.
 * @typedef {{ range: Range, line: number, value: any, members: Members, properties: Members | null }} Feature
 *
 * @typedef {object} Features
 * @property {Feature[]} all
 * @property {boolean} areRows  whether they are plain objects
 * @property {Range | null} room  the inside of the array that holds the features; null: they follow each other
 * @property {number[] | null} bbox  of the collection
 */

/** The names of geometries in well-known text, and how deeply their positions are nested. @type {Record<string, [string, number]>} */
const TYPES = { Point: ['POINT', 0], MultiPoint: ['MULTIPOINT', 1], LineString: ['LINESTRING', 1], MultiLineString: ['MULTILINESTRING', 2],
  Polygon: ['POLYGON', 2], MultiPolygon: ['MULTIPOLYGON', 3], GeometryCollection: ['GEOMETRYCOLLECTION', -1] };
const WGS_84 = ['urn:ogc:def:crs:OGC:1.3:CRS84', 'urn:ogc:def:crs:OGC::CRS84', 'urn:ogc:def:crs:EPSG::4326', 'EPSG:4326', 'OGC:CRS84'];
/** The most properties of a file, and the most collections of geometries in each other, that the program reads. */
const MOST_PROPERTIES = 4096, DEEPEST = 32;
const BLANKS = ' \t\r\n\ufeff\x1e';

/** Returns whether bytes begin like JSON, as the program recognises it. */
export function isJson(/** @type {Uint8Array} */ bytes) {
  const first = /** @type {RegExpExecArray} */ (/^[\xef\xbb\xbf \t\r\n\x1e]*(.?)/s.exec(String.fromCharCode(...bytes.subarray(0, 64))))[1];
  return first === '{' || first === '[';
}

// ---- Text ----

/** A text of JSON, with the places of its values. */
class Json {
  constructor(/** @type {string} */ text, /** @type {string} */ file) {
    this.text = text;
    this.file = file;
  }

  /** Returns the error for what is at a place. */
  fault(/** @type {number} */ at, /** @type {string} */ message) {
    return new SyntaxError(`${this.file}:${this.text.slice(0, at).split('\n').length}: ${message}`);
  }

  /** Returns the place of the next byte that is not blank. */
  skip(/** @type {number} */ at) {
    while (at < this.text.length && BLANKS.includes(this.text[at])) at++;
    return at;
  }

  expect(/** @type {number} */ at, /** @type {string} */ letter) {
    at = this.skip(at);
    if (this.text[at] !== letter) throw this.fault(Math.min(at, this.text.length), `is not JSON ('${letter}' expected near '${this.text[at] ?? 'end of file'}')`);
    return at + 1;
  }

  /** Returns the end of the value at a place, which may be invalid inside. */
  endOf(/** @type {number} */ at) {
    const { text } = this, first = at;
    for (let depth = 0; at < text.length; at++) {
      const letter = text[at];
      if (letter === '"') {
        for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
      } else if (letter === '[' || letter === '{') {
        depth++;
      } else if (letter === ']' || letter === '}') {
        depth--;
      } else if (depth === 0) {
        while (at < text.length && !' \t\r\n,:]}[{"'.includes(text[at])) at++;
        if (at > first) return at;
        break;
      }
      if (depth <= 0 && at < text.length) return at + 1;
    }
    throw this.fault(Math.min(at, text.length), `is not JSON (a value expected near '${text[at] ?? 'end of file'}')`);
  }

  /** Returns a value. Throws if its text is no JSON. */
  value(/** @type {Range} */ [from, to]) {
    try {
      return JSON.parse(this.text.slice(from, to));
    } catch (reason) {
      throw this.fault(from, `is not JSON (${reason instanceof Error ? reason.message : reason})`);
    }
  }

  /** Returns the values of the object or the array at a place, with the names of an object's, and the place after it. */
  *parts(/** @type {number} */ at) {
    const isObject = this.text[at] === '{', end = isObject ? '}' : ']';
    at = this.skip(at + 1);
    if (this.text[at] === end) return at + 1;
    for (;;) {
      let name = '';
      if (isObject) {
        if (this.text[at] !== '"') throw this.fault(at, 'is not JSON (the name of a member expected)');
        const after = this.endOf(at);
        name = this.value([at, after]);
        at = this.skip(this.expect(after, ':'));
      }
      /** @type {Range} */
      const range = [at, this.endOf(at)];
      yield { name, range };
      at = this.skip(range[1]);
      if (this.text[at] !== ',') return this.expect(at, end);
      at = this.skip(at + 1);
    }
  }

  /** Returns the members of the object at a place. @returns {Members} */
  members(/** @type {number} */ at) {
    const found = /** @type {Members} */ (new Map());
    for (const { name, range } of this.parts(at)) {
      if (found.has(name)) throw this.fault(range[0], `is not JSON (a member occurs twice: ${name})`);
      found.set(name, range);
    }
    return found;
  }
}

// ---- Features ----

/** Throws if an object names a reference system other than WGS 84. */
function checkCrs(/** @type {any} */ object) {
  const crs = object?.crs, name = crs?.properties?.name;
  if (crs !== undefined && crs !== null && !WGS_84.includes(name)) throw new Error(`the coordinates are not those of WGS 84 (${name ?? 'a crs without a name'})`);
}

/** Throws if the bbox of an object crosses the antimeridian, and so is no box of the plane. */
function checkBbox(/** @type {any} */ object) {
  const bbox = object?.bbox;
  if (bbox === undefined || bbox === null) return;
  if (!Array.isArray(bbox) || (bbox.length !== 4 && bbox.length !== 6) || bbox.some((one) => typeof one !== 'number')) throw new Error('bbox is not four or six numbers');
  if (bbox[0] > bbox[bbox.length / 2])
    throw new Error(`bbox crosses the antimeridian, so it is no box of the plane (west ${bbox[0]} > east ${bbox[bbox.length / 2]})`);
}

/** @returns {string} */
function wktOfPositions(/** @type {any} */ coordinates, /** @type {number} */ depth) {
  if (!Array.isArray(coordinates)) throw new Error('the coordinates of the geometry are not an array');
  if (depth > 0) return coordinates.length === 0 ? 'EMPTY' : `(${coordinates.map((one) => wktOfPositions(one, depth - 1)).join(',')})`;
  if (coordinates.length < 2) throw new Error('a position of the geometry has fewer than two numbers');
  const numbers = coordinates.slice(0, 3);
  if (numbers.some((one) => typeof one !== 'number')) throw new Error('a coordinate of the geometry is not a number');
  if (numbers.some((one) => !Number.isFinite(one))) throw new Error('a coordinate of the geometry is too large');
  return numbers.join(' ');
}

/** Returns a geometry as well-known text. @returns {string} */
function wktOf(/** @type {any} */ geometry, depth = 0) {
  const [name, nested] = TYPES[geometry?.type] ?? [];
  if (name === undefined || nested === undefined) throw new Error(`type is not that of a geometry (${geometry?.type ?? ''})`);
  if (depth > DEEPEST) throw new Error('the collections of the geometry are nested too deeply');
  checkBbox(geometry);
  checkCrs(geometry);
  if (nested >= 0) {
    const { coordinates } = geometry, isEmpty = nested === 0 && Array.isArray(coordinates) && coordinates.length === 0;
    const positions = isEmpty ? 'EMPTY' : wktOfPositions(coordinates, nested);
    return `${name} ${nested === 0 && !isEmpty ? `(${positions})` : positions}`;
  }
  const { geometries } = geometry;
  if (!Array.isArray(geometries)) throw new Error('the geometries of the collection are not an array');
  return `${name} ${geometries.length === 0 ? 'EMPTY' : `(${geometries.map((one) => wktOf(one, depth + 1)).join(',')})`}`;
}

/** Returns the geometry of a feature, or a geometry alone. */
const geometryOf = (/** @type {any} */ { type, geometry }, /** @type {any} */ alone) => (type === 'Feature' ? geometry : alone);

/** Reads the features of a text. @returns {Features} */
function featuresOf(/** @type {Json} */ json) {
  const { text } = json, found = /** @type {Features} */ ({ all: [], areRows: false, room: null, bbox: null });
  let line = 1, counted = 0;
  const add = (/** @type {Range} */ range) => {
    if (text[range[0]] !== '{') throw json.fault(range[0], `is not JSON ('{' expected near '${text[range[0]]}')`);
    for (; counted < range[0]; counted++) if (text[counted] === '\n') line++;
    const value = json.value(range), members = json.members(range[0]);
    const own = found.areRows ? members : (value.type === 'Feature' && members.get('properties')) || null;
    const isObject = own instanceof Map || (own !== null && text[own[0]] === '{');
    if (own !== null && !isObject && text[own[0]] !== 'n') throw json.fault(range[0], 'the properties are not an object');
    found.all.push({ range, line, value, members, properties: own instanceof Map ? own : own !== null && isObject ? json.members(own[0]) : null });
  };
  const addAll = (/** @type {number} */ at) => {
    const parts = json.parts(at);
    let next = parts.next();
    for (; next.done !== true; next = parts.next()) add(next.value.range);
    found.room = [at + 1, next.value - 1];
    return next.value;
  };
  let at = json.skip(0);
  if (text[at] === '[') {
    found.areRows = true;
    at = json.skip(addAll(at));
    if (at < text.length) throw json.fault(at, 'text follows the array');
    return found;
  }
  for (let isFirst = true; at < text.length; isFirst = false) {
    /** @type {Range} */
    const range = [at, json.endOf(json.expect(at, '{') - 1)];
    const members = json.members(at), features = members.get('features');
    if (features !== undefined && text[features[0]] === '[') {
      if (!isFirst) throw json.fault(at, 'a FeatureCollection follows features');
      const about = Object.fromEntries([...members].filter(([name]) => name !== 'features').map(([name, own]) => [name, json.value(own)]));
      if (about.type !== 'FeatureCollection') throw json.fault(at, `type is not FeatureCollection (${about.type ?? ''})`);
      told(json, at, () => checkCrs(about));
      addAll(features[0]);
      for (const { range: [place], value: { type } } of found.all) if (type !== 'Feature') throw json.fault(place, `type is not Feature (${type ?? ''})`);
      found.bbox = Array.isArray(about.bbox) ? about.bbox : null;
      at = json.skip(range[1]);
      if (at < text.length) throw json.fault(at, 'text follows the FeatureCollection');
      return found;
    }
    const type = textOf(json, members.get('type')), isKnown = type === 'Feature' || Object.hasOwn(TYPES, type);
    if (isFirst) found.areRows = !isKnown;
    if (!isKnown && !found.areRows) throw json.fault(at, `type is not Feature or that of a geometry (${type})`);
    add(range);
    at = json.skip(range[1]);
  }
  return found;
}

/** Runs a function. An error that it throws gets the line of a place. @template T @returns {T} */
function told(/** @type {Json} */ json, /** @type {number} */ at, /** @type {() => T} */ action) {
  try {
    return action();
  } catch (reason) {
    throw json.fault(at, reason instanceof Error ? reason.message : String(reason));
  }
}

// ---- Rows ----

/** Returns a value as the text of a field: a string as it is, null as nothing, and all else as it is spelt. */
function textOf(/** @type {Json} */ json, /** @type {Range | undefined} */ range) {
  if (range === undefined) return '';
  const spelt = json.text.slice(...range);
  return spelt === 'null' ? '' : spelt[0] === '"' ? json.value(range) : spelt;
}

/** Returns an id as the text of a field. A whole number has no fraction: 7.0 is the number 7 in JSON, and pandas writes it if a row has no id. */
function idTextOf(/** @type {Json} */ json, /** @type {Range | undefined} */ range) {
  const text = textOf(json, range), number = Number(text), isSpelt = range !== undefined && json.text[range[0]] !== '"' && /^-?[0-9].*[.eE]/.test(text);
  return isSpelt && number >= 0 && number <= 2 ** 53 && Number.isInteger(number) ? String(Math.abs(number)) : text;
}

/** Returns the names of the columns for properties, which differ from each other also without regard to case. */
function columnsOf(/** @type {string[]} */ properties, /** @type {string[]} */ taken) {
  const tried = new Map(taken.map((name) => [name, 1])), key = (/** @type {string} */ name) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return properties.map((name) => {
    let unused = name, number = tried.get(key(name)) ?? 1;
    while (tried.has(key(unused))) unused = `${name}_${++number}`;
    tried.set(key(unused), 1).set(key(name), number);
    return unused;
  });
}

/** Returns the features as CSV, with the columns that the program gives them, and the line of the file for each of its lines. */
function csvOfFeatures(/** @type {Json} */ json, /** @type {Features} */ { all, areRows }) {
  const names = new Map(), hasIds = !areRows && all.some(({ value }) => value.id !== undefined && value.id !== null);
  for (const { range: [at], properties } of all)
    for (const name of properties?.keys() ?? []) {
      if (names.size === MOST_PROPERTIES && !names.has(name)) throw json.fault(at, `there are more than ${MOST_PROPERTIES} properties (${name})`);
      names.set(name, true);
    }
  const first = areRows ? [] : hasIds ? ['id', 'wkt'] : ['wkt'], lines = [1];
  const idName = hasIds ? undefined : [...names.keys()].find((name) => name.toLowerCase() === 'id');
  /** @type {string[]} */
  const rows = [];
  const add = (/** @type {string[]} */ fields, /** @type {number} */ line) => {
    const row = fields.map((field) => (field === '' ? '' : `"${field.replaceAll('"', '""')}"`)).join(',');
    for (let left = row.split(/\r\n|[\r\n]/).length; left > 0; left--) lines.push(line);
    rows.push(row);
  };
  add([...first, ...columnsOf([...names.keys()], first)], 1);
  for (const feature of all) {
    const { range: [at], line, value, members, properties } = feature, geometry = geometryOf(value, value);
    const wkt = () => {
      if (geometry === null || typeof geometry !== 'object') throw new Error('the feature has no geometry, and so no box');
      checkBbox(value);
      checkCrs(value);
      const text = wktOf(geometry);
      if (!/\d/.test(text)) throw new Error('the geometry is empty, and has no box');
      return text;
    };
    const fields = areRows ? [] : [told(json, at, wkt)];
    if (hasIds) fields.unshift(idTextOf(json, members.get('id')));
    for (const name of names.keys()) fields.push((name === idName ? idTextOf : textOf)(json, properties?.get(name)));
    add(fields, line);
  }
  return { csv: new TextEncoder().encode(`${rows.join('\n')}\n`), lines };
}

// ---- Writing ----

/** Returns the positions of a box: of a point or of a rectangle. */
function geometryOfBox(/** @type {Box} */ { minX, minY, maxX, maxY }) {
  return minX === maxX && minY === maxY ? { type: 'Point', coordinates: [minX, minY] }
    : { type: 'Polygon', coordinates: [[[minX, minY], [maxX, minY], [maxX, maxY], [minX, maxY], [minX, minY]]] };
}

/** Returns whether a polygon has the corners of a box, in either order around it, and no heights. */
function isRectangle(/** @type {any} */ { type, coordinates }, /** @type {Box} */ { minX, minY, maxX, maxY }) {
  if (type !== 'Polygon' || coordinates.length !== 1 || coordinates[0].length !== 5) return false;
  const /** @type {number[][]} */ ring = coordinates[0];
  return String(ring[0]) === String(ring[4]) && new Set(ring.map(String)).size === 4
    && ring.every((at) => at.length === 2 && (at[0] === minX || at[0] === maxX) && (at[1] === minY || at[1] === maxY))
    && [0, 1, 2, 3].every((i) => ring[i][0] === ring[i + 1][0] || ring[i][1] === ring[i + 1][1]);
}

const isInside = (/** @type {Box} */ { minX, minY, maxX, maxY }, /** @type {number[]} */ bbox) =>
  minX >= bbox[0] && minY >= bbox[1] && maxX <= bbox[bbox.length / 2] && maxY <= bbox[bbox.length / 2 + 1];

/**
 * Returns a function that writes a scene into the features of a text: the features that were not edited remain as they are spelt.
 * @param {Json} json
 * @param {Features} features
 * @param {import('./pqt.js').Table} table  the same features as rows
 * @param {{ name: string[] | null, colour: string[] | null }} texts  those of the rows
 * @returns {(scene: Scene) => Uint8Array}
 */
function writerOf(json, { all, areRows, room, bbox }, table, texts) {
  const { text } = json, { items, hasIds } = table;

  /** Returns the changes of a text that give an object a member. @returns {[number, number, string][]} */
  const withMember = (/** @type {number} */ at, /** @type {Members} */ members, /** @type {string} */ name, /** @type {string} */ value) => {
    const old = members.get(name);
    if (old !== undefined) return [[old[0], old[1], value]];
    return [[at + 1, at + 1, `${JSON.stringify(name)}:${value}${members.size > 0 ? ',' : ''}`]];
  };

  /** Returns the changes of a text that give a feature properties. @returns {[number, number, string][]} */
  const withProperties = (/** @type {Feature} */ { range: [at], value, members, properties }, /** @type {Id} */ id, /** @type {Record<string, string>} */ changed) => {
    const names = Object.keys(changed), spelt = (/** @type {string} */ column) => [...(properties?.keys() ?? [])].find((one) => one.toLowerCase() === column) ?? column;
    if (names.length === 0) return [];
    if (!areRows && value.type !== 'Feature') throw new Error(`Box ${id} is a geometry without a feature, which has no ${names.join(' and no ')}.`);
    if (properties !== null) {
      const own = areRows ? at : /** @type {Range} */ (members.get('properties'))[0];
      const old = names.filter((name) => properties.has(spelt(name))), added = names.filter((name) => !old.includes(name));
      const changes = old.flatMap((name) => withMember(own, properties, spelt(name), changed[name]));
      if (added.length > 0)
        changes.push([own + 1, own + 1, `${added.map((name) => `${JSON.stringify(name)}:${changed[name]}`).join(',')}${properties.size > 0 ? ',' : ''}`]);
      return changes;
    }
    return withMember(at, members, 'properties', `{${names.map((name) => `${JSON.stringify(name)}:${changed[name]}`).join(',')}}`);
  };

  /** Returns the changes of a text that give a feature another box. Throws if that needs another geometry than it can have. @returns {[number, number, string][]} */
  const withBox = (/** @type {Feature} */ { value, range: [at], members }, /** @type {Item} */ before, /** @type {Item} */ item) => {
    if (areRows) throw new Error(`The file has plain objects instead of features, and box ${item.id} was moved.`);
    const old = geometryOf(value, value), { id } = item, made = geometryOfBox(item);
    if (old.type !== 'Point' && !isRectangle(old, before)) throw new Error(`The geometry of box ${id} is no point and no rectangle (${old.type}), so it does not follow its box.`);
    if (old.coordinates.length > 3 && old.type === 'Point') throw new Error(`The position of box ${id} has more than three numbers.`);
    if (old.type === 'Point' && old.coordinates.length > 2) {
      if (made.type !== 'Point') throw new Error(`Box ${id} is a point with a height, and would be larger than a point.`);
      made.coordinates.push(old.coordinates[2]);
    }
    const inner = value.type === 'Feature' ? /** @type {Range} */ (members.get('geometry'))[0] : at, own = value.type === 'Feature' ? json.members(inner) : members;
    const changes = withMember(inner, own, 'coordinates', JSON.stringify(made.coordinates));
    if (made.type !== old.type) changes.push(...withMember(inner, own, 'type', JSON.stringify(made.type)));
    for (const [object, place, some] of /** @type {[any, number, Members][]} */ (value.type === 'Feature' ? [[value, at, members], [old, inner, own]] : [[old, inner, own]])) {
      if (!Array.isArray(object.bbox)) continue;
      if (object.bbox.length !== 4) throw new Error(`Box ${id} has a bbox with heights.`);
      changes.push(...withMember(place, some, 'bbox', JSON.stringify([item.minX, item.minY, item.maxX, item.maxY])));
    }
    return changes;
  };

  /** Returns the text of a feature for a new box. */
  const newFeature = (/** @type {Item} */ item, /** @type {Record<string, string>} */ changed) => {
    if (areRows) throw new Error(`The file has plain objects instead of features, and box ${item.id} is new.`);
    const isOwn = all.length === 0 || all.some(({ value }) => value.id !== undefined && value.id !== null);
    const properties = { ...(!isOwn && hasIds ? { [table.columns.find((one) => one.toLowerCase() === 'id') ?? 'id']: String(item.id) } : {}), ...changed };
    const inner = Object.entries(properties).map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
    return `{"type":"Feature",${isOwn && (hasIds || all.length === 0) ? `"id":${item.id},` : ''}"properties":{${inner}},"geometry":${JSON.stringify(geometryOfBox(item))}}`;
  };

  /** Returns a part of the text with changes. */
  const edited = (/** @type {Range} */ [from, to], /** @type {[number, number, string][]} */ changes) => {
    let made = '', at = from;
    for (const [start, end, instead] of changes.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
      made += text.slice(at, start) + instead;
      at = end;
    }
    return made + text.slice(at, to);
  };

  return (scene) => {
    const { boxes, names, colours } = partsOf(scene), left = new Map(boxes.all().map((item) => [item.id, item]));
    const changedTexts = (/** @type {Id} */ id, oldName = '', oldColour = '') => {
      const name = names.getText(id) ?? '', colour = Number(colours.get(id) ?? 0), changed = /** @type {Record<string, string>} */ ({});
      if (name !== oldName) changed.name = name === '' ? 'null' : JSON.stringify(name);
      if (colour !== colourOf(oldColour)) changed.colour = String(colour);
      return changed;
    };
    const checked = (/** @type {Item} */ item) => {
      if (bbox !== null && !isInside(item, bbox)) throw new Error(`The bbox of the file does not contain box ${item.id}.`);
      return item;
    };
    const gaps = all.map(({ range: [at] }, i) => (i === 0 ? '' : text.slice(all[i - 1].range[1], at)));
    const begin = all.length > 0 ? all[0].range[0] : (room ?? [0])[0], end = all.length > 0 ? all[all.length - 1].range[1] : begin;
    const kept = [], gap = all.length > 1 ? gaps[1] : room !== null ? ',\n' : '\n';
    all.forEach((feature, i) => {
      const before = items[i], item = left.get(before.id);
      if (item === undefined) return;
      left.delete(before.id);
      const isMoved = ['minX', 'minY', 'maxX', 'maxY'].some((side) => item[/** @type {'minX'} */ (side)] !== before[/** @type {'minX'} */ (side)]);
      const changes = [...(isMoved ? withBox(feature, before, checked(item)) : []), ...withProperties(feature, item.id, changedTexts(item.id, texts.name?.[i], texts.colour?.[i]))];
      kept.push(`${kept.length > 0 ? gaps[i] : ''}${edited(feature.range, changes)}`);
    });
    const added = [...left.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const item of added) kept.push(`${kept.length > 0 ? gap : ''}${newFeature(checked(item), changedTexts(item.id))}`);
    if (room === null && kept.length === 0) throw new Error('The file has no collection, so it needs a feature.');
    if (room === null && all.length === 1 && kept.length > 1) throw new Error('The file is one feature, which has no room for another.');
    return new TextEncoder().encode(text.slice(0, begin) + kept.join('') + text.slice(end));
  };
}

/** Opens a GeoJSON file. Throws if it cannot be read, or if an id occurs twice. */
export function openGeojson(/** @type {Uint8Array} */ bytes, /** @type {string} */ name) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SyntaxError(`${name}: is not UTF-8`);
  }
  const json = new Json(text, name), features = featuresOf(json);
  // An array without objects, which is a search that found nothing, has no columns with positions.
  const { csv, lines } = csvOfFeatures(json, features.all.length > 0 ? features : { ...features, areRows: false });
  const { table, texts, scene, isUp, write } = openTable(csv, name, (line) => lines[line] ?? line);
  return { scene, isUp, write: writerOf(json, features, table, texts), writeCsv: write };
}

const EMPTY = new TextEncoder().encode('{"type":"FeatureCollection","features":[\n]}\n');

/** Returns a scene as a new GeoJSON file. */
export function geojsonOf(/** @type {Scene} */ scene) {
  return openGeojson(EMPTY, 'GeoJSON').write(scene);
}
