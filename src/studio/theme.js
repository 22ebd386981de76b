// SPDX-License-Identifier: MIT
// theme.js: the colours of studio.css, for drawing on a canvas.

/** @type {Map<string, string>} */
const colours = new Map();

/** Returns the colour that a custom property of studio.css has in the present theme: colour('cell'). */
export function colour(/** @type {string} */ name) {
  let found = colours.get(name);
  if (found === undefined) {
    found = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, found);
  }
  return found;
}

/** Calls a function after the theme has changed between light and dark. */
export function onThemeChange(/** @type {() => void} */ redraw) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    colours.clear();
    redraw();
  });
}
