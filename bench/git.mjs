import { access } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { start } from './children.mjs';

/** Nothing of the machine's or the user's configuration takes part. */
const ENVIRONMENT = {
  PATH: process.env.PATH,
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.com',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.com',
};

/**
 * Runs the machine's git and answers its output.
 * @param {readonly string[]} args
 * @param {{ input?: Iterable<string | Buffer> | AsyncIterable<string | Buffer> }} [options]
 * @throws Error with git's own messages when it fails
 */
export async function git(args, { input } = {}) {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const child = start('git', args, { env: ENVIRONMENT, stdio: [stdin, 'pipe', 'pipe'] });
  const closed = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const output = textOf(child.stdout);
  const messages = textOf(child.stderr);
  if (input !== undefined) await feed(input, child.stdin);
  if ((await closed) !== 0) throw new Error(`git ${args.join(' ')} failed:\n${await messages}`);
  return await output;
}

/** Whether the machine's git comes with the program that serves it over HTTP. */
export async function hasHttpBackend() {
  const folder = (await git(['--exec-path'])).trim();
  return await access(path.join(folder, 'git-http-backend')).then(
    () => true,
    () => false,
  );
}

async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function feed(input, stdin) {
  try {
    await pipeline(Readable.from(input, { objectMode: false }), stdin);
  } catch (error) {
    // A git that has died says more by its exit code.
    if (error.code !== 'EPIPE') throw error;
  }
}
