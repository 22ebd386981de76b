// SPDX-License-Identifier: MIT
// instance.js: the instance of pqt.wasm, or of pqt-trees.wasm. `start` makes it: index.js and trees.js call it
// while they are imported, and `init` of init.js when its source has arrived.
import { encode } from './utf8.js';

/** The exports of the instance. Before the start, reading one of them throws. */
export let wasm = new Proxy({}, {
  get() {
    throw new Error('pqt has not started: await init(source) before the first call');
  },
});

/** The part of the package that has started: 'all' or 'trees'; undefined before the start. */
export let startedPart;

const waiting = [];

/** Calls a function once the instance exists. It is for modules that keep something of the instance. */
export function onStart(action) {
  if (startedPart === undefined) waiting.push(action);
  else action();
}

/** Writes the shortest text that reads back as the same double, in the form of printf's %g, for
    messages of the library. */
function formatDouble(value, at) {
  const text = value === 0 ? '0' : Number.isFinite(value) ? shortestText(value) : String(value).replace('Infinity', 'inf').replace('NaN', 'nan');
  const bytes = encode(`${text}\0`);
  new Uint8Array(wasm.memory.buffer, at >>> 0, bytes.length).set(bytes);
}

function shortestText(value) {
  let digits = Math.abs(value) < 2 ** -1022 ? 1 : 15; // fewer may suffice where doubles are sparse
  while (digits < 17 && Number(value.toExponential(digits - 1)) !== value) digits++;
  const [mantissa, power] = value.toExponential(digits - 1).split('e');
  const exponent = Number(power), shown = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  if (exponent < -4 || exponent >= digits) return `${shown}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  const sign = value < 0 ? '-' : '', figures = shown.replace(/[-.]/g, '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${figures}`;
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, '0'), rest = figures.slice(exponent + 1);
  return `${sign}${whole}${rest === '' ? '' : `.${rest}`}`;
}

/** Makes the instance of a compiled module, unless there is one. A program has one instance, whose
    versions fit together. */
export function start(module, part) {
  if (startedPart !== undefined && startedPart !== part) throw new Error('a program uses pqt or pqt/trees, not both');
  if (startedPart !== undefined) return;
  const { exports } = new WebAssembly.Instance(module, { pqt: { formatDouble } });
  exports._initialize();
  wasm = exports;
  startedPart = part;
  waiting.splice(0).forEach((action) => action());
}
