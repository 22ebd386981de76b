// SPDX-License-Identifier: MIT
// theme.js: reads the colours of studio.css, for drawing on a canvas.

/** @type {Map<string, string>} */
const colours = new Map();
/** @type {Map<string, number>} */
const packedColours = new Map();

/** Returns the colour that a custom property of studio.css has in the current theme, for example
    colour('cell'). */
export function colour(/** @type {string} */ name) {
  let found = colours.get(name);
  if (found === undefined) {
    found = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, found);
  }
  return found;
}

/** Returns a colour of the form #rrggbb as the 32 bits of a pixel of ImageData. */
export function packed(/** @type {string} */ name) {
  let found = packedColours.get(name);
  if (found === undefined) {
    const text = colour(name), bytes = Uint8Array.of(0, 0, 0, 255);
    for (let i = 0; i < 3; i++) bytes[i] = parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
    [found] = new Uint32Array(bytes.buffer);
    packedColours.set(name, found);
  }
  return found;
}

/** Calls a function after the theme has changed between light and dark. */
export function onThemeChange(/** @type {() => void} */ redraw) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    colours.clear();
    packedColours.clear();
    redraw();
  });
}
