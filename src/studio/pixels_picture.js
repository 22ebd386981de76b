// SPDX-License-Identifier: MIT
// pixels_picture.js: the picture of an object of the Pixels tab, of which an edit draws only the box that it changed.

import { sheetOf } from './pixels_objects.js';
import { packed } from './theme.js';

/**
 * @typedef {import('./pqt.js').Box} Box
 * @typedef {import('./pqt.js').PersistentImage} PersistentImage
 * @typedef {import('./pqt.js').Region} Region
 *
 * The contents of a picture: the pixels of an object in their colours or, without a colour, in the colour `name` of the theme. `colours`
 * says of which pixels the colours are shown: those of the object ('own'), all of the sheet, or none.
 * @typedef {{ region: Region, image: PersistentImage, name: string, colours: 'own' | 'all' | 'none' }} Shown
 */

/** The number of rows that are drawn together. */
const BAND = 256;

/** Puts one colour over another one, both as the 32 bits of a pixel of ImageData. */
function over(/** @type {number} */ ink, /** @type {number} */ paint) {
  const alpha = ink >>> 24;
  let mixed = 0xff000000;
  for (let shift = 0; shift < 24; shift += 8)
    mixed |= Math.round((((ink >>> shift) & 255) * alpha + ((paint >>> shift) & 255) * (255 - alpha)) / 255) << shift;
  return mixed >>> 0;
}

/** Returns the smallest box around boxes; null if there are none. */
function boxAround(/** @type {Box[]} */ boxes) {
  if (boxes.length === 0) return null;
  return boxes.reduce((all, one) => ({ minX: Math.min(all.minX, one.minX), minY: Math.min(all.minY, one.minY), maxX: Math.max(all.maxX, one.maxX), maxY: Math.max(all.maxY, one.maxY) }));
}

/** A canvas with the pixels of an object. It keeps what it shows, so its versions are not freed before it shows others. */
export class ObjectPicture {
  canvas = new OffscreenCanvas(1, 1);
  /** @type {Shown & { paint: number } | null} */
  #shown = null;

  /** Shows an object, and returns the canvas. */
  show(/** @type {Shown} */ { region, image, name, colours }) {
    const next = { region, image, name, colours, paint: packed(name) }, box = this.#changed(next);
    this.#shown = next;
    if (box !== null) this.#draw(next, box);
    return this.canvas;
  }

  /** Returns the box in which the canvas has to be drawn again; null if it shows the object already. */
  #changed(/** @type {Shown & { paint: number }} */ { region, image, colours, paint }) {
    const old = this.#shown;
    if (old?.region === region && old.image === image && old.colours === colours && old.paint === paint) return null;
    const { width, height } = image, { canvas } = this;
    if (old === null || old.colours !== colours || old.paint !== paint || canvas.width !== width || canvas.height !== height) {
      Object.assign(canvas, { width, height });
      return sheetOf(image);
    }
    return boxAround([...(old.region === region ? [] : old.region.diff(region, 1)), ...(old.image === image ? [] : old.image.diff(image))]);
  }

  #draw(/** @type {Shown & { paint: number }} */ shown, /** @type {Box} */ { minX, minY, maxX, maxY }) {
    const right = Math.min(maxX, this.canvas.width), bottom = Math.min(maxY, this.canvas.height), left = Math.max(minX, 0);
    for (let top = Math.max(minY, 0); top < bottom; top += BAND) this.#drawBand(shown, { minX: left, minY: top, maxX: right, maxY: Math.min(top + BAND, bottom) });
  }

  #drawBand(/** @type {Shown & { paint: number }} */ { region, image, colours, paint }, /** @type {Box} */ box) {
    const drawn = new ImageData(box.maxX - box.minX, box.maxY - box.minY), solid = region.toPixels(box, 1);
    if (colours !== 'none') image.toPixels(box, drawn.data);
    const pixels = new Uint32Array(drawn.data.buffer), isWhole = colours === 'all';
    for (let i = 0; i < pixels.length; i++) {
      if (solid[i] === 1) pixels[i] = pixels[i] >>> 24 === 255 ? pixels[i] : over(pixels[i], paint);
      else if (!isWhole) pixels[i] = 0;
    }
    /** @type {OffscreenCanvasRenderingContext2D} */ (this.canvas.getContext('2d')).putImageData(drawn, box.minX, box.minY);
  }
}
