// SPDX-License-Identifier: MIT
// balls.test.js: tests the Balls tab: each control, the timeline, and whether its versions equal
// those of the native program.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { TOKEN, figure, hashOfCanvas, picture, slide, startServer, startStudio, touch } from './page.js';
import { randomFrom } from './random.js';
import { replayed } from './replay.js';

let studio;
before(async () => { studio = await startStudio(); });
after(() => studio.stop());

const position = (page) => page.textContent('#balls-position');
const moments = async (page) => Number(/of ([\d,]+),/.exec(await position(page))[1].replaceAll(',', ''));
const run = (page, fn, ...rest) => page.evaluate(`(${fn})(pqtStudio.tabs.balls.balls, ...${JSON.stringify(rest)})`);

/** Steps with the key for a single step, which does not depend on the clock. */
async function steps(page, count) {
  await page.focus('#balls .view canvas');
  for (let i = 0; i < count; i++) await page.keyboard.press('.');
}

test('the tab begins with five balls', async () => {
  const page = await studio.open();
  assert.equal(await figure(page, 'balls', 'bodies'), '5');
  assert.equal(await figure(page, 'balls', 'drawn'), '5');
  assert.equal(await position(page), '1 of 1, 0.00 s');
  await page.done();
});

test('the first scene runs when the page opens; if the system asks for less motion, it waits and says so', async () => {
  const page = await studio.open({ scene: '', motion: true });
  await page.waitForFunction(() => pqtStudio.tabs.balls.balls.timeline.length > 20);
  assert.equal(await page.textContent('#balls-run'), 'Stop');
  assert.equal(await page.getAttribute('#balls-scene-billiards', 'aria-pressed'), 'true');
  assert.match(await page.textContent('#status'), /^Drag the slider/);
  await page.click('#balls-run');
  await page.click('#tab-editor');
  await page.click('#tab-balls');
  assert.match(await page.textContent('#status'), /^Drag the slider/, 'the user stopped the balls, and not the system');
  await page.click('#balls-scene-cradle');
  await page.waitForFunction(() => pqtStudio.tabs.balls.balls.timeline.length > 20);
  assert.equal(await page.textContent('#balls-run'), 'Stop');
  await page.done();
  const still = await studio.open({ scene: '' });
  assert.equal(await run(still, (balls) => balls.timeline.length), 2);
  assert.equal(await still.textContent('#balls-run'), 'Run');
  assert.equal(await still.textContent('#status'), 'Nothing moves, because your system asks for less motion. Run starts the balls.');
  await still.click('#balls-run');
  await still.click('#balls-run');
  await still.click('#tab-editor');
  await still.click('#tab-balls');
  assert.match(await still.textContent('#status'), /^Drag the slider/, 'the user stopped the balls');
  await still.click('#balls-scene-pile');
  assert.equal(await still.textContent('#balls-run'), 'Run');
  assert.equal(await figure(still, 'balls', 'bodies'), '340');
  await still.done();
});

test('each scene has a picture and a sentence, and its first steps are those of the native program', async () => {
  const page = await studio.open();
  const names = await page.$$eval('.presets button', (all) => all.map(({ id }) => id));
  assert.deepEqual(names, ['billiards', 'cradle', 'pi2', 'pyramid', 'pile', 'cave', 'five'].map((name) => `balls-scene-${name}`));
  await page.waitForFunction(() => [...document.querySelectorAll('.presets canvas')].every((canvas) => canvas.getContext('2d').getImageData(0, 0, 1, 1).data[3] === 255));
  const pictures = await page.$$eval('.presets canvas', (all) => all.map((canvas) => canvas.toDataURL()));
  assert.equal(new Set(pictures).size, names.length, 'the pictures differ');
  const sentences = new Set(), found = [];
  for (const name of names) {
    await page.click(`#${name}`);
    assert.deepEqual(await page.$$eval('.presets [aria-pressed=true]', (all) => all.map(({ id }) => id)), [name]);
    sentences.add(await page.textContent('#balls-sentence'));
    const from = await page.evaluate(() => pqtStudio.studio.log.length);
    await steps(page, 30);
    const log = await page.evaluate(() => pqtStudio.studio.log);
    assert.equal(log[from].count, 30);
    found.push(await run(page, ({ timeline }) => [timeline.versionAt(timeline.length - 1), timeline.tip.fingerprint()]));
  }
  assert.equal(sentences.size, names.length);
  const expected = replayed('balls', await page.evaluate(() => pqtStudio.studio.log));
  for (const [version, fingerprint] of found) assert.equal(fingerprint, expected[version]);
  await page.done();
});

test('the collisions of two balls are the digits of pi, and the total of a moment goes back with it', async () => {
  const page = await studio.open({ scene: 'pi0' });
  for (const [k, digits] of ['3', '31', '314', '3141', '31415', '314159'].entries()) {
    await page.click(`#balls-scene-mass-${k}`);
    const counted = await run(page, (balls) => {
      let sum = 0;
      for (let i = 0; i < 600; i++) {
        const report = {};
        balls.timeline.step(balls.settings, report);
        sum += report.contacts + report.bounces + report.obstacleHits;
      }
      balls.show();
      return [sum, balls.timeline.tip.get(2).mass];
    });
    assert.deepEqual(counted, [Number(digits), 100 ** k]);
    assert.equal(await page.textContent('#balls-total'), digits);
    assert.ok(await page.textContent('#balls-sentence').then((text) => text.includes(k === 0 ? 'the first digit of pi' : `the first ${k + 1} digits of pi`)));
  }
  await slide(page, 'balls-moment', 10);
  assert.equal(await page.textContent('#balls-total'), '0');
  await page.done();
});

test('a scene that shows all of itself ends, and does not end again after Run', async () => {
  const page = await studio.open({ scene: 'pi1', motion: true });
  await page.evaluate(() => { pqtStudio.tabs.balls.balls.speed = 4; });
  await page.waitForFunction(() => document.getElementById('balls-run').textContent === 'Run');
  assert.equal(await run(page, (balls) => balls.timeline.length), 700);
  assert.equal(await page.textContent('#balls-total'), '31');
  await page.click('#balls-run');
  await page.waitForFunction(() => pqtStudio.tabs.balls.balls.timeline.length > 710);
  await page.done();
});

test('on a touch screen, a tap adds ten balls and a swipe none', async () => {
  const page = await studio.open({ width: 390, height: 600, touch: true });
  const { x, y, width, height } = await (await page.$('#balls .view canvas')).boundingBox();
  const middle = x + width / 2;
  await touch(page, [0, 30, 60, 90, 120].map((up) => [middle, y + height / 2 - up]));
  assert.equal(await figure(page, 'balls', 'bodies'), '5');
  assert.ok(await page.evaluate(() => document.querySelector('main').scrollTop) > 50, 'the page has scrolled');
  await page.tap('#balls .view canvas');
  assert.equal(await figure(page, 'balls', 'bodies'), '15');
  await page.done();
});

test('a click adds ten balls around the pointer, a drag adds none, and the button adds ten anywhere', async () => {
  const page = await studio.open(), stage = await (await page.$('#balls .view canvas')).boundingBox();
  await page.mouse.move(stage.x + 100, stage.y + 100);
  await page.mouse.down();
  await page.mouse.move(stage.x + 180, stage.y + 120, { steps: 4 });
  await page.mouse.up();
  assert.equal(await figure(page, 'balls', 'bodies'), '5');
  assert.equal(await page.textContent('#status'), 'Balls cannot be dragged. A click adds ten balls.');
  await page.click('#balls .view canvas', { position: { x: 300, y: 200 } });
  assert.equal(await figure(page, 'balls', 'bodies'), '15');
  const added = await run(page, (balls) => {
    const at = balls.controls.surface.at({ clientX: 300, clientY: 200 + balls.controls.surface.canvas.getBoundingClientRect().top });
    return balls.timeline.tip.bodies().filter(({ id }) => id > 5)
      .map(({ x, y, radius, vx, vy }) => ({ dx: Math.abs(x - at.x), dy: Math.abs(y - at.y), radius, speeds: [Math.abs(vx), Math.abs(vy)] }));
  });
  assert.equal(added.length, 10);
  for (const { dx, dy, radius, speeds } of added) {
    assert.ok(dx <= 31 && dy <= 31, `${dx}, ${dy}`);
    assert.ok(radius >= 2 && radius <= 4);
    assert.ok(speeds.every((speed) => speed >= 30 && speed <= 180));
  }
  await page.click('#balls-add');
  assert.equal(await figure(page, 'balls', 'bodies'), '25');
  assert.equal(await page.textContent('output[for=balls-number]'), '25', 'the number is that of the balls, also between two of the slider');
  await page.focus('#balls .view canvas');
  await page.keyboard.press('Enter');
  assert.equal(await figure(page, 'balls', 'bodies'), '35');
  await page.done();
});

test('clear leaves no ball, says how to add some, and keeps the earlier worlds', async () => {
  const page = await studio.open();
  await page.click('#balls-clear');
  assert.equal(await figure(page, 'balls', 'bodies'), '0');
  assert.ok(await page.isVisible('#balls .hint'));
  await slide(page, 'balls-moment', 1);
  assert.equal(await figure(page, 'balls', 'bodies'), '5');
  assert.ok(!await page.isVisible('#balls .hint'));
  await page.done();
});

test('the buttons run, stop and step work; the space bar runs and stops', async () => {
  const page = await studio.open();
  await page.click('#balls-run');
  await page.waitForFunction(() => pqtStudio.tabs.balls.balls.timeline.length > 20);
  assert.equal(await page.textContent('#balls-run'), 'Stop');
  await page.click('#balls-run');
  const stopped = await moments(page);
  await page.waitForTimeout(100);
  assert.equal(await moments(page), stopped);
  await page.click('#balls-step');
  assert.equal(await moments(page), stopped + 1);
  await page.focus('#balls .view canvas');
  await page.keyboard.press(' ');
  await page.waitForFunction((least) => pqtStudio.tabs.balls.balls.timeline.length > least, stopped + 10);
  await page.keyboard.press(' ');
  assert.equal(await page.textContent('#balls-run'), 'Run');
  await page.done();
});

test('the sliders set the number, the restitution, the gravity and the speed', async () => {
  const page = await studio.open();
  await slide(page, 'balls-number', 8);
  assert.equal(await figure(page, 'balls', 'bodies'), '200');
  await slide(page, 'balls-number', 2);
  assert.equal(await figure(page, 'balls', 'bodies'), '2');
  assert.deepEqual(await run(page, (balls) => balls.timeline.tip.bodies().map(({ id }) => id).sort()), [1, 2]);

  const energy = () => run(page, (balls) => balls.timeline.tip.stats().energy);
  await slide(page, 'balls-number', 9);
  const before = await energy();
  await steps(page, 20);
  assert.ok(Math.abs(await energy() / before - 1) < 1e-9, 'elastic collisions keep the energy');
  await slide(page, 'balls-restitution', 0);
  await steps(page, 20);
  assert.ok(await energy() < before * 0.999, 'plastic ones lose some');
  await slide(page, 'balls-gravity', 200);
  const falling = () => run(page, (balls) => balls.timeline.tip.bodies().reduce((sum, { vy, mass }) => sum + vy * mass, 0));
  const momentum = await falling();
  await steps(page, 5);
  assert.ok(await falling() > momentum, 'gravity accelerates downwards');
  await slide(page, 'balls-speed', 2);
  assert.equal(await run(page, (balls) => balls.speed), 2);
  await page.done();
});

test('cells and trails are drawn or not', async () => {
  const page = await studio.open();
  await slide(page, 'balls-number', 9);
  const withCells = await hashOfCanvas(page, 'balls');
  await page.uncheck('#balls-cells');
  assert.notEqual(await hashOfCanvas(page, 'balls'), withCells);
  await page.check('#balls-cells');
  assert.equal(await hashOfCanvas(page, 'balls'), withCells);
  await page.uncheck('#balls-trails');
  assert.equal(await run(page, (balls) => balls.withTrails), false);
  await page.done();
});

test('the diagnostics equal those of the library', async () => {
  const page = await studio.open();
  await slide(page, 'balls-number', 10);
  await steps(page, 8);
  assert.ok(Number(await figure(page, 'balls', 'tests')) > 0);
  const counted = await run(page, ({ timeline, settings }) => {
    const report = {}, all = {};
    for (let moment = 2; moment < timeline.length - 2; moment++) timeline.at(moment).step(0.01, { report: all });
    timeline.at(timeline.length - 2).step(0.01, { restitution: settings.restitution, report });
    return [report.tests, report.contacts + report.bounces, all.contacts + all.bounces];
  });
  assert.ok(counted[1] > 0);
  assert.equal(await figure(page, 'balls', 'tests'), String(counted[0]));
  assert.equal(await figure(page, 'balls', 'collisions'), String(counted[1]));
  assert.equal((await page.textContent('#balls-total')).replaceAll(',', ''), String(counted[1] + counted[2]));
  assert.equal(await figure(page, 'balls', 'kept'), String(await moments(page) + 1));
  const own = await run(page, async ({ timeline }) => {
    const { exclusiveBytes } = await import(new URL('pqt.js', location.href).href);
    return exclusiveBytes(timeline.tip, timeline.at(timeline.length - 2));
  });
  const { inBytes } = await import('../../src/studio/dom.js');
  assert.equal(await page.textContent('#balls [data-figure="bytes"]'), inBytes(own));
  await slide(page, 'balls-gravity', 100);
  await steps(page, 3);
  await slide(page, 'balls-moment', 6);
  await page.click('#balls-add');
  await steps(page, 2);
  const distinct = await run(page, ({ timeline }) => {
    const versions = new Set();
    for (const line of timeline.lines) for (let moment = 0; moment < timeline.lengthOf(line); moment++) versions.add(timeline.versionAt(moment, line));
    return versions.size;
  });
  assert.equal(await figure(page, 'balls', 'kept'), String(distinct), 'a version that two lines share is counted once');
  await page.done();
});

test('the timeline shows each moment as it was, while the simulation continues', async () => {
  const page = await studio.open();
  await slide(page, 'balls-number', 8);
  const seen = [];
  for (let i = 0; i < 12; i++) {
    await steps(page, 1);
    seen.push(await run(page, (balls) => balls.timeline.tip.fingerprint()));
  }
  const picture12 = await hashOfCanvas(page, 'balls');
  await page.click('#balls-run');
  await slide(page, 'balls-moment', 5);
  const length = await run(page, (balls) => balls.timeline.length);
  await page.waitForFunction((least) => pqtStudio.tabs.balls.balls.timeline.length > least + 10, length);
  assert.match(await position(page), /^5 of .* s Line 1 runs on\.$/);
  await page.click('#balls-run');
  const last = await run(page, (balls) => balls.timeline.length - 1);
  for (const [i, fingerprint] of seen.entries())
    assert.equal(await run(page, (balls, at) => balls.timeline.at(at).fingerprint(), i + 3), fingerprint);
  await slide(page, 'balls-moment', 14);
  assert.equal(await hashOfCanvas(page, 'balls'), picture12);
  await page.focus('#balls .view canvas');
  await page.keyboard.press(',');
  assert.match(await position(page), /^13 of /);
  await page.keyboard.press('.');
  assert.match(await position(page), /^14 of /);
  await page.keyboard.press('l');
  assert.match(await position(page), new RegExp(`^${last} of ${last},`));
  await page.done();
});

test('a line branches from an earlier moment, and both lines remain', async () => {
  const page = await studio.open();
  await steps(page, 20);
  const old = await run(page, (balls) => balls.timeline.tip.fingerprint());
  assert.equal(await page.textContent('#balls-run'), 'Run');
  await slide(page, 'balls-moment', 8);
  const fingerprint = await run(page, (balls) => balls.timeline.at(8).fingerprint());
  assert.equal(await page.textContent('#balls-run'), 'Run from here');
  assert.ok(await page.isHidden('#balls-resume'), 'two buttons do the same');
  await page.click('#balls-run');
  await page.click('#balls-run');
  await page.click('#balls-add');
  await steps(page, 3);
  assert.deepEqual(await page.$$eval('#balls-line option', (options) => options.map(({ textContent }) => textContent)), ['Line 1', 'Line 2']);
  assert.equal(await run(page, (balls) => balls.timeline.at(8).fingerprint()), fingerprint);
  await page.selectOption('#balls-line', '0');
  assert.equal(await figure(page, 'balls', 'bodies'), '5');
  assert.equal(await run(page, (balls) => balls.timeline.tip.fingerprint()), old);
  await steps(page, 2);
  await page.selectOption('#balls-line', '1');
  assert.equal(await figure(page, 'balls', 'bodies'), '15');
  await page.done();
});

test('Run from an earlier moment branches off there and says so, and the picture moves', async () => {
  const page = await studio.open();
  await steps(page, 20);
  const old = await run(page, (balls) => balls.timeline.tip.fingerprint());
  assert.equal(await page.textContent('#balls-run'), 'Run');
  await slide(page, 'balls-moment', 8);
  assert.equal(await page.textContent('#balls-run'), 'Run from here');
  await page.click('#balls-run');
  assert.equal(await page.textContent('#status'), 'Line 2 branches off Line 1 at moment 8; Line 1 remains.');
  await page.waitForFunction(() => pqtStudio.tabs.balls.balls.timeline.length > 12);
  await page.click('#balls-run');
  assert.deepEqual(await run(page, ({ timeline, shownWorld, viewed }) => [viewed, shownWorld.fingerprint() === timeline.tip.fingerprint()]), [null, true]);
  assert.ok(await moments(page) >= 12);
  assert.equal(await run(page, ({ timeline }) => timeline.lines[0].tip.fingerprint()), old);
  await page.done();
});

test('an edit of an earlier moment branches off there, and leaves the live line alone', async () => {
  const page = await studio.open();
  await steps(page, 20);
  const old = await run(page, ({ timeline }) => [timeline.tip.fingerprint(), timeline.length]);
  const edits = [() => page.click('#balls .view canvas'), () => slide(page, 'balls-number', 1), () => page.click('#balls-clear'), () => page.click('#balls-no-picture')];
  for (const [i, edit] of edits.entries()) {
    await page.selectOption('#balls-line', '0');
    await slide(page, 'balls-moment', 8);
    await edit();
    assert.deepEqual(await run(page, ({ timeline }) => [timeline.lines[0].tip.fingerprint(), timeline.lengthOf(timeline.lines[0])]), old);
    assert.equal(await run(page, ({ timeline }) => timeline.current), i + 1);
    assert.equal(await moments(page), 9);
  }
  assert.deepEqual(await run(page, ({ timeline }) => timeline.lines.map((line) => line.tip.size)), [5, 15, 1, 0, 5]);
  await page.done();
});

/** Returns the number of balls of a mark that are elsewhere in the picture, by the library. */
const movedSince = (page, mark) => run(page, ({ timeline, shownWorld }, [line, moment]) => {
  const { segment, step } = timeline.placeOf(moment, timeline.lines[line]);
  const before = segment.recording.at(step);
  return String(shownWorld.bodies().filter(({ id, x, y }) => {
    const old = before.get(id);
    return old !== null && (old.x !== x || old.y !== y);
  }).length);
}, mark);

test('the comparison survives each navigation, so any two moments of any two lines are compared', async () => {
  const page = await studio.open();
  await steps(page, 20);
  await slide(page, 'balls-moment', 12);
  await page.click('#balls-mark');
  const agree = async () => {
    assert.equal(await page.getAttribute('#balls-mark', 'aria-pressed'), 'true');
    assert.equal(await figure(page, 'balls', 'moved'), await movedSince(page, [0, 12]));
  };
  await slide(page, 'balls-moment', 8);
  await agree();
  await page.click('#balls .view canvas', { position: { x: 100, y: 100 } });
  await steps(page, 7);
  await agree();
  assert.equal(await figure(page, 'balls', 'moved'), '5', 'the ten new balls are only in one of the two');
  await page.selectOption('#balls-line', '0');
  await agree();
  await slide(page, 'balls-moment', 12);
  assert.equal(await figure(page, 'balls', 'moved'), '0');
  await page.selectOption('#balls-line', '1');
  await slide(page, 'balls-moment', 10);
  await agree();
  await page.click('#balls-run');
  await page.click('#balls-run');
  await agree();
  await page.click('#balls-mark');
  assert.equal(await figure(page, 'balls', 'moved'), '–');
  await page.done();
});

test('each moment has the number of steps before it, in each line', async () => {
  const page = await studio.open();
  for (const moment of [3, 7, 4]) {
    await steps(page, 5);
    await page.click('#balls-add');
    await page.click('#balls-add');
    await steps(page, 3);
    await slide(page, 'balls-moment', moment);
    await slide(page, 'balls-gravity', 50 * moment);
  }
  await steps(page, 4);
  const wrong = await run(page, ({ timeline }) => {
    const faults = [];
    for (const line of timeline.lines) {
      const counted = Array.from({ length: timeline.lengthOf(line) }, (_, moment) =>
        timeline.commandsOf(timeline.versionAt(moment, line)).reduce((sum, { op, count }) => sum + (op === 'step' ? count : 0), 0));
      counted.forEach((count, moment) => { if (timeline.stepsAt(moment, line) !== count) faults.push([line.name, moment, count, timeline.stepsAt(moment, line)]); });
      for (let count = 0; count <= counted.at(-1) + 2; count++) {
        const last = counted.findLastIndex((one) => one <= count);
        if (timeline.momentAfter(count, line) !== last) faults.push([line.name, 'after', count, last, timeline.momentAfter(count, line)]);
      }
    }
    return { faults, lines: timeline.lines.length };
  });
  assert.deepEqual(wrong.faults, []);
  assert.ok(wrong.lines >= 3, `${wrong.lines} lines`);
  await page.done();
});

test('while a line runs on, another one runs from an earlier moment', async () => {
  const page = await studio.open();
  await steps(page, 20);
  await page.click('#balls-run');
  await slide(page, 'balls-moment', 8);
  assert.equal(await page.textContent('#balls-run'), 'Stop');
  await page.click('#balls-resume');
  await page.waitForSelector('#balls-resume', { state: 'hidden' });
  await page.click('#balls-run');
  assert.deepEqual(await run(page, ({ timeline: { lines } }) => lines.map(({ from, parent }) => [from, parent === lines[0]])), [[0, false], [8, true]]);
  await page.done();
});

test('a line is a ghost: rings where its balls are at the same time', async () => {
  const page = await studio.open({ scene: 'billiards' });
  await steps(page, 20);
  assert.ok(await page.isHidden('#balls-ghost'), 'there is only one line');
  await slide(page, 'balls-moment', 8);
  await slide(page, 'balls-number', 2);
  await steps(page, 5);
  await page.uncheck('#balls-cells');
  const without = await hashOfCanvas(page, 'balls');
  await page.selectOption('#balls-ghost', '0');
  assert.notEqual(await hashOfCanvas(page, 'balls'), without);
  // A ball that only the ghost has is a ring: its middle is the colour of the stage, its edge is not.
  const ring = await run(page, ({ timeline, ghostSeek, controls: { surface } }) => {
    const body = ghostSeek.world.bodies().find(({ id }) => id === 16);
    const { segment, step } = timeline.placeOf(timeline.length - 2, timeline.lines[0]); // the edit took no time
    const at = (x, y) => [...surface.context.getImageData(Math.round((x - surface.left) * surface.scale), Math.round((y - surface.top) * surface.scale), 1, 1).data].slice(0, 3);
    let brightest = 0;
    for (let dx = -body.radius - 1; dx <= body.radius + 1; dx += 0.25) brightest = Math.max(brightest, at(body.x + dx, body.y)[0]);
    return { isSame: ghostSeek.world.fingerprint() === segment.recording.at(step).fingerprint(), middle: at(body.x, body.y), brightest };
  });
  assert.ok(ring.isSame);
  assert.ok(ring.middle[0] < 40 && ring.brightest > 100, JSON.stringify(ring));
  await page.selectOption('#balls-ghost', '-1');
  assert.equal(await hashOfCanvas(page, 'balls'), without);
  await page.done();
});

test('the lanes are as high as a finger; a press in one goes to its moment, a drag follows', async () => {
  const page = await studio.open();
  await steps(page, 128);
  await slide(page, 'balls-moment', 64);
  await page.click('#balls-add');
  await steps(page, 4);
  const { x, y, width, height } = await (await page.$('.scrubber canvas')).boundingBox();
  assert.ok(height / 2 >= 44, `${height} for two lanes`);
  const placeOf = (moment) => x + 14 + (moment / 256) * (width - 28);
  const shown = () => run(page, async ({ timeline }) => {
    await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
    return [timeline.current, document.getElementById('balls-moment').valueAsNumber];
  });
  await page.mouse.move(placeOf(100), y + 24);
  await page.mouse.down();
  assert.deepEqual(await shown(), [0, 100]);
  await page.mouse.move(placeOf(40), y + 70);
  assert.deepEqual(await shown(), [0, 40], 'a drag stays in its line');
  await page.mouse.up();
  await page.mouse.click(placeOf(66), y + 72);
  assert.deepEqual(await shown(), [1, 66]);
  await page.focus('#balls-moment');
  await page.keyboard.press('ArrowLeft');
  assert.deepEqual(await shown(), [1, 65]);
  assert.equal(await page.getAttribute('#balls-moment', 'aria-valuetext'), 'moment 65 of 69, Line 2');
  await page.done();
});

test('on a touch screen, a finger drags through time', async () => {
  const page = await studio.open({ width: 390, height: 844, touch: true });
  await steps(page, 100);
  const { x, y, width } = await (await page.$('.scrubber canvas')).boundingBox();
  const placeOf = (moment) => [x + 14 + (moment / 256) * (width - 28), y + 24];
  await touch(page, [80, 70, 60, 50, 40].map(placeOf));
  await page.waitForFunction(() => document.getElementById('balls-moment').valueAsNumber === 40);
  assert.equal(await page.textContent('#balls-run'), 'Run from here');
  await page.done();
});

test('going to a moment of 5,000 balls shows a stored world at once, and the moment itself soon, the latest one first', async () => {
  const page = await studio.open();
  await slide(page, 'balls-number', 12);
  await run(page, (balls) => {
    for (let i = 0; i < 40; i++) balls.timeline.step(balls.settings, {});
    balls.show();
  });
  const seen = await run(page, (balls) => {
    const found = [];
    for (const moment of [17, 33, 31]) {
      balls.goTo(moment);
      found.push([balls.missing, document.getElementById('balls-position').textContent]);
    }
    return found;
  });
  // Moment 2 is step 0 of the recording, which stores a world in 16 steps; a slice has one step of 5,000 balls.
  assert.deepEqual(seen.map(([missing]) => missing), [14, 14, 11]);
  assert.match(seen[2][1], /^31 of 42, .* The picture is 11 steps behind, which are being computed\.$/);
  await page.waitForFunction(() => pqtStudio.tabs.balls.balls.missing === 0);
  assert.match(await position(page), /^31 of 42, [\d.]+ s$/);
  assert.ok(await run(page, ({ timeline, shownWorld }) => timeline.at(31).fingerprint() === shownWorld.fingerprint()));
  await page.done();
});

test('arrows show the difference between two moments', async () => {
  const page = await studio.open();
  await steps(page, 10);
  await page.click('#balls-mark');
  assert.equal(await figure(page, 'balls', 'moved'), '0');
  await slide(page, 'balls-moment', 1);
  assert.equal(await figure(page, 'balls', 'moved'), '5');
  const withArrows = await hashOfCanvas(page, 'balls');
  await page.click('#balls-mark');
  assert.notEqual(await hashOfCanvas(page, 'balls'), withArrows);
  assert.equal(await figure(page, 'balls', 'moved'), '–');
  await page.done();
});

test('all worlds are recomputed, and the last one is equal', async () => {
  const page = await studio.open();
  await slide(page, 'balls-number', 7);
  await steps(page, 30);
  await page.click('#balls-add');
  await slide(page, 'balls-restitution', 0.5);
  await steps(page, 10);
  await page.click('#balls-check');
  await page.waitForFunction(() => /^(Yes|No):/.test(document.getElementById('status').textContent));
  const fingerprint = await run(page, (balls) => balls.timeline.tip.fingerprint());
  assert.equal(await page.textContent('#status'), `Yes: 44 worlds were recomputed, and the last one is equal: ${fingerprint}`);
  await page.done();
});

/** Returns a PNG picture: a dark bar in the middle of a light one. */
async function pngOfBar(page) {
  return Buffer.from(await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(200, 100), context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, 200, 100);
    context.fillStyle = '#000';
    context.fillRect(50, 40, 100, 20);
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())];
  }));
}

test('balls bounce off the dark pixels of a picture', async () => {
  const page = await studio.open();
  const chosen = page.waitForEvent('filechooser');
  await page.click('#balls-picture');
  await (await chosen).setFiles({ name: 'bar.png', mimeType: 'image/png', buffer: await pngOfBar(page) });
  await page.waitForFunction(() => pqtStudio.tabs.balls.balls.timeline.tip.obstacle !== null);
  assert.deepEqual(await run(page, (balls) => balls.timeline.tip.obstacle.region.bounds), { minX: 350, minY: 230, maxX: 450, maxY: 250 });
  await slide(page, 'balls-number', 9);
  await steps(page, 5);
  await page.click('#balls-no-picture');
  assert.equal(await run(page, (balls) => balls.timeline.tip.obstacle), null);
  await page.done();
});

test('files that are not pictures are refused with a message', async () => {
  const page = await studio.open();
  const open = (name, bytes) => page.evaluate(([file, array]) => pqtStudio.open(file, new Uint8Array(array)), [name, bytes]);
  const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  const header = (width, height) => [...png, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, ...[24, 16, 8, 0].map((bits) => (width >> bits) & 255),
    ...[24, 16, 8, 0].map((bits) => (height >> bits) & 255), 8, 6, 0, 0, 0];
  for (const [bytes, sentence] of [
    [[1, 2, 3], 'bad.png is not a PNG picture'],
    [header(100, 100), 'bad.png is a damaged PNG picture'],
    [header(60000, 60000), 'bad.png has 60000 x 60000 pixels; the studio reads up to 67108864'],
    [header(2 ** 31 - 1, 2 ** 31 - 1), 'bad.png has 2147483647 x 2147483647 pixels; the studio reads up to 67108864'],
    [header(0, 5), 'bad.png is a damaged PNG picture'],
  ]) {
    await open('bad.png', bytes);
    assert.equal(await page.textContent('#error'), sentence);
    assert.ok(await page.isVisible('#error'));
  }
  assert.equal(await figure(page, 'balls', 'bodies'), '5');
  await page.done();
});

test('a world is saved and opened again, and continues as before', async () => {
  const page = await studio.open();
  await slide(page, 'balls-number', 7);
  await steps(page, 12);
  await slide(page, 'balls-moment', 8);
  const fingerprint = await run(page, ({ timeline }) => timeline.at(8).fingerprint());
  const last = await run(page, ({ timeline }) => timeline.tip.fingerprint());
  const saved = page.waitForEvent('download');
  await page.click('#balls-save');
  const file = await saved;
  assert.equal(file.suggestedFilename(), 'balls.pqt');
  const buffer = readFileSync(await file.path());
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('#balls-restart');
  const chosen = page.waitForEvent('filechooser');
  await page.click('#balls-open');
  await (await chosen).setFiles({ name: 'mine.pqt', mimeType: '', buffer });
  await page.waitForFunction(() => document.getElementById('status').textContent === 'mine.pqt: 100 balls');
  assert.equal(await run(page, ({ timeline }) => timeline.tip.fingerprint()), fingerprint);
  await steps(page, await run(page, () => 6));
  assert.equal(await run(page, ({ timeline }) => timeline.tip.fingerprint()), last);
  const log = await page.evaluate(() => pqtStudio.studio.log);
  assert.equal(replayed('balls', log).at(-1), last);
  const again = page.waitForEvent('filechooser');
  await page.click('#balls-open');
  await (await again).setFiles({ name: 'cut.pqt', mimeType: '', buffer: buffer.subarray(0, 100) });
  await page.waitForFunction(() => document.getElementById('error').textContent === 'cut.pqt holds no world');
  assert.equal(await run(page, ({ timeline }) => timeline.tip.fingerprint()), last);
  await page.done();
});

test('at the memory limit, the oldest moments are dropped, and the others are kept', async () => {
  const page = await studio.open();
  const found = await page.evaluate(async () => {
    const { Timeline } = await import(new URL('balls_timeline.js', location.href).href);
    const { BOUNDS, apply } = await import(new URL('balls_world.js', location.href).href);
    const settings = { restitution: 1, gravity: 0 };
    const timeline = new Timeline(() => {}, 1);
    timeline.edit({ op: 'world', bounds: BOUNDS }, settings);
    timeline.edit({ op: 'add', bodies: [1, 2, 3].map((id) => ({ id, x: 100 * id, y: 100, vx: 50 * id, vy: 20, radius: 4 })) }, settings);
    for (let i = 0; i < 1000; i++) timeline.step(settings, {});
    timeline.branch(900);
    for (let i = 0; i < 2000; i++) timeline.step(settings, {});
    let world = null, wrong = 0;
    const versions = [];
    for (const command of timeline.commandsOf(timeline.versionAt(timeline.length - 1)))
      for (let i = 0; i < (command.op === 'step' ? command.count : 1); i++) versions.push((world = apply(world, command)).fingerprint());
    for (let moment = timeline.start; moment < timeline.length; moment += 17) wrong += timeline.at(moment).fingerprint() === versions[moment] ? 0 : 1;
    let refused = '';
    try {
      timeline.at(timeline.start - 1);
    } catch ({ message }) {
      refused = message;
    }
    return { start: timeline.start, length: timeline.length, wrong, refused, made: versions.length };
  });
  assert.equal(found.length, 901 + 2000);
  assert.equal(found.made, found.length);
  assert.ok(found.start > 500 && found.start < found.length - 500, JSON.stringify(found));
  assert.equal(found.wrong, 0);
  assert.equal(found.refused, `moment ${found.start - 1} is not kept`);
  await page.done();
});

test('200 clicks, drags and keys give the same versions as the native program', async () => {
  const page = await studio.open({ seed: 7 });
  const random = randomFrom(7);
  const below = (end) => Math.floor(random() * end);
  for (let i = 0; i < 200; i++) {
    const action = below(12);
    if (action < 4) await steps(page, 1 + below(4));
    else if (action === 4) await page.click('#balls .view canvas', { position: { x: 40 + below(860), y: 10 + below(280) } });
    else if (action === 5) await page.click('#balls-add');
    else if (action === 6) await slide(page, 'balls-number', below(9));
    else if (action === 7) await slide(page, 'balls-restitution', [0, 0.3, 0.5, 0.9, 1][below(5)]);
    else if (action === 8) await slide(page, 'balls-gravity', [-100, 0, 200, 500][below(4)]);
    else if (action === 9) {
      const first = await run(page, (balls) => balls.timeline.start), last = await moments(page);
      await slide(page, 'balls-moment', first + below(last - first + 1));
      if (below(3) === 0 && await page.textContent('#balls-run') === 'Run from here') {
        await page.click('#balls-run');
        await page.click('#balls-run');
      }
    } else if (action === 10) {
      const count = await page.$$eval('#balls-line option', (options) => options.length);
      await page.selectOption('#balls-line', String(below(count)));
    } else if (below(4) === 0) await page.click('#balls-clear');
    else await page.keyboard.press(['m', ',', 'l'][below(3)]);
  }
  const found = await run(page, ({ timeline }) => {
    const fingerprints = [];
    for (let line = 0; line < timeline.lines.length; line++) {
      timeline.current = line;
      for (let moment = timeline.start; moment < timeline.length; moment++)
        fingerprints[timeline.versionAt(moment)] = timeline.at(moment).fingerprint();
    }
    return fingerprints;
  });
  const expected = replayed('balls', await page.evaluate(() => pqtStudio.studio.log));
  assert.ok(expected.length > 200, `${expected.length} versions`);
  assert.deepEqual(found, expected);
  await page.done();
});

/** Copies the link to the moment that is shown, and returns its part after balls&. */
async function linkOf(page) {
  await page.click('#balls-link');
  await page.waitForFunction(() => location.hash.includes('&seed='));
  const url = new URL(page.url());
  assert.equal(url.search, '', 'the link has only the fragment');
  return url.hash.slice('#balls&'.length);
}

/** Opens a link in a new window, and waits until its moment is shown. */
async function follow(link) {
  const page = await studio.open({ scene: link.replace(/^scene=/, '') });
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('This is the moment of the link.'));
  return page;
}

test('a link to a moment gives the same world in another page, after edits, branches and settings', async () => {
  const page = await studio.open({ scene: 'cave' });
  await steps(page, 12);
  await page.click('#balls .view canvas', { position: { x: 333, y: 111 } });
  await slide(page, 'balls-gravity', -150);
  await slide(page, 'balls-restitution', 0.35);
  await steps(page, 9);
  await slide(page, 'balls-moment', 17);
  await page.click('#balls-add');
  await steps(page, 4);
  await slide(page, 'balls-number', 6);
  await page.click('#balls-no-picture');
  await steps(page, 3);
  await page.click('#balls-clear');
  await slide(page, 'balls-number', 4);
  await steps(page, 5);
  await slide(page, 'balls-moment', 30);
  const link = await linkOf(page), seed = await run(page, (balls) => balls.seed);
  assert.match(link, new RegExp(`^scene=cave&seed=${seed}&do=s12,a10:\\d+:\\d+:[\\d.]+:[\\d.]+,e0.35,g-150,s2,a10:\\d+:\\d+,s4,k50,o,s3,c,a10:\\d+:\\d+,s1$`));
  const expected = await run(page, ({ timeline, viewed }) => timeline.at(viewed).fingerprint());
  const other = await follow(link);
  assert.equal(await run(other, ({ timeline }) => timeline.tip.fingerprint()), expected);
  assert.equal(await other.textContent('#balls-run'), 'Run');
  assert.equal(await moments(other), 30);
  assert.deepEqual(await run(other, ({ settings }) => settings), { restitution: 0.35, gravity: -150 });
  assert.equal(replayed('balls', await other.evaluate(() => pqtStudio.studio.log)).at(-1), expected);
  assert.equal(await linkOf(other), link, 'the link of the moment is the same link');
  await steps(other, 2);
  page.once('dialog', (dialog) => dialog.accept());
  await page.evaluate((text) => { location.hash = `#balls&${text}`; }, 'scene=pi4&seed=1&do=s300');
  await page.waitForFunction(() => document.getElementById('balls-total').textContent === '31415');
  await page.done();
  await other.done();
});

test('pqt studio opens a link, wherever it was copied', async () => {
  const link = '#balls&scene=pi3&seed=1&do=s300,a10:5:100:400:-20.5';
  for (const argument of [`https://example.org/studio/?x=1${link}`, link]) {
    const own = await startServer(argument);
    assert.ok(own.address.endsWith(`/${link}`), own.address);
    const page = await studio.browser.newPage();
    await page.goto(`${own.address}&token=${TOKEN}`);
    await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
    await page.waitForFunction(() => document.getElementById('balls-total')?.textContent === '3141');
    assert.ok(!await page.isVisible('#error'));
    await page.click('#balls-link');
    await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('The link to this moment'));
    assert.equal(new URL(page.url()).hash, link, 'no token is in the link');
    assert.equal(await figure(page, 'balls', 'bodies'), '12');
    await page.close();
    await own.stop();
  }
});

test('a moment that a link cannot hold is refused with the reason', async () => {
  const page = await studio.open();
  const refused = async (sentence) => {
    await page.click('#balls-link');
    await page.waitForFunction((text) => document.getElementById('error').textContent === text, sentence);
  };
  await run(page, (balls) => balls.setObstacle([0, 0, 10, 10]));
  await refused('A picture is the obstacle, which a link cannot hold. Save the moment instead.');
  page.on('dialog', (dialog) => dialog.accept());
  await page.click('#balls-restart');
  await run(page, (balls) => {
    balls.setNumber(20000);
    balls.addTen(null);
  });
  await refused('The moment is too far from its start for a link: it has more than 20,000 balls. Save it instead.');
  await page.evaluate(() => pqtStudio.open('mine.pqt', pqtStudio.tabs.balls.balls.timeline.at(0).toBytes()));
  await refused('The balls began with a file, which a link cannot hold. Save the moment instead.');
  await page.done();
});

test('a damaged link is refused with one line, and the page works', async () => {
  const page = await studio.open(), before = await run(page, ({ timeline }) => timeline.tip.fingerprint());
  const sentences = await page.evaluate(async () => {
    const found = [];
    for (const link of ['scene=', 'scene=nothing', 'scene=__proto__', 'seed=1', 'scene=five&seed=x', 'scene=five&seed=99999999999', 'scene=five&seed=-1', 'scene=five&do=s',
      'scene=five&do=s1.5', 'scene=five&do=sNaN', 'scene=five&do=s100001', 'scene=five&do=s60000,s60000', 'scene=pile&do=s100000', 'scene=five&do=a1', 'scene=five&do=a1:2', 'scene=five&do=a1:2:3:4',
      'scene=five&do=a1:2:3:Infinity:5', 'scene=five&do=a1:2:3:1e9:5', 'scene=five&do=a1:2:3:9999999:5', 'scene=five&do=a20001:1:9', 'scene=five&do=a19000:1:9,a19000:1:30000',
      'scene=five&do=k-1', 'scene=five&do=e2', 'scene=five&do=gNaN', 'scene=five&do=g501', 'scene=five&do=cc', 'scene=five&do=x', 'scene=five&do=,', `scene=five&do=${'c,'.repeat(2001)}c`,
      `scene=five&do=${'s1,'.repeat(9000)}`, `scene=five&do=${'%'.repeat(50)}<img src=x>`]) {
      document.getElementById('error').textContent = '';
      pqtStudio.tabs.balls.link(link);
      await null;
      found.push(document.getElementById('error').textContent);
    }
    return found;
  });
  for (const sentence of sentences) assert.match(sentence, /^The link cannot be opened: [^\n]{5,120}\.$/);
  assert.equal(new Set(sentences).size > 20, true);
  assert.equal(await run(page, ({ timeline }) => timeline.tip.fingerprint()), before, 'the balls are those before');
  await page.evaluate(() => { pqtStudio.tabs.balls.link('scene=five&seed=1&do=s3,a1:7:1'); });
  assert.match(await page.textContent('#error'), /^The link cannot be followed: /, 'an id occurs twice');
  await page.evaluate(() => { location.hash = '#balls&scene=what'; });
  await page.waitForFunction(() => document.getElementById('error').textContent === 'The link cannot be opened: there is no scene "what".');
  await page.click('#balls-scene-cradle');
  await steps(page, 2);
  await page.done();
  const fresh = await studio.open({ scene: 'five&do=z' });
  assert.equal(await fresh.textContent('#error'), 'The link cannot be opened: "z" is not an action.');
  assert.equal(await figure(fresh, 'balls', 'bodies'), '16');
  await fresh.done();
});

test('a link of many steps is followed in slices, and another scene ends that', async () => {
  const page = await studio.open();
  await page.evaluate(() => { location.hash = '#balls&scene=pile&seed=3&do=s20000'; });
  await page.waitForFunction(() => /^The link is being followed: [\d,]+ steps …$/.test(document.getElementById('status').textContent));
  await page.click('#balls-scene-cradle');
  await page.waitForTimeout(200);
  assert.deepEqual(await run(page, ({ timeline, scene }) => [scene.name, timeline.length]), ['cradle', 2]);
  await page.done();
});

test('the text says how much an edit copied, by the library, and its lines of code run', async () => {
  const page = await studio.open();
  assert.equal(await page.textContent('#balls-sharing'), 'Add ten balls to see how much an edit copies.');
  await page.click('#balls-add');
  assert.match(await page.textContent('#balls-sharing'), /^Your last edit copied [\d.]+ kB of [\d.]+ kB\. So few balls have little to share: set the number to 2,000, and add ten\.$/);
  await slide(page, 'balls-number', 11);
  await steps(page, 3);
  const before = await moments(page);
  await page.click('#balls .view canvas', { position: { x: 300, y: 150 } });
  const [own, whole] = await run(page, async ({ timeline }, at) => {
    const { exclusiveBytes } = await import(new URL('pqt.js', location.href).href);
    return [exclusiveBytes(timeline.tip, timeline.at(at)), exclusiveBytes(timeline.tip)];
  }, before);
  const { inBytes } = await import('../../src/studio/dom.js');
  assert.ok(own < whole / 2, `${own} of ${whole} bytes`);
  assert.equal(await page.textContent('#balls-sharing'), `Your last edit copied ${inBytes(own)} of ${inBytes(whole)}; the rest is shared with the version before it.`);
  const ran = await run(page, async ({ timeline }) => {
    const { exclusiveBytes } = await import(new URL('pqt.js', location.href).href);
    const lines = document.querySelector('#balls pre').textContent.split('\n'), world = timeline.tip, was = world.fingerprint();
    lines[2] = `return [next, other, ${lines[2].replace(/;.*$/, '')}];`;
    // The policy of the page refuses code from text, so the calls are made as they are written.
    const names = lines.map((line) => /= (world\.\w+)|^return \[next, other, (\w+)\(/.exec(line)).map((found) => found[1] ?? found[2]);
    const ball = { id: 999999, x: 50, y: 50, radius: 2 };
    const next = world.step(0.01), other = world.add(ball);
    return { names, remains: world.fingerprint() === was, differs: next.fingerprint() !== was, size: other.size - world.size, bytes: exclusiveBytes(other, world) };
  });
  assert.deepEqual({ ...ran, bytes: ran.bytes > 0 && ran.bytes < whole / 2 }, { names: ['world.step', 'world.add', 'exclusiveBytes'], remains: true, differs: true, size: 1, bytes: true });
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('#balls-restart');
  assert.equal(await page.textContent('#balls-sharing'), 'Add ten balls to see how much an edit copies.');
  await page.done();
});

test('what is seen is saved as a PNG picture, with the total and the moment', async () => {
  const page = await studio.open({ scene: 'pi1' });
  await steps(page, 20);
  const saved = page.waitForEvent('download');
  await page.click('#balls-png');
  const file = await saved;
  assert.equal(file.suggestedFilename(), 'balls.png');
  const bytes = [...readFileSync(await file.path())];
  const found = await page.evaluate(async (png) => {
    const picture = await createImageBitmap(new Blob([new Uint8Array(png)], { type: 'image/png' })), seen = document.querySelector('#balls .view canvas');
    const pixels = (image) => {
      const context = new OffscreenCanvas(seen.width, seen.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return new Uint32Array(context.getImageData(0, 0, seen.width, seen.height).data.buffer);
    };
    const [a, b] = [pixels(picture), pixels(seen)], rows = new Set();
    a.forEach((pixel, i) => { if (pixel !== b[i]) rows.add(Math.floor(i / seen.width)); });
    return { same: picture.width === seen.width && picture.height === seen.height, rows: [...rows], height: seen.height };
  }, bytes);
  assert.ok(found.same);
  assert.ok(found.rows.length > 20 && found.rows.every((row) => row < 110 || row > found.height - 40), 'only the texts were added');
  await page.done();
});

test('with forced colours, the chosen tab and scene differ from the others', async () => {
  const context = await studio.browser.newContext({ forcedColors: 'active', reducedMotion: 'reduce' }), page = await context.newPage();
  await page.goto(studio.server.address);
  await page.waitForFunction(() => globalThis.pqtStudio?.isReady);
  const looks = (selector, name) => page.$$eval(selector, (all, what) => all.map((one) => getComputedStyle(one)[what]), name);
  const tabs = await looks('[role=tab]', 'borderBottomColor'), scenes = await looks('.presets button', 'backgroundColor');
  for (const [first, ...others] of [tabs, scenes]) assert.ok(others.every((other) => other !== first), `${first} and ${others}`);
  await context.close();
});

test('nothing is cut off or wider than the window, from 320 to 1,280 pixels', async () => {
  for (const [width, height] of [[320, 640], [390, 844], [640, 360], [768, 1024], [1024, 768], [1280, 720]]) {
    const page = await studio.open({ scene: 'pi5', width, height });
    const cut = await page.$$eval('#balls :is(h2, p, button, select, output), [role=tab]', (all) => all.filter((one) => one.offsetParent !== null && one.closest('.presets') === null && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).map((one) => one.id || one.textContent));
    assert.deepEqual(cut, [], `${width} x ${height}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} x ${height}`);
    const { height: lane } = await (await page.$('.scrubber canvas')).boundingBox();
    assert.ok(lane >= 44);
    await page.done();
  }
});

test('pictures of the tab are written', async () => {
  for (const dark of [false, true])
    for (const [name, width, height] of [['wide', 1280, 720], ['narrow', 390, 844]]) {
      const page = await studio.open({ scene: 'billiards', dark, width, height });
      await page.waitForFunction(() => [...document.querySelectorAll('.presets canvas')].every((canvas) => canvas.getContext('2d').getImageData(0, 0, 1, 1).data[3] === 255));
      const show = (balls) => {
        const go = (count) => {
          balls.isRunning = true;
          for (let i = 0; i < count; i++) {
            balls.timeline.step(balls.settings, {});
            balls.controls.scrubber.take();
            balls.show();
          }
          balls.isRunning = false;
        };
        if (balls.timeline.length === 2) {
          go(210);
          balls.goTo(96);
          balls.addTen({ x: 420, y: 250 });
          balls.setGhost(0);
        } else go(60);
      };
      await run(page, show);
      await page.waitForTimeout(100); // another lane makes the picture smaller, which removes the trails
      await run(page, show);
      await picture(page, `balls-${name}-${dark ? 'dark' : 'light'}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the window');
      await page.done();
    }
});
