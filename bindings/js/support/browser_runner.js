// SPDX-License-Identifier: MIT
// browser_runner.js: implements the part of node:test that the tests use, for browsers.

const tests = [];

export default function test(name, action) {
  tests.push([name, action]);
}

/** Runs all tests in order, and returns { passed, failures }. */
export async function run() {
  const failures = [];
  for (const [name, action] of tests) {
    try {
      await action();
    } catch (error) {
      failures.push(`${name}: ${error?.stack ?? error}`);
    }
  }
  return { passed: tests.length - failures.length, failures };
}
