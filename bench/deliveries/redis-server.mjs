import { access, mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../scripts/free-port.mjs';
import { hasEnded, start } from '../children.mjs';

const POLL_MS = 20;

/**
 * Starts a Redis with the settings that operators are told to use, if the machine has one.
 * @param {string} folder that it writes to
 * @returns {Promise<string | undefined>} its address
 */
export async function startRedis(folder) {
  const program = await onPath('redis-server');
  if (program === undefined) return undefined;
  await mkdir(folder);
  const port = await freePort();
  const settings = { appendonly: 'yes', 'maxmemory-policy': 'noeviction', bind: '127.0.0.1' };
  const all = Object.entries({ ...settings, port, dir: folder, save: '' });
  const args = all.flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = start(program, args, { stdio: 'ignore' });
  while (!(await answers(port))) {
    if (hasEnded(child)) throw new Error('redis-server ended');
    await delay(POLL_MS);
  }
  return `redis://127.0.0.1:${port}/0`;
}

async function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    const found = await access(file).then(
      () => true,
      () => false,
    );
    if (found) return file;
  }
  return undefined;
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
