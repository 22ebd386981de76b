// SPDX-License-Identifier: MIT
// replay.js: runs the program test/studio_replay, which makes the versions of a log in a native
// build.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = process.env.STUDIO_REPLAY ?? fileURLToPath(new URL('../../build/test/studio_replay', import.meta.url));

/** Returns the fingerprints of all versions that the commands of a tab make, in order. */
export function replayed(tab, log) {
  const commands = log.filter((command) => command.tab === tab);
  const { status, stdout, stderr } = spawnSync(program, { input: JSON.stringify(commands), encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`studio_replay ended with ${status}: ${stderr}`);
  return stdout.trim().split('\n');
}
