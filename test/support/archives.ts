import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { git } from '../unit/git/support/workshop.js';

const run = promisify(execFile);

export interface ArchiveTerms {
  format: 'tar' | 'zip';
  commit: string;
  /** What everything in it is in. */
  folder: string;
}

/** An archive as plain git makes it. @param scratch a folder to work in */
export async function archiveMadeByGit(
  cwd: string,
  scratch: string,
  { format, commit, folder }: ArchiveTerms,
): Promise<Buffer> {
  const file = path.join(scratch, 'expected');
  const options = [`--format=${format}`, `--prefix=${folder}/`, `--output=${file}`];
  await git(['archive', ...options, commit], { cwd });
  return readFile(file);
}

/** What is in an archive of the API: a tar file without its compression, a zip file as it is. */
export async function unpacked(
  extension: string,
  packed: Buffer,
  scratch: string,
): Promise<Buffer> {
  if (extension === 'tar.gz') return gunzipSync(packed);
  if (extension !== 'tar.bz2') return packed;
  const file = path.join(scratch, 'packed');
  await writeFile(file, packed);
  const options = { encoding: 'buffer', maxBuffer: 100_000_000 } as const;
  return (await run('bzip2', ['-dc', file], options)).stdout;
}
