// SPDX-License-Identifier: MIT
// bench.js: measures the studio in Chromium, and prints each figure next to its goal. `make bench-studio` runs it.
//
// Times of the thread are processor time of the page's thread, in which the time of other programs is not included. The other times
// are those of a clock, so a machine with other work shows larger ones.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuOf, slide, startStudio } from './page.js';
import { randomFrom } from './random.js';

const ROWS = 1000000;
const folder = mkdtempSync(join(tmpdir(), 'pqt-bench-'));
const large = join(folder, 'million.csv'), small = join(folder, 'small.csv');

/** Prints a row of the table. */
function print(what, goal, measured) {
  console.log(`| ${what} | ${goal} | ${measured} |`);
}

const ms = (value) => `${value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ms`;

/** Steps, and draws what the tab draws for a step. */
const step = () => {
  const { balls } = pqtStudio.tabs.balls;
  balls.isRunning = true;
  balls.timeline.step(balls.settings, {});
  balls.controls.scrubber.take();
  balls.show();
  balls.isRunning = false;
};

async function measureStart(studio) {
  const paints = [], motions = [];
  for (let i = 0; i < 5; i++) {
    const page = await studio.open();
    paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    await page.done();
  }
  for (let i = 0; i < 5; i++) {
    const moving = await studio.open({ scene: '', motion: true });
    motions.push(await moving.evaluate(async () => {
      const { timeline } = pqtStudio.tabs.balls.balls;
      while (timeline.length < 4) await new Promise((resolve) => { requestAnimationFrame(resolve); });
      return performance.now();
    }));
    await moving.done();
  }
  print('first contentful paint, from loopback', '200 ms', `${ms(Math.min(...paints))}, the least of 5`);
  print('the balls move, from loopback', '1,000 ms', `${ms(Math.min(...motions))}, the least of 5`);
}

async function measureBalls(studio) {
  const page = await studio.open();
  page.on('dialog', (dialog) => dialog.accept());
  for (const [at, name, goal] of [[11, '2,000', '4 ms'], [12, '5,000', ''], [14, '20,000', '']]) {
    await slide(page, 'balls-number', at);
    print(`a step of ${name} loose balls and its drawing, thread`, goal, ms(await cpuOf(page, at === 14 ? 8 : 40, step)));
  }
  await page.click('#balls-restart');
  await slide(page, 'balls-number', 11);
  await page.evaluate(async () => {
    const { balls } = pqtStudio.tabs.balls;
    balls.settings = { ...balls.settings, restitution: 0.3, gravity: 400 };
    for (let i = 0; i < 1500; i++) {
      balls.timeline.step(balls.settings, {});
      if (i % 50 === 0) await new Promise((resolve) => { setTimeout(resolve); });
    }
  });
  print('a step of a settled pile of 2,000 and its drawing, thread', '4 ms', ms(await cpuOf(page, 40, step)));
  await page.click('#balls-restart');
  await slide(page, 'balls-number', 9);
  const bytes = await page.evaluate(async () => {
    const { balls } = pqtStudio.tabs.balls, { memory, reclaim } = await import(new URL('pqt.js', location.href).href);
    reclaim();
    const empty = memory().usedBytes;
    for (let i = 0; i < 10000; i++) {
      balls.timeline.step(balls.settings, {});
      if (i % 100 === 0) await new Promise((resolve) => { setTimeout(resolve); });
    }
    reclaim();
    return memory().usedBytes - empty;
  });
  print('10,000 moments of 500 balls', '80 MB', `${Math.round(bytes / 1e6)} MB`);
  await page.click('#balls-restart');
  await slide(page, 'balls-number', 12);
  await page.evaluate(() => {
    const { balls } = pqtStudio.tabs.balls;
    for (let i = 0; i < 200; i++) balls.timeline.step(balls.settings, {});
  });
  print('an event of the scrubber at 5,000 balls, thread', '16 ms', ms(await cpuOf(page, 50, (i) => {
    const { balls } = pqtStudio.tabs.balls;
    balls.goTo((i * 97) % balls.timeline.length);
  })));
  await page.done();
}

async function measureEditor(studio) {
  const page = await studio.open({ tab: 'editor' });
  await page.click('#editor-example');
  await page.waitForFunction(() => pqtStudio.tabs.editor.editor.files.name === 'world');
  await page.focus('#editor-plane canvas');
  await page.keyboard.press('n');
  const edit = (i) => {
    const { editor } = pqtStudio.tabs.editor;
    editor.moveTo([...editor.selection.values()], i % 2 === 0 ? 0.1 : -0.1, 0, 0);
    editor.plane.surface.drawNow();
  };
  for (const versions of [10, 10000]) {
    await page.evaluate(async (wanted) => {
      const { editor } = pqtStudio.tabs.editor;
      editor.isShown = false;
      for (let i = 0; editor.scenes.count < wanted; i++) {
        editor.moveTo([...editor.selection.values()], i % 2 === 0 ? 0.1 : -0.1, 0, 0);
        if (i % 100 === 0) await new Promise((resolve) => { setTimeout(resolve); });
      }
      editor.isShown = true;
      editor.show();
    }, versions);
    print(`an edit among 53,278 boxes with its drawing at ${versions.toLocaleString('en')} versions, thread`, '8 ms', ms(await cpuOf(page, 30, edit)));
  }
  print('zooming 53,278 boxes, thread', '16 ms', ms(await cpuOf(page, 20, (i) => {
    const { surface } = pqtStudio.tabs.editor.editor.plane;
    surface.zoom(i % 2 === 0 ? 1.25 : 0.8);
    surface.drawNow();
  })));
  await page.done();
}

async function measureLarge(studio) {
  const page = await studio.open({ tab: 'editor' });
  await page.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => { globalThis.longest = Math.max(globalThis.longest, duration); })).observe({ entryTypes: ['longtask'] });
  });
  // The processor time of the processes of pages, and so of the page and its worker.
  const session = await studio.browser.newBrowserCDPSession();
  const cpu = async () => (await session.send('SystemInfo.getProcessInfo')).processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  const before = await cpu(), began = Date.now();
  await page.selectOption('#offered-file', 'million.csv');
  await page.waitForFunction((rows) => document.querySelector('#editor [data-figure="boxes"]').textContent === rows, ROWS.toLocaleString('en'), { timeout: 0 });
  const time = Date.now() - began, spent = await cpu() - before;
  await page.waitForTimeout(1000); // the tiles of the plane
  print('10^6 rows with names are read', '4 s', `${(time / 1000).toFixed(1)} s; ${spent.toFixed(1)} s of the processors`);
  print('the longest task of the page meanwhile', '100 ms', await page.evaluate(() => (longest === 0 ? 'under 50 ms' : `${Math.round(longest)} ms`)));
  await page.done();
}

const random = randomFrom(1), rows = ['id,min_x,min_y,max_x,max_y,name'];
for (let i = 0; i < ROWS; i++) {
  const x = 10000 * random(), y = 10000 * random();
  rows.push([i + 1, x.toFixed(2), y.toFixed(2), (x + 3).toFixed(2), (y + 3).toFixed(2), `name ${i}`].join());
}
writeFileSync(large, `${rows.join('\n')}\n`);
writeFileSync(small, 'id,x,y\n1,2,3\n');
const studio = await startStudio(), withFiles = await startStudio({ files: [small, large] });
try {
  console.log(`Chromium ${studio.browser.version()}, ${cpus().length} processors, a load of ${loadavg()[0].toFixed(1)} at the start\n`);
  console.log('| | goal | measured |\n|---|---|---|');
  await measureStart(studio);
  await measureBalls(studio);
  await measureEditor(studio);
  await measureLarge(withFiles);
} finally {
  await studio.stop();
  await withFiles.stop();
  rmSync(folder, { recursive: true });
}
