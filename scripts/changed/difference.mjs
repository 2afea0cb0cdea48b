import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inRoot } from '../paths.mjs';
import { Problem } from '../problem.mjs';

const BASES = ['origin/main', 'main'];

async function git(...args) {
  const { stdout } = await promisify(execFile)('git', args, { cwd: inRoot(), maxBuffer: 1e8 });
  return stdout.split('\n').filter((line) => line !== '');
}

/**
 * The files that differ from where the change began, in commits and in the working tree.
 * @param {string} [base] the branch that the change is for
 * @throws Problem where there is no such branch
 */
export async function findChanged(base) {
  const commit = await findBeginning(base === undefined ? BASES : [base]);
  const changed = await git('diff', '--name-only', '--no-renames', commit);
  const added = await git('ls-files', '--others', '--exclude-standard');
  return [...new Set([...changed, ...added])].sort();
}

/** The files of the last commit; none for the first commit of a history. */
export function findLastCommit() {
  return git('diff', '--name-only', '--no-renames', 'HEAD^', 'HEAD').catch(() => []);
}

async function findBeginning(branches) {
  for (const branch of branches) {
    const [commit] = await git('merge-base', 'HEAD', branch).catch(() => []);
    if (commit !== undefined) return commit;
  }
  throw new Problem(
    `There is no branch ${branches.join(' or ')} to compare with; name one by --base.`,
  );
}
