// Measures what `createExpressServer` of src/platform/http/internals.ts saves: microseconds of processor time for each
// request of a bare Express route, with and without it. Run `npm run build` first.
import express from 'express';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { requestRate } from './load.mjs';

const ROUNDS = 5;
const SECONDS = 3;
const VARIANTS = ['without', 'with'];

/** Serves one variant until the parent disconnects. Answers each message with the processor time used so far. */
async function serve(variant) {
  const app = express();
  app.get('/', (request, response) => response.json({ path: request.path }));
  const { createExpressServer } = await import('../dist/src/platform/http/internals.js');
  const server =
    variant === 'with' ? createExpressServer(app, (handle) => handle) : createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send(process.cpuUsage()));
  process.on('disconnect', () => process.exit());
  process.send(server.address().port);
}

async function cpuOf(child) {
  child.send('cpu');
  const [{ user, system }] = await once(child, 'message');
  return user + system;
}

async function measure(variant) {
  const child = fork(fileURLToPath(import.meta.url), [variant]);
  const [port] = await once(child, 'message');
  const url = `http://127.0.0.1:${port}/`;
  await requestRate({ url }, 1);
  const before = await cpuOf(child);
  const { times } = await requestRate({ url }, SECONDS);
  const used = (await cpuOf(child)) - before;
  child.disconnect();
  return used / times;
}

async function compare() {
  const figures = { without: [], with: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const variant of VARIANTS) figures[variant].push(await measure(variant));
  }
  for (const variant of VARIANTS) {
    const sorted = figures[variant].sort((a, b) => a - b);
    const [least, median, most] = [0, sorted.length >> 1, -1].map((at) => sorted.at(at).toFixed(0));
    console.log(`${variant.padEnd(8)} ${median} µs (${least} to ${most})`);
  }
}

const [variant] = process.argv.slice(2);
await (variant === undefined ? compare() : serve(variant));
