// SPDX-License-Identifier: MIT
// editor_pointer.js: makes the pointer draw, select, move and resize items, and pan and zoom the plane.

import { boxBetween, resized } from './editor_canvas.js';
import { follow, middleOf, zoomWithWheel } from './pan.js';

/**
 * @typedef {import('./surface.js').Point} Point
 * @typedef {import('./pqt.js').Item} Item
 * @typedef {(
 *   { kind: 'draw' | 'band' | 'window', from: Point } |
 *   { kind: 'move', from: Point, items: Item[], key: number } |
 *   { kind: 'resize', from: Point, item: Item, handle: string, key: number } |
 *   { kind: 'pan', click: Point | null }
 * )} Drag
 */

/** A pointer that moves less than this between down and up clicks, in CSS pixels. */
const STILL = 4;

let drags = 0;

/** Handles the pointer events of the plane. A drag adds one entry to the history. */
export function takePointer(/** @type {import('./editor.js').Editor} */ editor) {
  const { plane: { surface } } = editor, { canvas } = surface;
  /** @type {Drag | null} */
  let drag = null;
  /** The scenes in which the drag began. Once others are shown, it has no effect. */
  let { scenes } = editor;
  /** The positions of all pointers that are down, in CSS pixels. @type {Map<number, Point>} */
  const pointers = new Map();

  const begin = (/** @type {PointerEvent} */ event) => {
    const from = surface.at(event);
    if (event.button === 1 || editor.isPanning) return /** @type {Drag} */ ({ kind: 'pan', click: null });
    if (event.button !== 0) return null;
    if (editor.tool === 'hand') return /** @type {Drag} */ ({ kind: 'pan', click: { x: event.clientX, y: event.clientY } });
    if (editor.tool !== 'select') return /** @type {Drag} */ ({ kind: editor.tool, from });
    const key = ++drags, handle = editor.plane.handleAt(from);
    const [only] = editor.selection.values();
    if (handle !== null) return /** @type {Drag} */ ({ kind: 'resize', from, item: only, handle, key });
    const item = editor.plane.itemAt(from);
    if (item === undefined) return /** @type {Drag} */ ({ kind: 'band', from });
    if (event.shiftKey) editor.selection.toggle(item);
    else if (!editor.selection.has(item.id)) editor.selection.select([item]);
    return /** @type {Drag} */ ({ kind: 'move', from, items: [...editor.selection.values()], key });
  };

  const move = (/** @type {Drag} */ one, /** @type {Point} */ at) => {
    if (one.kind === 'pan') return;
    const dx = surface.rounded(at.x - one.from.x), dy = surface.rounded(at.y - one.from.y);
    if (one.kind === 'move') editor.moveTo(one.items, dx, dy, one.key);
    else if (one.kind === 'resize') editor.resizeTo(one.item, resized(one.item, one.handle, dx, dy), one.key);
    else editor.showBand(boxBetween(one.from, at));
  };

  /** Selects the smallest box at a position, or adds it to the selection; none clears the selection. */
  const click = (/** @type {Point} */ at, /** @type {boolean} */ isAdded) => {
    const item = editor.plane.itemAt(at);
    if (item !== undefined && isAdded) editor.selection.toggle(item);
    else editor.selection.select(item === undefined ? [] : [item]);
  };

  const end = (/** @type {Drag} */ one, /** @type {Point} */ at) => {
    editor.showBand(null);
    if (one.kind === 'draw') editor.drawBox(surface.roundedBox(boxBetween(one.from, at)));
    if (one.kind === 'band') editor.selection.inWindow(boxBetween(one.from, at));
    if (one.kind === 'window') editor.setWindow(boxBetween(one.from, at));
  };

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    ({ scenes } = editor);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size >= 2) { // two fingers pan and zoom
      editor.showBand(null);
      drag = { kind: 'pan', click: null };
      return;
    }
    editor.guarded(() => { drag = begin(event); });
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = middleOf(pointers);
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (drag === null || scenes !== editor.scenes) return;
    if (drag.kind !== 'pan') {
      const one = drag;
      editor.guarded(() => move(one, surface.at(event)));
      return;
    }
    const now = middleOf(pointers);
    if (drag.click !== null) {
      if (Math.hypot(now.x - drag.click.x, now.y - drag.click.y) < STILL) return;
      surface.pan(now.x - drag.click.x, now.y - drag.click.y);
      drag.click = null;
      return;
    }
    follow(surface, before, now);
  });
  canvas.addEventListener('pointerup', (event) => {
    pointers.delete(event.pointerId);
    const one = scenes === editor.scenes ? drag : null;
    drag = null;
    if (one?.kind === 'pan' && one.click !== null) editor.guarded(() => click(surface.at(event), event.shiftKey));
    else if (one !== null) editor.guarded(() => end(one, surface.at(event)));
  });
  canvas.addEventListener('pointercancel', (event) => {
    pointers.delete(event.pointerId);
    drag = null;
    editor.showBand(null);
  });
  for (const end of ['keyup', 'blur'])
    canvas.addEventListener(end, () => { editor.isPanning = false; });
  zoomWithWheel(surface);
}
