// SPDX-License-Identifier: MIT
// balls_scrubber.js: the scrubber: a lane for each line of time, with small pictures of its moments.
//
// A slider that cannot be seen is there for keys and screen readers. The pointer uses the
// lanes: a press or a drag goes to a moment of the line whose lane it is in.

import { beginPicture, drawBalls, drawObstacle, stageOf } from './balls_draw.js';
import { element } from './dom.js';
import { Raster } from './raster.js';
import { colour } from './theme.js';

/** The height of a lane, and the margin at its ends, in CSS pixels. */
const LANE = 48, MARGIN = 14;
/** The size of a small picture, in CSS pixels, and the number of them that a lane has at most. */
const WIDTH = 60, HEIGHT = 36, PICTURES = 16;
/** The least number of moments from the left end of the lanes to the right one. */
const LEAST = 256;

/** @typedef {import('./balls.js').Balls} Balls */

export class Scrubber {
  /** The small pictures by the numbers of their versions. @type {Map<number, { moment: number, canvas: HTMLCanvasElement }>} */
  #pictures = new Map();
  #raster = new Raster();
  /** The place that the pointer wants to see, until the next frame. @type {{ line: number, moment: number } | null} */
  #wanted = null;
  /** The number of moments from the left end of the lanes to the right one. */
  #extent = LEAST;

  constructor(/** @type {Balls} */ balls) {
    this.balls = balls;
    this.input = element('input', { type: 'range', id: 'balls-moment', min: 0, max: 0, step: 1, value: 0, 'aria-label': 'Moment' });
    this.input.addEventListener('input', () => balls.goTo(this.input.valueAsNumber));
    this.canvas = element('canvas', { 'aria-hidden': 'true' });
    this.lanes = element('div', { class: 'lanes' }, this.canvas);
    this.element = element('div', { class: 'scrubber' }, this.input, this.lanes);
    this.canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.#want(event, Math.floor(event.offsetY / LANE));
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (this.canvas.hasPointerCapture(event.pointerId)) this.#want(event, balls.timeline.current);
    });
    new ResizeObserver(() => this.show()).observe(this.lanes);
  }

  /** Goes to the place of the pointer in the next frame. The latest event of a frame wins. */
  #want(/** @type {PointerEvent} */ event, /** @type {number} */ line) {
    if (line < 0 || line >= this.balls.timeline.lines.length) return;
    if (this.#wanted === null) requestAnimationFrame(() => this.#go());
    const part = (event.offsetX - MARGIN) / Math.max(1, this.lanes.clientWidth - 2 * MARGIN);
    this.#wanted = { line, moment: Math.round(part * this.#extent) };
  }

  #go() {
    const { balls } = this;
    if (this.#wanted === null) return;
    const { line, moment } = this.#wanted;
    this.#wanted = null;
    balls.guarded(() => {
      if (line !== balls.timeline.current) balls.choose(line);
      balls.goTo(moment);
    });
  }

  /** Forgets the pictures. */
  clear() {
    this.#pictures.clear();
    this.#extent = LEAST;
  }

  /** Takes a picture of the last moment, if it is one of those that a lane shows. */
  take() {
    const { timeline, view } = this.balls;
    const moment = timeline.length - 1;
    while (this.#extent < timeline.length) this.#widen();
    if (moment % (this.#extent / PICTURES) !== 0) return;
    const canvas = element('canvas', { width: 2 * WIDTH, height: 2 * HEIGHT }), stage = stageOf(canvas, view);
    beginPicture(stage, this.#raster, 'clear');
    drawObstacle(stage, this.#raster, timeline.tip);
    drawBalls(stage, this.#raster, timeline.tip);
    this.#pictures.set(timeline.versionAt(moment), { moment, canvas });
  }

  /** Gives the lanes twice as many moments, and drops every other picture. */
  #widen() {
    this.#extent *= 2;
    for (const [version, { moment }] of this.#pictures) if (moment % (this.#extent / PICTURES) !== 0) this.#pictures.delete(version);
  }

  /** Shows the lines and the moment. */
  show() {
    const { balls: { timeline, viewed, marked }, canvas, input } = this;
    const width = this.lanes.clientWidth;
    if (width === 0 || timeline.lines.length === 0) return;
    const moment = viewed ?? timeline.length - 1;
    input.min = String(timeline.start);
    input.max = String(timeline.length - 1);
    input.value = String(moment);
    while (this.#extent < Math.max(...timeline.lines.map((line) => timeline.lengthOf(line)))) this.#widen();
    const ratio = devicePixelRatio || 1, height = LANE * timeline.lines.length;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
      this.lanes.scrollTop = LANE * (timeline.current - 1);
    }
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    timeline.lines.forEach((_, i) => this.#drawLane(context, i));
    const x = this.#xOf(moment), y = LANE * timeline.current;
    context.fillStyle = colour('accent');
    context.fillRect(x - 1.5, y, 3, LANE);
    context.beginPath();
    context.arc(x, y + LANE - 9, 8, 0, 2 * Math.PI);
    context.fill();
    if (marked !== null) drawFlag(context, this.#xOf(marked.moment), LANE * timeline.lines.indexOf(marked.line));
  }

  #xOf(/** @type {number} */ moment) {
    return MARGIN + (moment / this.#extent) * (this.lanes.clientWidth - 2 * MARGIN);
  }

  /** Draws a lane: a thin line for the moments that it shares with its parent, and a bar with pictures for its own. */
  #drawLane(/** @type {CanvasRenderingContext2D} */ context, /** @type {number} */ lane) {
    const { timeline } = this.balls;
    const line = timeline.lines[lane], y = LANE * lane, top = y + (LANE - HEIGHT) / 2, last = timeline.lengthOf(line) - 1;
    const first = line.parent === null ? line.dropped : Math.max(line.from, line.dropped);
    const left = this.#xOf(first), right = Math.max(this.#xOf(last), left + 2);
    context.fillStyle = colour('muted');
    if (line.parent !== null) {
      const above = LANE * timeline.lines.indexOf(line.parent) + LANE / 2;
      context.fillRect(this.#xOf(line.dropped), y + LANE / 2 - 1, left - this.#xOf(line.dropped), 2);
      context.fillRect(left - 1, above, 2, y + LANE / 2 - above);
    }
    context.fillStyle = colour('stage');
    context.fillRect(left, top, right - left, HEIGHT);
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, HEIGHT);
    context.clip();
    this.#drawPictures(context, line, first, top);
    context.restore();
    context.strokeStyle = colour(lane === timeline.current ? 'accent' : 'line');
    context.lineWidth = lane === timeline.current ? 2 : 1;
    context.strokeRect(left, top, right - left, HEIGHT);
    if (timeline.lines.length === 1) return;
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = colour('stage-text');
    if (right - left > 60) context.fillText(line.name, left + 5, top + 13);
  }

  /** Draws the pictures of a line from a moment on. Those that would cover another are left out. */
  #drawPictures(/** @type {CanvasRenderingContext2D} */ context, /** @type {import('./balls_timeline.js').Line} */ line, /** @type {number} */ first, /** @type {number} */ top) {
    const { timeline } = this.balls, every = this.#extent / PICTURES, end = timeline.lengthOf(line);
    let free = -Infinity;
    for (let moment = Math.ceil(first / every) * every; moment < end; moment += every) {
      const picture = this.#pictures.get(timeline.versionAt(moment, line)), x = this.#xOf(moment);
      if (picture === undefined || x < free) continue;
      context.drawImage(picture.canvas, x, top, WIDTH, HEIGHT);
      free = x + WIDTH;
    }
  }
}

/** Draws the mark of the moment that others are compared with. */
function drawFlag(/** @type {CanvasRenderingContext2D} */ context, /** @type {number} */ x, /** @type {number} */ y) {
  context.fillStyle = colour('stage-arrow');
  context.strokeStyle = colour('stage');
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, y + 1);
  context.lineTo(x + 16, y + 7);
  context.lineTo(x + 2, y + 13);
  context.lineTo(x + 2, y + LANE - 4);
  context.lineTo(x, y + LANE - 4);
  context.closePath();
  context.fill();
  context.stroke();
}
