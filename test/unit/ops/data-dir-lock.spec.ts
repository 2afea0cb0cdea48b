import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirInUseError, DataDirLock } from '../../../src/platform/database/embedded/index.js';
import { processStamp } from '../../../src/platform/database/embedded/process/process-info.js';

const CONTENDERS = 12;

describe('DataDirLock', () => {
  let folder: string;
  let dataDir: string;
  const children: ChildProcess[] = [];

  const bystander = (): number => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { stdio: 'ignore' });
    children.push(child);
    return child.pid ?? 0;
  };
  const leave = (pid: number, stamp: string, name = 'trellis.pid') =>
    writeFile(join(dataDir, name), `${pid}\n${stamp}\nmark\n`);
  const deadPid = async (): Promise<number> => {
    const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
    await once(child, 'exit');
    return child.pid ?? 0;
  };

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'trellis-lock-')));
    dataDir = join(folder, 'data');
    await mkdir(dataDir);
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('creates the folder, names its holder, and leaves nothing behind', async () => {
    const lock = await DataDirLock.take(join(dataDir, 'new', 'one'));
    expect(lock.dataDir).toBe(join(dataDir, 'new', 'one'));
    const text = await readFile(join(lock.dataDir, 'trellis.pid'), 'utf8');
    expect(text.split('\n')[0]).toBe(String(process.pid));
    await lock.release();
    expect(await readdir(lock.dataDir)).toEqual([]);
  });

  it('is refused while a live process holds it, by any path', async () => {
    const pid = bystander();
    await leave(pid, (await processStamp(pid)) ?? '');
    await symlink(dataDir, join(folder, 'alias'));
    for (const path of [dataDir, join(folder, 'alias')]) {
      const refused = DataDirLock.take(path);
      await expect(refused).rejects.toBeInstanceOf(DataDirInUseError);
      await expect(refused).rejects.toThrow(`${dataDir} is in use by process ${pid}`);
    }
    expect(await readdir(dataDir)).toEqual(['trellis.pid']);
  });

  it('is refused to its current holder', async () => {
    const lock = await DataDirLock.take(dataDir);
    await expect(DataDirLock.take(dataDir)).rejects.toMatchObject({ pid: process.pid });
    await lock.release();
    await (await DataDirLock.take(dataDir)).release();
  });

  it.each<[string, () => Promise<void>]>([
    ['of a dead process', async () => leave(await deadPid(), 'a/1')],
    ['of an earlier process with the id of a live one', async () => leave(bystander(), 'a/1')],
    ['that holds no process id', () => writeFile(join(dataDir, 'trellis.pid'), 'text')],
    ['that is empty', () => writeFile(join(dataDir, 'trellis.pid'), '')],
  ])('takes over a file %s', async (_, prepare) => {
    await prepare();
    const lock = await DataDirLock.take(dataDir);
    expect(await readdir(dataDir)).toEqual(['trellis.pid']);
    expect(await readFile(join(dataDir, 'trellis.pid'), 'utf8')).toMatch(`${process.pid}\n`);
    await lock.release();
  });

  it('is given to one of many contenders after the holder died', async () => {
    const dead = await deadPid();
    for (let round = 0; round < 20; round += 1) {
      await leave(dead, `round/${round}`);
      const results = await Promise.allSettled(
        Array.from({ length: CONTENDERS }, () => DataDirLock.take(dataDir)),
      );
      const winners = results.filter((result) => result.status === 'fulfilled');
      const losers = results.filter((result) => result.status === 'rejected');
      expect(winners).toHaveLength(1);
      expect(losers).toHaveLength(CONTENDERS - 1);
      for (const { reason } of losers) expect(reason).toBeInstanceOf(DataDirInUseError);
      expect(await readdir(dataDir)).toEqual(['trellis.pid']);
      await winners[0]?.value.release();
    }
  });

  it('continues after contenders died during a takeover', async () => {
    const dead = await deadPid();
    await leave(dead, 'a/1');
    const leftover = join(dataDir, `trellis.pid.draft-${dead}-0123`);
    await writeFile(leftover, 'half');
    const lock = await DataDirLock.take(dataDir);
    expect(await readdir(dataDir)).toEqual(['trellis.pid']);
    await lock.release();
  });

  it("does not remove a later holder's file", async () => {
    const lock = await DataDirLock.take(dataDir);
    const pid = bystander();
    await leave(pid, (await processStamp(pid)) ?? '');
    await lock.release();
    expect(await readdir(dataDir)).toEqual(['trellis.pid']);
  });
});
