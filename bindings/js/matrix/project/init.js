// SPDX-License-Identifier: MIT
// init.js: a page that compiles pqt.wasm while it arrives.
import { PersistentMap, PersistentTree, init } from 'pqt/init';
import { answerOf } from './answer.js';

init(new URL('pqt/pqt.wasm', import.meta.url)).then(() => parent.postMessage(`page ${answerOf({ PersistentMap, PersistentTree })}`, '*'));
