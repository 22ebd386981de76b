// SPDX-License-Identifier: MIT
// init_url.js: the same with the address that Vite gives to pqt.wasm.
import { PersistentMap, PersistentTree, init } from 'pqt/init';
import url from 'pqt/pqt.wasm?url';
import { answerOf } from './answer.js';

init(url).then(() => parent.postMessage(`page ${answerOf({ PersistentMap, PersistentTree })}`, '*'));
