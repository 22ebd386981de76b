// SPDX-License-Identifier: MIT
// classic.js: a page whose scripts are no modules.
import { answer } from './program.js';
import { report } from './report.js';

report(new Worker('worker.js'), answer());
