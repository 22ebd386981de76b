// SPDX-License-Identifier: MIT
// program.js: the answer with the package that starts by itself.
import { PersistentMap, PersistentTree } from 'pqt';
import { answerOf } from './answer.js';

export const answer = () => answerOf({ PersistentMap, PersistentTree });
