// SPDX-License-Identifier: MIT
// editor_export.js: saves what the plane of the editor shows as a picture, PNG or SVG.

import { PALETTE } from './editor_canvas.js';
import { partsOf } from './editor_scene.js';
import { colour } from './theme.js';

/** The maximum number of boxes in an SVG file. */
const MOST_BOXES = 200000;
/** The side of the square that represents each smaller box, in pixels. */
const LEAST = 2;

/** Returns the canvas as a PNG file. @returns {Promise<Uint8Array>} */
export async function pngOfPlane(/** @type {import('./editor_canvas.js').Plane} */ plane) {
  const { surface } = plane;
  plane.finish();
  const blob = await new Promise((resolve) => { surface.canvas.toBlob(resolve); });
  if (blob === null) throw new Error('The browser cannot write the picture.');
  return new Uint8Array(await blob.arrayBuffer());
}

/** Returns a text for XML, without the characters that XML forbids. */
function escaped(/** @type {string} */ text) {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '').replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
}

const rounded = (/** @type {number} */ one) => Math.round(one * 100) / 100;

/** Returns the boxes that are seen, with their names where there is room, as an SVG file. Throws if there are too many. */
export function svgOfPlane(/** @type {import('./editor.js').Editor} */ editor) {
  const { plane, scenes } = editor, { surface } = plane, { width, height } = surface, { boxes, colours } = partsOf(scenes.now);
  const count = boxes.count(surface.visible);
  if (count > MOST_BOXES) throw new Error(`${count.toLocaleString('en')} boxes are seen, and an SVG file gets ${MOST_BOXES.toLocaleString('en')} at most. Zoom in, or save PNG.`);
  /** The shapes of each colour. */
  const groups = PALETTE.map(() => ({ small: /** @type {string[]} */ ([]), large: /** @type {string[]} */ ([]) }));
  // Parts outside of the picture are cut off, but not the edges of the picture.
  const near = (/** @type {number} */ one, /** @type {number} */ most) => rounded(Math.min(Math.max(one, -10), most + 10));
  for (const item of boxes.search(surface.visible)) {
    const { left, top, right, bottom } = surface.edgesOf(item), group = groups[Number(colours.get(item.id) ?? 0) % PALETTE.length];
    if (right - left < LEAST && bottom - top < LEAST) {
      group.small.push(`<rect x="${rounded((left + right - LEAST) / 2)}" y="${rounded((top + bottom - LEAST) / 2)}" width="${LEAST}" height="${LEAST}"/>`);
    } else {
      const x = near(left, width), y = near(top, height);
      group.large.push(`<rect x="${x}" y="${y}" width="${rounded(near(right, width) - x)}" height="${rounded(near(bottom, height) - y)}"/>`);
    }
  }
  const texts = plane.names().map(({ x, y, name, text }) => `<text x="${rounded(x)}" y="${rounded(y + 11)}">${text === name ? '' : `<title>${escaped(name)}</title>`}${escaped(text)}</text>`);
  const shapes = groups.flatMap(({ small, large }, i) => [
    ...(large.length === 0 ? [] : [`<g fill="${colour(PALETTE[i])}" fill-opacity="0.18" stroke="${colour(PALETTE[i])}">`, ...large, '</g>']),
    ...(small.length === 0 ? [] : [`<g fill="${colour(PALETTE[i])}">`, ...small, '</g>'])]);
  return [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${colour('surface')}"/>`, ...shapes,
    `<g fill="${colour('text')}" font-family="system-ui, sans-serif" font-size="12">`, ...texts, '</g>', '</svg>', ''].join('\n');
}
