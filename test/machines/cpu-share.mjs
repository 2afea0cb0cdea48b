// A share of a processor for some processes and what they start, so that several machines can be compared on few processors.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { descendants } from '../crash/processes.mjs';

const PERIOD_US = 50_000;
/** Of Linux, by version: where groups are, and how the limit is written. */
const HIERARCHIES = [
  {
    root: '/sys/fs/cgroup/cpu',
    limits: (quota) => [
      ['cpu.cfs_period_us', String(PERIOD_US)],
      ['cpu.cfs_quota_us', String(quota)],
    ],
  },
  { root: '/sys/fs/cgroup', limits: (quota) => [['cpu.max', `${quota} ${PERIOD_US}`]] },
];

export class CpuShare {
  #folder;
  #root;

  /** @throws Error where the kernel's groups cannot be made */
  static async make(share) {
    for (const { root, limits } of HIERARCHIES) {
      const group = new CpuShare();
      group.#root = root;
      group.#folder = path.join(root, `trellis-${randomUUID()}`);
      const made = await mkdir(group.#folder).then(
        () => true,
        () => false,
      );
      if (!made) continue;
      for (const [file, value] of limits(Math.round(PERIOD_US * share))) {
        await writeFile(path.join(group.#folder, file), value);
      }
      return group;
    }
    throw new Error('No shares of processors here');
  }

  async add(pid) {
    for (const each of [pid, ...(await descendants(pid))]) await this.#move(this.#folder, each);
  }

  async remove() {
    const pids = await readFile(path.join(this.#folder, 'cgroup.procs'), 'utf8');
    for (const pid of pids.split('\n').filter(Boolean)) await this.#move(this.#root, pid);
    await rmdir(this.#folder);
  }

  /** One that has ended meanwhile is in no group. */
  #move(folder, pid) {
    return writeFile(path.join(folder, 'cgroup.procs'), String(pid)).catch(() => undefined);
  }
}
