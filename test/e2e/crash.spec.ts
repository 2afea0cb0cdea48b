import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { ownQueues } from '../support/own-queues.js';

jest.setTimeout(300_000);

describe('a service that is killed amid pushes and project creations', () => {
  let rounds: ChildProcess | undefined;

  afterAll(async () => {
    if (rounds === undefined || rounds.exitCode !== null || rounds.signalCode !== null) return;
    // It ends its service and removes its folder before it ends itself.
    const ended = once(rounds, 'close');
    rounds.kill('SIGTERM');
    await ended;
  });

  it('loses nothing acknowledged and leaves nothing half-made', async () => {
    const { REDIS_URL } = await ownQueues();
    const script = path.resolve('test/crash/rounds.mjs');
    const args = ['--rounds', '3', '--seed', 'suite', ...(REDIS_URL ? ['--redis', REDIS_URL] : [])];
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    rounds = child;
    const ended = once(child, 'close') as Promise<[number | null]>;
    const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await ended;
    expect(`${said}${errors}`).toContain('Nothing acknowledged was lost');
    expect(code).toBe(0);
  });
});
