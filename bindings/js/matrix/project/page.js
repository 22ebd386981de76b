// SPDX-License-Identifier: MIT
// page.js: a page with a module worker.
import { answer } from './program.js';
import { report } from './report.js';

report(new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }), answer());
