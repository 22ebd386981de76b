// SPDX-License-Identifier: MIT
// report.js: posts the answers of a page and of its worker to the page around it.

/** Posts a message to a worker at once, before its script has arrived. */
export function report(worker, page) {
  worker.onmessage = ({ data }) => parent.postMessage(`page ${page}, worker ${data}`, '*');
  worker.onerror = ({ message }) => parent.postMessage(`page ${page}, worker: ${message}`, '*');
  worker.postMessage('posted at once');
}
