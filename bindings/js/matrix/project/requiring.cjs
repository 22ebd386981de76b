// SPDX-License-Identifier: MIT
// requiring.cjs: a test of jest in CommonJS, which the matrix copies to a name of tests.
const { answer } = require('./program.cjs');

test('the answer', () => { expect(answer()).toBe(process.env.PQT_ANSWER); });
