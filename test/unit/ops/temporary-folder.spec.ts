import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate } from './script-modules.js';
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

  it('is removed after a run that leaves nothing', async () => {
    expect(await withTemporaryFolder('7')).toEqual({ result: 7, left: [] });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is kept with what a run has left in it', async () => {
    const { left } = await withTemporaryFolder(WRITE_FILE);
    expect(left).toEqual([expect.stringMatching(/^folder .+\/tmp\/forgotten$/)]);
    expect(existsSync(left[0]!.replace('folder ', ''))).toBe(true);
  });

  it('shows processes that still run, and they are ended', async () => {
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
});
