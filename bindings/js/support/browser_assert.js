// SPDX-License-Identifier: MIT
// browser_assert.js: implements the part of node:assert/strict that the tests use, for browsers.

class AssertionError extends Error {}

function shown(value) {
  try {
    return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))?.slice(0, 300) ?? String(value);
  } catch {
    return String(value);
  }
}

function equalDeeply(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (ArrayBuffer.isView(a)) return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equalDeeply(a[key], b[key]));
}

function isExpected(error, expected) {
  if (expected === undefined) return true;
  if (typeof expected === 'function') return expected.prototype instanceof Error || expected === Error ? error instanceof expected : expected(error) === true;
  return Object.entries(expected).every(([key, value]) => (value instanceof RegExp ? value.test(error[key]) : equalDeeply(error[key], value)));
}

export default {
  ok(value, text = `${shown(value)} is not true`) {
    if (!value) throw new AssertionError(text);
  },
  equal(actual, expected, text = '') {
    if (!Object.is(actual, expected)) throw new AssertionError(`${text} ${shown(actual)} is not ${shown(expected)}`);
  },
  deepEqual(actual, expected, text = '') {
    if (!equalDeeply(actual, expected)) throw new AssertionError(`${text} ${shown(actual)} is not equal to ${shown(expected)}`);
  },
  match(text, pattern) {
    if (!pattern.test(text)) throw new AssertionError(`${shown(text)} does not match ${pattern}`);
  },
  throws(action, expected) {
    try {
      action();
    } catch (error) {
      if (!isExpected(error, expected)) throw new AssertionError(`another exception was thrown: ${error}`, { cause: error });
      return;
    }
    throw new AssertionError('no exception was thrown');
  },
};
