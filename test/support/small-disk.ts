import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A file system of a few megabytes that only processes see which are started within it. It needs no account but the present
 * one, and is unmounted when the process ends that holds it. Needs `unshare` and `nsenter`.
 */
export class SmallDisk {
  private constructor(
    /** The mount point, as processes within see it. */
    readonly folder: string,
    private readonly holder: ChildProcess,
    private readonly pid: number,
  ) {}

  static async mount(megabytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(path.join(tmpdir(), 'trellis-disk-'));
    const script = 'mount -t tmpfs -o "size=$1m,mode=700" none "$0" && echo mounted && exec cat';
    const account = isRoot ? [] : ['--user', '--map-root-user'];
    const args = [...account, '--mount', 'sh', '-c', script, folder, String(megabytes)];
    const holder = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const [text] = (await Promise.race([
      once(holder.stdout, 'data'),
      once(holder, 'close').then(() => ['']),
    ])) as [Buffer | string];
    const { pid } = holder;
    if (!String(text).includes('mounted') || pid === undefined)
      throw new Error('It was not mounted');
    return new SmallDisk(folder, holder, pid);
  }

  /** The words of a command that runs others within. */
  get within(): string[] {
    const account = isRoot ? [] : ['--user', '--preserve-credentials'];
    return ['nsenter', '--target', String(this.pid), ...account, '--mount', '--wd=.'];
  }

  /** Fills what is left of it with a file. */
  async fill(): Promise<void> {
    const block = Buffer.alloc(64 * 1024, 1);
    await writeFile(this.filler, '');
    for (;;) {
      try {
        await writeFile(this.filler, block, { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
        throw error;
      }
    }
  }

  /** Deletes that file. */
  async free(): Promise<void> {
    await rm(this.filler);
  }

  async unmount(): Promise<void> {
    const ended = once(this.holder, 'close');
    this.holder.stdin?.end();
    await ended;
    await rm(this.folder, { recursive: true });
  }

  /** As processes outside see it. */
  private get filler(): string {
    return path.join(`/proc/${String(this.pid)}/root`, this.folder, 'filler');
  }
}

const isRoot = process.getuid?.() === 0;
