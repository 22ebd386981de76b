// SPDX-License-Identifier: MIT
// program.mjs: a program of node.
import { answer } from './program.js';

console.log(answer());
