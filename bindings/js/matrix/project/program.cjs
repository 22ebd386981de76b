// SPDX-License-Identifier: MIT
// program.cjs: a program of node whose modules are CommonJS.
const { PersistentMap, PersistentTree } = require('pqt');
const { bounds, items } = require('./case.cjs');

exports.answer = () => {
  const [key] = PersistentMap.of([['Größe', 1]], { keys: 'bytes' }).keys();
  if (key !== 'Größe') throw new Error(`the key of a map is ${key}`);
  return items.reduce((tree, item) => tree.insert(item), new PersistentTree({ bounds })).fingerprint();
};

if (require.main === module) console.log(exports.answer());
