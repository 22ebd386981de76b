// SPDX-License-Identifier: MIT
// editor_large_worker.js: the worker in which large files are read and written; editor_large.js starts it.
//
// It imports its modules when the first message arrives, since the messages that arrive while modules start would be lost. That
// message has the compiled library, which pqt.js takes.

// The page does what it asked for itself if there was no memory for its message.
globalThis.addEventListener('messageerror', () => globalThis.postMessage({ kind: 'whole' }));
globalThis.addEventListener('message', async ({ data }) => {
  const send = (/** @type {object} */ message, /** @type {Transferable[]} */ transferred = []) => globalThis.postMessage(message, { transfer: transferred });
  try {
    Object.assign(globalThis, { pqtModule: data.module });
    const { readFile, writeFile } = await import('./editor_large_parts.js');
    if (data.scene === undefined) readFile(data.name, data.bytes, send);
    else await writeFile(data.name, data.bytes, data.scene, data.isCsv, send);
  } catch (reason) {
    send({ kind: 'fault', message: reason instanceof Error ? reason.message : String(reason) });
  }
});
