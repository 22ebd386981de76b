// SPDX-License-Identifier: MIT
// balls_picture.js: draws the moment that the Balls tab shows, and its figures.

import { NUMBERS } from './balls_world.js';
import { beginPicture, drawBalls, drawCells, drawMoves, drawObstacle, drawRings, drawWalls } from './balls_draw.js';
import { inBytes } from './dom.js';

/** The number of pictures of running balls from one measurement of bytes to the next. */
const MEASURED_EVERY = 60;
let pictures = 0;
/** The world whose size in bytes is shown. @type {import('./pqt.js').World | null} */
let measured = null;

/** @typedef {import('./balls.js').Balls} Balls */

/** Draws the moment that is shown; `isFresh` says that no trail of an earlier picture remains. */
export function draw(/** @type {Balls} */ balls, /** @type {boolean} */ isFresh) {
  const { raster, shownWorld: world, marked, ghost, controls: { surface } } = balls;
  const hasTrails = balls.withTrails && balls.isRunning && balls.viewed === null && marked === null && !isFresh;
  pictures++;
  beginPicture(surface, raster, !hasTrails ? 'clear' : pictures % 2 === 0 ? 'fade' : 'keep');
  drawObstacle(surface, raster, world);
  if (balls.withCells) drawCells(surface, raster, world);
  drawWalls(surface, raster, world);
  if (ghost !== null && balls.ghostSeek.world !== null) drawRings(surface, raster, balls.ghostSeek.world);
  const drawn = drawBalls(surface, raster, world);
  const moved = marked === null ? null : drawMoves(surface, marked.world, world);
  balls.controls.hint.hidden = drawn > 0;
  showFigures(balls, { bodies: world.size, drawn, moved: moved ?? '–' });
}

/** Shows the figures of the picture and of the timeline. */
function showFigures(/** @type {Balls} */ balls, /** @type {{ bodies: number, drawn: number, moved: number | string }} */ ofPicture) {
  const { timeline, isRunning, controls } = balls;
  controls.diagnostics.show({ ...ofPicture, ...balls.clock.report, kept: timeline.kept, rate: isRunning ? Math.round(balls.clock.rate ?? 0) : '–' });
  controls.showTotal(timeline.collisionsAt(balls.viewed ?? timeline.length - 1), balls.scene?.digits !== undefined);
  if (timeline.tip !== measured && (!isRunning || pictures % MEASURED_EVERY === 0)) {
    measured = timeline.tip;
    controls.diagnostics.show({ bytes: inBytes(timeline.bytesOfTip()) });
  }
  controls.number.set(Math.max(0, NUMBERS.findLastIndex((number) => number <= ofPicture.bodies)), ofPicture.bodies.toLocaleString('en'));
}
