// SPDX-License-Identifier: MIT
// cases.js: reads test/cases.json, which the C library writes: from its file in node, from the server in
// a browser.

/** Returns the parsed file. */
export async function readCases() {
  const file = new URL('../../../test/cases.json', import.meta.url);
  if (file.protocol !== 'file:') return (await fetch('/cases.json')).json();
  const { readFileSync } = await import('node:fs');
  return JSON.parse(readFileSync(file, 'utf8'));
}
