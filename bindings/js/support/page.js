// SPDX-License-Identifier: MIT
// page.js: runs the tests in a page, and then in a worker of that page. browser.js serves it.
import { run } from './browser_runner.js';

const isPage = typeof window === 'object';

async function results() {
  try {
    for (const file of await (await fetch('/tests')).json()) await import(`/test/${file}`);
    return await run();
  } catch (error) {
    return { passed: 0, failures: [String(error?.stack ?? error)] };
  }
}

async function report(where, { passed, failures }) {
  await fetch('/results', { method: 'POST', body: JSON.stringify({ where, passed, failures }) });
}

if (isPage) {
  await report('page', await results());
  const worker = new Worker('/support/page.js', { type: 'module' });
  worker.onerror = ({ message }) => report('worker', { passed: 0, failures: [message] });
} else {
  await report('worker', await results());
}
