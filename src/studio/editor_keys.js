// SPDX-License-Identifier: MIT
// editor_keys.js: handles the keys of the Editor tab.

import { sum } from './decimal.js';
import { boxBetween } from './editor_canvas.js';

/** @typedef {import('./pqt.js').Box} Box */

/** Arrow keys pressed within this time make one entry, in milliseconds. */
const PAUSE = 1000;

/** Returns the box around items; null if there are none. */
function boxAround(/** @type {Box[]} */ items) {
  return items.length === 0 ? null : items.reduce((all, one) => ({ minX: Math.min(all.minX, one.minX), minY: Math.min(all.minY, one.minY),
    maxX: Math.max(all.maxX, one.maxX), maxY: Math.max(all.maxY, one.maxY) }));
}

/** Returns the function that handles a key, and returns whether it did. */
export function makeKeys(/** @type {import('./editor.js').Editor} */ editor) {
  const { plane: { surface } } = editor;
  let keyOfArrows = 2 ** 20; // drags have smaller keys
  let lastArrow = 0, wasResizing = false;

  /** Moves or resizes the selection by pixels; if nothing is selected, moves the view. */
  const arrow = (/** @type {number} */ dx, /** @type {number} */ dy, /** @type {boolean} */ isFast, /** @type {boolean} */ isResize) => {
    const items = [...editor.selection.values()], [first, ...others] = items;
    const step = surface.rounded((isFast ? 20 : 2) / surface.scale), stepX = dx * step, stepY = surface.isUp ? -dy * step : dy * step;
    if (first === undefined) {
      surface.pan(-dx * 40, -dy * 40);
      return;
    }
    const now = performance.now();
    if (now - lastArrow > PAUSE || isResize !== wasResizing) keyOfArrows++;
    lastArrow = now;
    wasResizing = isResize;
    if (!isResize) {
      editor.guarded(() => editor.moveTo(items, stepX, stepY, keyOfArrows));
    } else if (others.length === 0) {
      const to = { ...first, maxX: Math.max(first.minX, sum(first.maxX, stepX)), maxY: Math.max(first.minY, sum(first.maxY, stepY)) };
      editor.guarded(() => editor.resizeTo(first, to, keyOfArrows));
    }
  };

  /** The actions of letters and of other keys. @type {Record<string, (event: KeyboardEvent) => void>} */
  const actions = {
    v: () => editor.setTool('select'),
    h: () => editor.setTool('hand'),
    d: () => editor.setTool('draw'),
    w: () => editor.setTool('window'),
    i: () => editor.guarded(() => { const { x, y } = surface.middle(); editor.drawBox(boxBetween({ x, y }, { x, y })); }),
    n: ({ shiftKey }) => editor.selection.next(1, shiftKey),
    p: ({ shiftKey }) => editor.selection.next(-1, shiftKey),
    m: () => editor.mark(),
    f: () => editor.showAll(),
    '+': () => surface.zoom(1.25),
    '=': () => surface.zoom(1.25),
    '-': () => surface.zoom(0.8),
    delete: () => editor.guarded(() => editor.removeSelected()),
    backspace: () => editor.guarded(() => editor.removeSelected()),
    escape: () => {
      editor.selection.clear();
      editor.setWindow(null);
    },
  };

  return (/** @type {KeyboardEvent} */ event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event, letter = key.toLowerCase();
    if (altKey) return false;
    const isInPlane = target === surface.canvas;
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0]; // on the screen
    if (ctrlKey || metaKey) {
      if (letter === 'z' && !shiftKey) editor.undo();
      else if (letter === 'y' || (letter === 'z' && shiftKey)) editor.redo();
      else if (letter === 's') editor.files.save('pqt');
      else if (letter === 'a') editor.selection.inWindow(surface.visible);
      else if (isInPlane && (dx !== 0 || dy !== 0)) arrow(dx, dy, shiftKey, true);
      else return false;
      return true;
    }
    if (isInPlane && (dx !== 0 || dy !== 0)) {
      arrow(dx, dy, shiftKey, false);
    } else if (letter === ' ') {
      if (!isInPlane && target !== document.body) return false;
      editor.isPanning = true;
    } else if (letter === 'enter') {
      if (!isInPlane || editor.tool !== 'window') return false;
      editor.setWindow(boxAround([...editor.selection.values()]) ?? surface.visible);
    } else if (Object.hasOwn(actions, letter)) {
      actions[letter](event);
    } else {
      return false;
    }
    return true;
  };
}
