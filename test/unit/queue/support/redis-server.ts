import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../../support/free-port.js';

export interface RedisServer {
  readonly url: string;
  command(name: string, ...args: string[]): Promise<void>;
  kill(): Promise<void>;
  /** Starts the killed server again on the same port; it has forgotten everything. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Redis of its own, which keeps nothing on disk. */
export async function startRedis(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const run = (): ChildProcess =>
    spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
      { stdio: 'ignore' },
    );
  let server = run();
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  await client.ping();
  const kill = async (): Promise<void> => {
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  return {
    url,
    command: async (name, ...args) => {
      await client.call(name, ...args);
    },
    kill,
    restart: async () => {
      server = run();
      await client.ping();
    },
    stop: async () => {
      client.disconnect();
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
