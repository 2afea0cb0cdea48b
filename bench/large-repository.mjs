import { randomBytes } from 'node:crypto';
import { git } from './git.mjs';

const MIB = 1024 * 1024;
const BLOBS = 500;

function* stream() {
  for (let index = 1; index <= BLOBS; index += 1) {
    yield `blob\nmark :${index}\ndata ${MIB}\n`;
    yield randomBytes(MIB);
    yield '\n';
  }
  yield 'commit refs/heads/master\ncommitter Bench <bench@example.com> 1577836800 +0000\n';
  yield 'data 5\nLarge\n';
  for (let index = 1; index <= BLOBS; index += 1) yield `M 100644 :${index} blob-${index}\n`;
}

/**
 * Makes a bare repository of 500 MB that no compression makes smaller.
 * @param {string} folder
 */
export async function generateLargeRepository(folder) {
  await git(['init', '--quiet', '--bare', '--initial-branch=master', folder]);
  for (const setting of ['core.compression=0', 'core.bigFileThreshold=500k']) {
    await git(['-C', folder, 'config', ...setting.split('=')]);
  }
  await git(['-C', folder, 'fast-import', '--quiet'], { input: stream() });
}
