// SPDX-License-Identifier: MIT
// bench_page.js: runs the benchmark in a page that bench.js serves.
const post = (message) => fetch('/results', { method: 'POST', body: JSON.stringify(message) });

try {
  const { benchmark } = await import('./bench_tasks.js');
  await benchmark(await (await fetch('/counts')).json(), (row) => post({ row }));
  await post({ done: true });
} catch (error) {
  await post({ error: String(error?.stack ?? error) });
}
