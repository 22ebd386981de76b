// SPDX-License-Identifier: MIT
// cases.js: reads test/cases.json, which the C library writes. It reads the file in node, and asks the
// server in a browser.

/** Returns the parsed contents of the file. */
export async function readCases() {
  const file = new URL('../../../test/cases.json', import.meta.url);
  if (file.protocol !== 'file:') return (await fetch('/cases.json')).json();
  const { readFileSync } = await import('node:fs');
  return JSON.parse(readFileSync(file, 'utf8'));
}
