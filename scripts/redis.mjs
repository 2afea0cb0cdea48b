import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.mjs';
import { guard } from './guard.mjs';
import { Problem } from './problem.mjs';

const LOOPBACK = '127.0.0.1';
const PATIENCE_MS = 10_000;
const POLL_MS = 50;

export const hasRedisServer = () =>
  new Promise((resolve) => execFile('redis-server', ['--version'], (error) => resolve(!error)));

function answers(port, host) {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.end('PING\r\n'));
    // One with a password answers, too.
    socket.once('data', (data) => resolve(/^(?:\+PONG|-NOAUTH)/.test(data.toString())));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

async function untilReady(child, port, host) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await answers(port, host))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Problem(`redis-server did not start (port ${port}, exit code ${child.exitCode}).`);
    }
    await delay(POLL_MS);
  }
}

/**
 * Starts a redis-server, or a Sentinel, which is the same program; resolves when it answers.
 * @param options.launch starts processes, as `spawn` does, or promises to
 */
export async function startRedisServer(args, { port, host = LOOPBACK, launch = spawn }) {
  const child = await launch('redis-server', args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    await untilReady(child, port, host);
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
  return { child, ended };
}

/**
 * Starts a Redis that keeps what is written to it, like one in production; resolves when it answers.
 * @param options.args further ones
 * @param options.launch starts processes, as `spawn` does, or promises to
 */
export function startRedis({ folder, port, host = LOOPBACK, args = [], launch }) {
  const own = ['--bind', host, '--port', port, '--dir', folder];
  const kept = ['--save', '', '--appendonly', 'yes'];
  return startRedisServer([...own, ...kept, ...args], { port, host, launch });
}

/** Lends out a Redis on a free port. */
export async function withRedis(work) {
  const folder = await mkdtemp(path.join(tmpdir(), 'trellis-redis-'));
  const { release } = guard(folder);
  try {
    return await withRedisIn(folder, work);
  } finally {
    await rm(folder, { recursive: true, force: true });
    release();
  }
}

async function withRedisIn(folder, work) {
  const port = await freePort();
  const { child, ended } = await startRedis({ folder, port });
  const abandon = () => child.kill('SIGKILL');
  process.once('exit', abandon);
  try {
    return await work(`redis://127.0.0.1:${port}`);
  } finally {
    process.off('exit', abandon);
    child.kill('SIGTERM');
    await ended;
  }
}
