import path from 'node:path';
import { git, tryGit } from '../unit/git/support/workshop.js';

/**
 * A bare repository with this project's own history where the tests run in a clone of it, else with
 * that of a small stand-in.
 * @param folder where it is made
 */
export async function ownHistory(folder: string): Promise<string> {
  const source = path.join(folder, 'own.git');
  const options = ['--quiet', '--bare', '--no-local'];
  const own = await tryGit(['clone', ...options, process.cwd(), source], { cwd: folder });
  const isShallow =
    own.code === 0 &&
    (await git(['rev-parse', '--is-shallow-repository'], { cwd: source })) === 'true';
  return own.code === 0 && !isShallow ? withBranch(source) : standIn(folder);
}

/** A checkout of a commit without a branch has nothing to push. */
async function withBranch(source: string): Promise<string> {
  const branches = await git(['for-each-ref', 'refs/heads'], { cwd: source });
  if (branches === '') await git(['branch', 'checked-out', 'HEAD'], { cwd: source });
  return source;
}

async function standIn(folder: string): Promise<string> {
  const source = path.join(folder, 'stand-in.git');
  await git(['init', '--quiet', '--bare', source]);
  const who = 'Ada <ada@example.com> 1700000000 +0000';
  const commit = (number: number): string =>
    `commit refs/heads/master\ncommitter ${who}\ndata 1\n${String(number)}\n` +
    `M 100644 inline file.txt\ndata 1\n${String(number)}\n`;
  const input = Array.from({ length: 5 }, (_, number) => commit(number)).join('');
  await git(['fast-import', '--quiet'], { cwd: source, input });
  return source;
}
