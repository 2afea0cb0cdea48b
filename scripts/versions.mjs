import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Problem } from './problem.mjs';

const NODE = { least: [20, 19], text: '20.19' };
const GIT = { least: [2, 38], text: '2.38' };

function isAtLeast(version, least) {
  const parts = version.split('.').map(Number);
  for (const [index, number] of least.entries()) {
    if ((parts[index] ?? 0) !== number) return (parts[index] ?? 0) > number;
  }
  return true;
}

/** @throws Problem when this Node is too old */
export function checkNode(version = process.versions.node) {
  if (isAtLeast(version, NODE.least)) return;
  throw new Problem(
    `Node ${version} is too old: Trellis needs ${NODE.text} or newer.\n` +
      'Install a current release from https://nodejs.org, your package manager or nvm, and start again.',
  );
}

/** @throws Problem when git is missing or too old */
export async function checkGit() {
  const install =
    'Install it from https://git-scm.com or with your package manager (apt-get install git, dnf install git, brew install git), and start again.';
  const output = await promisify(execFile)('git', ['--version']).catch(() => undefined);
  if (output === undefined) {
    throw new Problem(`git was not found: Trellis needs ${GIT.text} or newer.\n${install}`);
  }
  const version = /\d+(\.\d+)+/.exec(output.stdout)?.[0] ?? '0';
  if (isAtLeast(version, GIT.least)) return;
  throw new Problem(`git ${version} is too old: Trellis needs ${GIT.text} or newer.\n${install}`);
}
