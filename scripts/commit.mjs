// Which commit was built, for the version that the program shows. A package and an image have no .git, so that the build
// leaves it in dist.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inRoot, ROOT } from './paths.mjs';

const STAMP = inRoot('dist', '.commit');
const DIGITS = 7;
const COMMIT = /^[0-9a-f]{7,64}$/;
/** Replaced by `git archive` (.gitattributes). */
const ARCHIVED = '$Format:%H$';

const git = async (...args) => (await promisify(execFile)('git', args, { cwd: ROOT })).stdout;

/** The commit of a clone, marked where what is built differs from it. */
async function commitOfClone(inputs) {
  // Otherwise git would find a repository that this folder lies in.
  if (!existsSync(inRoot('.git'))) return undefined;
  try {
    const commit = (await git('rev-parse', 'HEAD')).slice(0, DIGITS);
    const changes = await git('--no-optional-locks', 'status', '--porcelain', '--', ...inputs);
    return changes === '' ? commit : `${commit}.dirty`;
  } catch {
    // A clone of another account, for example.
    return undefined;
  }
}

/** The commit of sources without a history: named by `TRELLIS_COMMIT`, or by `git archive`. */
function commitOfSources() {
  const named = [process.env.TRELLIS_COMMIT ?? '', ARCHIVED].find((text) => COMMIT.test(text));
  return named?.slice(0, DIGITS);
}

/**
 * Leaves in dist which commit was built, or a digest of the sources where that is unknown.
 * @param {{ inputs: string[], fingerprint: string }} build what it reads
 */
export async function stampCommit({ inputs, fingerprint }) {
  await write(
    (await commitOfClone(inputs)) ?? commitOfSources() ?? `src.${fingerprint.slice(0, DIGITS)}`,
  );
}

/**
 * Notes the commit of a clone whose build is up to date. The noted one stays where an account runs the build of another: git then
 * answers nothing, or dist cannot be written.
 */
export async function updateCommit(inputs) {
  const commit = await commitOfClone(inputs);
  if (commit !== undefined) await write(commit).catch(() => undefined);
}

async function write(commit) {
  if ((await readFile(STAMP, 'utf8').catch(() => '')) === commit) return;
  // Processes that start meanwhile read the whole.
  const draft = `${STAMP}.${process.pid}`;
  await writeFile(draft, commit);
  await rename(draft, STAMP);
}
