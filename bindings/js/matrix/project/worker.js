// SPDX-License-Identifier: MIT
// worker.js: answers a message that may have been posted before this script was there.
import { answer } from './program.js';

self.onmessage = ({ data }) => self.postMessage(`${answer()} (${data})`);
