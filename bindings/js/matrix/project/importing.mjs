// SPDX-License-Identifier: MIT
// importing.mjs: a test of jest or vitest with ES modules, which the matrix copies to a name of tests.
import { answer } from './program.js';

test('the answer', () => { expect(answer()).toBe(process.env.PQT_ANSWER); });
