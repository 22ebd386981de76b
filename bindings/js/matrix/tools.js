// SPDX-License-Identifier: MIT
// tools.js: what the matrix does with each tool, in a folder with the files of project/ and the package.
//
// `project` has the methods of the class Project in matrix.js. No tool has a file of settings.

export const NEWEST_NODE = '24.22.3';

function node(version, loadsOnce) {
  return { node: version, packages: {}, run: (project) => {
    project.runs('import', 'program.mjs');
    project.runs('require', 'program.cjs');
    if (loadsOnce) project.runs('import and require of one library', 'both.mjs');
  } };
}

/** A tool that bundles each entry to an ES module in the folder `dist`. */
function bundler(packages, build) {
  return { packages, run: async (project) => {
    build(project);
    await project.showsScript('a page and a module worker', 'dist', 'page.js', 'module');
    project.runs('a program', 'dist/program.js');
  } };
}

async function esbuild(project) {
  const entries = ['page.js', 'worker.js'], bundle = (...options) => project.call('esbuild', ...options, '--bundle', '--minify');
  bundle(...entries, '--format=esm', '--outdir=dist');
  await project.showsScript('a page and a module worker', 'dist', 'page.js', 'module');
  bundle('classic.js', 'worker.js', '--outdir=classic');
  await project.showsScript('a page and a classic worker', 'classic', 'classic.js');
  bundle('program.mjs', '--platform=node', '--format=esm', '--outfile=dist/program.mjs');
  project.runs('a program', 'dist/program.mjs');
  bundle('program.mjs', '--platform=node', '--format=cjs', '--outfile=dist/program.cjs');
  project.runs('a program as CommonJS', 'dist/program.cjs');
  bundle('program.cjs', '--platform=node', '--outfile=dist/required.cjs');
  project.runs('a program with require', 'dist/required.cjs');
  bundle('init.js', '--format=esm', '--outfile=dist/init.js');
  project.sizes('dist/program.mjs', 'dist/init.js');
}

function rollup(project) {
  for (const entry of ['page.js', 'worker.js', 'program.mjs'])
    project.call('rollup', entry, '-p', '@rollup/plugin-node-resolve', '--format=es', '--file', `dist/${entry.replace('.mjs', '.js')}`);
}

function rolldown(project) {
  for (const entry of ['page.js', 'worker.js', 'program.mjs'])
    project.call('rolldown', entry, '--format=esm', '--file', `dist/${entry.replace('.mjs', '.js')}`);
}

async function webpack(project) {
  project.call('webpack', '--mode=production', '--entry=./page.js', '--output-path=dist', '--output-filename=page.js');
  await project.showsScript('a page and a worker', 'dist', 'page.js');
  project.call('webpack', '--mode=production', '--entry=./init.js', '--output-path=init', '--output-filename=page.js');
  await project.showsScript('a page that fetches pqt.wasm', 'init', 'page.js', 'text/javascript', false);
  for (const entry of ['program.mjs', 'program.cjs']) {
    project.call('webpack', '--mode=production', '--target=node', `--entry=./${entry}`, '--output-path=programs', `--output-filename=${entry}.cjs`);
    project.runs(`a program, ${entry}`, `programs/${entry}.cjs`);
  }
}

async function parcel(project) {
  project.write('index.html', '<!doctype html><script type="module" src="page.js"></script>');
  project.call('parcel', 'build', 'index.html', '--dist-dir=dist', '--no-cache');
  await project.shows('a page and a worker', 'dist');
}

function vite(version) {
  return { packages: { vite: version }, run: async (project) => {
    project.write('index.html', '<!doctype html><script type="module" src="page.js"></script>');
    project.call('vite', 'build');
    await project.shows('a page and a worker, built', 'dist');
    project.call('vite', 'build', '--ssr', 'program.mjs', '--outDir', 'programs');
    project.runs('a program', 'programs/program.js');
    await project.serves('a page and a worker of the development server', 'vite');
    project.write('init/index.html', '<!doctype html><script type="module" src="../init_url.js"></script>');
    project.call('vite', 'build', 'init');
    await project.shows('a page that fetches pqt.wasm', 'init/dist', false);
  } };
}

function jest(project) {
  project.copy('requiring.cjs', 'require.test.cjs');
  project.copy('importing.mjs', 'import.test.mjs');
  project.calls('require', 'jest', 'require.test.cjs');
  project.calls('require in jsdom', 'jest', '--env=jsdom', 'require.test.cjs');
  project.calls('import', 'jest', 'import.test.mjs');
}

function vitest(project) {
  project.copy('importing.mjs', 'import.test.mjs');
  project.calls('import', 'vitest', 'run', '--globals', 'import.test.mjs');
}

function typescript(version) {
  const strict = ['--strict', '--target', 'es2022', '--lib', 'es2022'];
  return { packages: { typescript: version }, run: (project) => {
    for (const extension of ['mts', 'cts']) project.copy('typed.ts', `typed.${extension}`);
    for (const module of ['node16', 'nodenext']) {
      project.call('tsc', ...strict, '--module', module, '--outDir', module, 'typed.ts', 'typed.mts', 'typed.cts');
      for (const extension of ['js', 'mjs', 'cjs']) project.runs(`--module ${module}, .${extension}`, `${module}/typed.${extension}`);
    }
    project.call('tsc', ...strict, '--module', 'esnext', '--moduleResolution', 'bundler', '--outDir', 'bundler', 'typed.ts');
    project.runs('--moduleResolution bundler', 'bundler/typed.js');
  } };
}

function lints(project) {
  project.calls('publint', 'publint', '--strict', 'node_modules/pqt');
  project.calls('attw', 'attw', '--profile', 'node16', '--exclude-entrypoints', 'pqt.wasm', 'pqt-trees.wasm', '--', project.tarball);
}

/** No tool: the browser finds the modules by an import map. */
async function importMap(project) {
  project.copy('node_modules/pqt', 'site/pqt');
  for (const name of ['answer.js', 'program.js', 'case.js']) project.copy(name, `site/${name}`);
  const map = '<script type="importmap">{ "imports": { "pqt": "./pqt/index.js", "pqt/init": "./pqt/init.js" } }</script>';
  project.write('site/index.html', `<!doctype html>${map}<script type="module" src="map.js"></script>`);
  project.write('site/map.js', "import { answer } from './program.js';\nparent.postMessage(`page ${answer()}`, '*');\n");
  await project.shows('a page', 'site', false);
  project.copy('site', 'init');
  project.copy('init.js', 'init/map.js');
  await project.shows('a page that fetches pqt.wasm', 'init', false);
}

export const TOOLS = {
  'node-18': node('18.20.8', false),
  'node-20': node('20.20.2', true),
  'node-22': node('22.23.5', true),
  'node-24': node(NEWEST_NODE, true),
  esbuild: { packages: { esbuild: '0.28.2' }, run: esbuild },
  rollup: bundler({ rollup: '4.68.8', '@rollup/plugin-node-resolve': '16.0.3' }, rollup),
  rolldown: bundler({ rolldown: '1.3.3' }, rolldown),
  webpack: { packages: { webpack: '5.113.0', 'webpack-cli': '7.3.1' }, run: webpack },
  parcel: { packages: { parcel: '2.16.4' }, run: parcel },
  'vite-5': vite('5.4.21'),
  'vite-6': vite('6.4.6'),
  'vite-7': vite('7.3.8'),
  'vite-8': vite('8.4.0'),
  jest: { packages: { jest: '30.5.2', 'jest-environment-jsdom': '30.5.2' }, run: jest, options: '--experimental-vm-modules' },
  vitest: { packages: { vitest: '5.1.2', vite: '8.4.0' }, run: vitest },
  'typescript-5.4': typescript('5.4.5'),
  'typescript-5.9': typescript('5.9.3'),
  'typescript-7': typescript('7.0.2'),
  lints: { packages: { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' }, run: lints },
  'import-map': { packages: {}, run: importMap },
};
