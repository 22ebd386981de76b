// SPDX-License-Identifier: MIT
// both.mjs: a program that gets the package by import and by require().
import { createRequire } from 'node:module';
import { PersistentTree, memory } from 'pqt';
import { answer } from './program.js';

const required = createRequire(import.meta.url)('pqt');

console.log(required.PersistentTree === PersistentTree && required.memory === memory ? answer() : 'the package is loaded twice');
