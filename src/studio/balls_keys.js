// SPDX-License-Identifier: MIT
// balls_keys.js: handles the keys of the Balls tab.

/** Returns the function that handles a key, and returns whether it did. */
export function makeKeys(/** @type {import('./balls.js').Balls} */ balls) {
  return (/** @type {KeyboardEvent} */ { key, ctrlKey, metaKey, altKey, target }) => {
    if ((ctrlKey || metaKey) && key.toLowerCase() === 'z') {
      balls.guarded(() => balls.undoing.undo());
      return true;
    }
    if (ctrlKey || metaKey || altKey) return false;
    switch (key.toLowerCase()) {
      case ' ': balls.toggle(); break;
      case '.': balls.guarded(() => balls.clock.stepOnce()); break;
      case ',': balls.goTo((balls.viewed ?? balls.timeline.length - 1) - 1); break;
      case 'l': balls.live(); break;
      case 'b': balls.resume(); break;
      case 'm': balls.mark(); break;
      case 'enter':
        if (target !== balls.controls.surface.canvas) return false;
        balls.guarded(() => balls.addTen(null));
        break;
      default: return false;
    }
    return true;
  };
}
