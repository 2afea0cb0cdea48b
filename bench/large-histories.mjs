import { git } from './git.mjs';

/** Each of them has so many branches besides `main`. */
export const MOST_BRANCHES = 80;
const COMMITS_OF_A_BRANCH = 3;
const FOLDERS = 50;
const FILES = 1_000;
const EPOCH = 1_000_000_000;
const MINUTE = 60;

export const branchName = (index) => `branch-${String(index).padStart(3, '0')}`;

/** A line of commits as `main`, and branches of a few commits all along it: nothing is named `master`. */
function* stream(commits) {
  for (let index = 1; index <= commits; index += 1) {
    const path = `folder-${index % FOLDERS}/file-${index % FILES}.txt`;
    yield commit('main', index * MINUTE, index === 1 ? '' : `from :${index - 1}\n`, path, index);
  }
  for (let branch = 1; branch <= MOST_BRANCHES; branch += 1) {
    const base = Math.floor((commits * branch) / (MOST_BRANCHES + 1));
    for (let step = 1; step <= COMMITS_OF_A_BRANCH; step += 1) {
      const from = step === 1 ? `from :${base}\n` : '';
      yield commit(branchName(branch), base * MINUTE + step, from, `side-${branch}.txt`, step);
    }
  }
}

let marks = 0;

function commit(branch, seconds, from, path, number) {
  marks = branch === 'main' ? number : marks + 1;
  const text = `${number}\n`;
  return [
    `commit refs/heads/${branch}\nmark :${marks}\n`,
    `committer Bench <bench@example.com> ${EPOCH + seconds} +0000\ndata 7\nChange\n\n`,
    `${from}M 100644 inline ${path}\ndata ${text.length}\n${text}\n`,
  ].join('');
}

/**
 * Makes a bare repository with so many commits on `main`.
 * @param {string} folder
 * @param {number} commits
 */
export async function generateLargeHistory(folder, commits) {
  await git(['init', '--quiet', '--bare', '--initial-branch=main', folder]);
  await git(['-C', folder, 'fast-import', '--quiet'], { input: batches(stream(commits)) });
}

/** Larger pieces, which are passed on with less ado. */
function* batches(lines) {
  let batch = [];
  for (const line of lines) {
    batch.push(line);
    if (batch.length < FILES) continue;
    yield batch.join('');
    batch = [];
  }
  yield batch.join('');
}
