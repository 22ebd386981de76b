// SPDX-License-Identifier: MIT
// balls_about.js: explains the Balls tab: what is seen, what to try, why it is cheap, and what the colours are.

import { exclusiveBytes } from './pqt.js';
import { element, inBytes } from './dom.js';

/** @typedef {import('./pqt.js').World} World */

/** The calls of the package for JavaScript that the text is about. A test makes them. */
const CODE = `const next = world.step(0.01);
const other = world.add(ball);
exclusiveBytes(other, world);`;

/** The classes of the samples of colours, and what they stand for. */
const LEGEND = [
  ['balls', 'balls; colours only tell them apart'],
  ['cell', 'cells of the quadtree'],
  ['wall', 'walls'],
  ['rock', 'pixels of the obstacle'],
  ['arrow', 'arrows: from the marked moment to this one; the flag in the lane is the mark'],
  ['ghost', 'rings: the balls of the ghost'],
];

/** Makes the text, and returns it with a function that shows how much an edit copied. */
export function makeAbout() {
  const sharing = element('span', { id: 'balls-sharing' }, 'Add ten balls to see how much an edit copies.');
  const about = element('div', { class: 'about' },
    element('h2', {}, 'Every moment is a version'),
    element('p', {}, 'Balls collide, and each step makes a new version of their world; no version ever changes. Drag in the lane below the picture to go back. Press Run from here: another line branches off, and the first one remains. '),
    element('p', {}, element('strong', {}, 'Why this is cheap: '), 'a new version shares the blocks that an edit does not touch. ', sharing),
    element('p', {}, 'A step moves every ball and shares little. So one world in several is stored, and the steps between are made again when they are needed, with the same bits.'),
    element('p', {}, 'In JavaScript, a step, a branch from the same world, and what the branch does not share with it:'),
    element('pre', {}, element('code', {}, CODE)));
  const legend = element('ul', { class: 'legend' }, ...LEGEND.map(([name, text]) => element('li', {}, element('span', { class: `sample ${name}`, 'aria-hidden': 'true' }), text)));
  return {
    about, legend,
    /** Shows how many bytes an edit copied. */
    showEdit(/** @type {World} */ before, /** @type {World} */ after) {
      const own = exclusiveBytes(after, before), all = exclusiveBytes(after);
      sharing.textContent = `Your last edit copied ${inBytes(own)} of ${inBytes(all)}${own > all / 2 ? '. So few balls have little to share: set the number to 2,000, and add ten.' : '; the rest is shared with the version before it.'}`;
    },
    /** Forgets the last edit. */
    clear() {
      sharing.textContent = 'Add ten balls to see how much an edit copies.';
    },
  };
}

/**
 * Returns the picture with the texts over it, as a PNG file.
 * @param {HTMLCanvasElement} picture
 * @param {{ total: string, position: string, isLarge: boolean, font: string, colour: string, ratio: number }} texts
 * @returns {Promise<Uint8Array>}
 */
export async function pngOf(picture, { total, position, isLarge, font, colour, ratio }) {
  const canvas = element('canvas', { width: picture.width, height: picture.height });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(picture, 0, 0);
  context.fillStyle = colour;
  context.font = `${15 * ratio}px ${font}`;
  context.fillText(position, 14 * ratio, canvas.height - 14 * ratio);
  if (isLarge) {
    context.font = `bold ${88 * ratio}px ${font}`;
    context.textAlign = 'center';
    context.fillText(total, canvas.width / 2, 96 * ratio);
  } else {
    context.fillText(`${total} collisions`, 14 * ratio, 24 * ratio);
  }
  const blob = await new Promise((resolve) => { canvas.toBlob(resolve); });
  if (blob === null) throw new Error('The browser cannot write the picture.');
  return new Uint8Array(await blob.arrayBuffer());
}
