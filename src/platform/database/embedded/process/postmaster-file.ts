import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a running server says about itself in its folder's `postmaster.pid`. */
export interface PostmasterFile {
  readonly path: string;
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** Undefined when there is no such file, or not yet a whole one. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const path = join(cluster, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isSafeInteger(pid) || pid === 0) return undefined;
  return { path, pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}
