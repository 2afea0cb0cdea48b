/** @operation */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { evaluate, ROOT } from './script-modules.js';
import { until } from '../../support/until.js';

interface Run {
  result: unknown;
  left: string[];
}

const START_PROCESS = `import('node:child_process').then(({ spawn }) => new Promise((settle) => {
  const options = { detached: true, stdio: 'ignore', env: { TMPDIR: run.temporary } };
  const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], options);
  child.once('spawn', () => settle(child.pid));
  child.unref();
}))`;
const WRITE_FILE = `import('node:fs/promises').then(({ writeFile }) =>
  writeFile(run.temporary + '/forgotten', ''))`;

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('The temporary folder of a run', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-temporary-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const withTemporaryFolder = async (work: string): Promise<Run> => {
    const expression = `module.withTemporaryFolder((run) => ${work})`;
    const env = { TMPDIR: folder };
    return (await evaluate('scripts/temporary-folder.mjs', expression, env)) as Run;
  };

  it('is removed after a run without leftover files', async () => {
    expect(await withTemporaryFolder('7')).toEqual({ result: 7, left: [] });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is removed when the run fails, with the error of the run', async () => {
    const work = `${START_PROCESS}.then(() => Promise.reject(new Error('the disk is full')))`;
    await expect(withTemporaryFolder(work)).rejects.toThrow('the disk is full');
    expect(await readdir(folder)).toEqual([]);
  });

  it('is kept with leftover files of a run', async () => {
    const { left } = await withTemporaryFolder(WRITE_FILE);
    expect(left).toEqual([expect.stringMatching(/^folder .+\/tmp\/forgotten$/)]);
    expect(existsSync(left[0]!.replace('folder ', ''))).toBe(true);
  });

  it('lists processes that still run, and ends them', async () => {
    const { result: pid, left } = await withTemporaryFolder(START_PROCESS);
    // Without /proc nobody knows.
    const expected = existsSync('/proc/self/environ')
      ? [expect.stringMatching(new RegExp(`^process ${String(pid)} \\(.*setInterval`))]
      : [];
    expect(left).toEqual(expected);
    if (left.length > 0) {
      // A killed process is there until the system has collected it.
      await until(() => Promise.resolve(!isThere(Number(pid))));
      expect(() => process.kill(Number(pid), 'SIGKILL')).toThrow('ESRCH');
    } else process.kill(Number(pid), 'SIGKILL');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'is removed, and its processes are ended, when the run gets %s',
    async (signal) => {
      const script = `
        import * as module from './scripts/temporary-folder.mjs';
        process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
        await module.withTemporaryFolder(async (run) => {
          const pid = await ${START_PROCESS};
          await ${WRITE_FILE};
          console.log(pid);
          setInterval(() => 0, 1e6);
          await new Promise(() => undefined);
        });`;
      const run = spawn(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: ROOT,
        env: { ...process.env, TMPDIR: folder },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const pid = await new Promise<number>((settle) =>
        createInterface(run.stdout).once('line', (line) => settle(Number(line))),
      );
      expect(await readdir(folder)).toHaveLength(1);
      // To the whole group, as a terminal does.
      process.kill(-run.pid!, signal);
      await until(async () => (await readdir(folder)).length === 0);
      if (existsSync('/proc/self/environ')) await until(() => Promise.resolve(!isThere(pid)));
      else process.kill(pid, 'SIGKILL');
    },
  );
});
