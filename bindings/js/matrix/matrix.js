// SPDX-License-Identifier: MIT
// matrix.js: builds and runs pages, workers and programs with the packed package and many tools.
//
//     node matrix/matrix.js [TOOL...]    run by make wasm-matrix; the tools of tools.js, all by default
//
// Each of them prints the fingerprint of a tree that the C library computed for test/cases.json. npm
// installs the tools, whose versions are pinned; without the registry of npm, nothing is tested, and a
// line says so. Programs and tools run in the version of node that is pinned with them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { browser } from '../support/chromium.js';
import { freePort, openPages, serveFolder, untilItAnswers } from './pages.js';
import { NEWEST_NODE, TOOLS } from './tools.js';

const SECONDS = 300; // the time limit for a command
const RUNTIME = `node-linux-${process.arch}`; // the package of npm with node itself
const source = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'pqt-matrix-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

const { bounds, items, fingerprint } = chooseCase();
const pages = []; // { name, url, expected } of each page to open
const closers = []; // what ends servers
let passed = 0, failed = 0;

/** Returns the tree of test/cases.json with the most single inserts: its bounds, its items, and its
    fingerprint by the C library. */
function chooseCase() {
  const { cases } = JSON.parse(readFileSync(join(source, '../../test/cases.json'), 'utf8'));
  let best = { items: [] };
  for (const { steps } of cases) {
    const trees = new Map();
    for (const { op, of, as, bounds: [minX, minY, maxX, maxY] = [], uniqueIds, strictBounds, id, box, fingerprint: hash } of steps) {
      if (op === 'tree' && !uniqueIds && !strictBounds) trees.set(as, { bounds: { minX, minY, maxX, maxY }, items: [] });
      if (op !== 'insert' || hash === undefined || !trees.has(of) || !Number.isSafeInteger(id)) continue;
      const tree = { ...trees.get(of), items: [...trees.get(of).items, itemOf(id, box)], fingerprint: hash };
      trees.set(as, tree);
      if (tree.items.length > best.items.length) best = tree;
    }
  }
  return best;
}

function itemOf(id, [minX, minY, maxX, maxY]) {
  return { minX, minY, maxX, maxY, id };
}

function check(name, output, expected) {
  const isGood = output === expected;
  if (isGood) passed++;
  else failed++;
  console.log(`${isGood ? 'ok' : 'not ok'} - ${name}`);
  if (!isGood) console.log(output.trimEnd().split('\n').slice(-30).map((line) => `# ${line}`).join('\n'));
}

/** A folder with the files of the matrix, the package, and a tool. */
class Project {
  #name;
  #env;
  #folder;

  constructor(name, tarball) {
    this.#name = name;
    this.#folder = join(work, name);
    this.tarball = tarball;
    cpSync(join(source, 'matrix/project'), this.#folder, { recursive: true });
    this.write('package.json', JSON.stringify({ name, private: true, type: 'module' }));
    this.write('case.js', `export const bounds = ${JSON.stringify(bounds)}, items = ${JSON.stringify(items)};\n`);
    this.write('case.cjs', `exports.bounds = ${JSON.stringify(bounds)}; exports.items = ${JSON.stringify(items)};\n`);
    const bins = [`node_modules/${RUNTIME}/bin`, 'node_modules/.bin'].map((bin) => join(this.#folder, bin));
    this.#env = { ...process.env, PATH: [...bins, process.env.PATH].join(delimiter), CI: 'true', PQT_ANSWER: fingerprint,
      PQT_CASE: JSON.stringify({ bounds, items }), NODE_OPTIONS: '' };
  }

  /** Installs the package, a tool, and the version of node in which programs and tools run. */
  async install({ node = NEWEST_NODE, packages, options = '' }) {
    const versions = Object.entries({ ...packages, [RUNTIME]: node }).map(([name, version]) => `${name}@${version}`);
    const npm = spawn('npm', ['install', '--loglevel=error', '--no-audit', '--no-fund', '--no-package-lock', '--save-exact', this.tarball, ...versions],
      { cwd: this.#folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const [status] = await once(npm, 'exit');
    if (status !== 0) throw new Error(`npm installs no ${versions.join(' ')}`);
    this.#env.NODE_OPTIONS = options;
  }

  write(name, text) {
    mkdirSync(join(this.#folder, name, '..'), { recursive: true });
    writeFileSync(join(this.#folder, name), text);
  }

  copy(from, to) {
    cpSync(join(this.#folder, from), join(this.#folder, to), { recursive: true });
  }

  /** Runs a command. Returns its standard output, and throws if it fails. */
  call(command, ...rest) {
    const { status, error, stdout, stderr } = spawnSync(command, rest,
      { cwd: this.#folder, env: this.#env, encoding: 'utf8', timeout: SECONDS * 1000 });
    if (status !== 0) throw new Error(`${command} ${rest.join(' ')}\n${error?.message ?? ''}\n${stdout}\n${stderr}`);
    return stdout;
  }

  #check(what, output, expected) {
    check(`${this.#name}: ${what}`, output, expected);
  }

  /** Checks what a program prints. */
  runs(what, file) {
    this.#check(what, this.#outputOf('node', file), `${fingerprint}\n`);
  }

  /** Checks that a command succeeds. */
  calls(what, ...command) {
    const output = this.#outputOf(...command);
    this.#check(what, output.startsWith('Error: ') ? output : '', '');
  }

  #outputOf(...command) {
    try {
      return this.call(...command);
    } catch (error) {
      return String(error);
    }
  }

  #enter(what, url, hasWorker) {
    const page = `page ${fingerprint}`, expected = hasWorker ? `${page}, worker ${fingerprint} (posted at once)` : page;
    pages.push({ name: `${this.#name}: ${what}`, url, expected });
  }

  /** Enters the page in a folder that a tool has built, and its worker. */
  async shows(what, folder, hasWorker = true) {
    const { url, close } = await serveFolder(join(this.#folder, folder));
    closers.push(close);
    this.#enter(what, url, hasWorker);
  }

  /** The same for a script without a page. */
  showsScript(what, folder, script, type = 'text/javascript', hasWorker = true) {
    this.write(`${folder}/index.html`, `<!doctype html><script type="${type}" src="${script}"></script>`);
    return this.shows(what, folder, hasWorker);
  }

  /** Enters the page and the worker of a server, which is a command with the option --port. */
  async serves(what, command) {
    const port = await freePort(), url = `http://127.0.0.1:${port}/`;
    const server = spawn(command, ['--host', '127.0.0.1', '--port', port, '--strictPort'],
      { cwd: this.#folder, env: this.#env, stdio: 'ignore', detached: true });
    closers.push(() => process.kill(-server.pid));
    await untilItAnswers(url, 60);
    this.#enter(what, url, true);
  }

  /** Prints the sizes of bundles. */
  sizes(...files) {
    for (const file of files) {
      const bytes = readFileSync(join(this.#folder, file));
      console.log(`# ${this.#name}: ${file} has ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} with gzip -9`);
    }
  }
}

/** Packs the package, for which npm may have to install esbuild. Returns the path of the tarball. */
function pack() {
  if (!existsSync(join(source, 'node_modules/.bin/esbuild')))
    spawnSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: source });
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--silent', `--pack-destination=${work}`], { cwd: source, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack failed:\n${stdout}${stderr}`);
  const tarball = readdirSync(work).find((name) => name.endsWith('.tgz'));
  console.log(`# ${tarball}: ${readFileSync(join(work, tarball)).length} bytes`);
  return join(work, tarball);
}

function registryAnswers() {
  const { status } = spawnSync('npm', ['view', 'esbuild@0.28.2', 'version', '--fetch-retries=0', '--fetch-timeout=20000'], { stdio: 'ignore' });
  return status === 0;
}

/** Runs an action; if it throws, the test of that name has failed. */
async function attempt(name, action) {
  try {
    await action();
    return true;
  } catch (error) {
    check(name, String(error.message), '');
    return false;
  }
}

async function runAll(names) {
  const tarball = pack(), projects = names.map((name) => new Project(name, tarball));
  const isInstalled = await Promise.all(names.map((name, i) => attempt(name, () => projects[i].install(TOOLS[name]))));
  for (const [i, name] of names.entries())
    if (isInstalled[i]) await attempt(name, () => TOOLS[name].run(projects[i]));
  if (browser === undefined) {
    console.log('# Chromium is not installed: pages and workers are skipped');
    return;
  }
  const said = await openPages(pages.map(({ url }) => url));
  pages.forEach(({ name, expected }, i) => check(name, said[i], expected));
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TOOLS);
const unknown = names.find((name) => !Object.hasOwn(TOOLS, name));
if (unknown !== undefined) {
  console.error(`there is no tool ${unknown}; the tools are ${Object.keys(TOOLS).join(', ')}`);
  process.exitCode = 2;
} else if (!registryAnswers()) {
  console.log('# the registry of npm does not answer: the matrix is skipped');
} else {
  try {
    await runAll(names);
  } finally {
    closers.forEach((close) => close());
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
