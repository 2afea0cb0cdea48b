import { mkdir } from 'node:fs/promises';
import { run } from './processes.mjs';
import { TOKEN } from './service.mjs';

const BASIC = Buffer.from(`root:${TOKEN}`).toString('base64');
const ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'http.extraHeader',
  GIT_CONFIG_VALUE_0: `Authorization: Basic ${BASIC}`,
};
/** A push that the server neither finishes nor breaks off has gone wrong, too. */
const PUSH_LIMIT_SECONDS = '120';

/** Runs git as a user does. */
export const git = (args, options = {}) => run('git', args, { ...options, env: ENVIRONMENT });

/** Where one client makes its commits and pushes them from. */
export class Workspace {
  #counter = 0;

  constructor(folder, name) {
    this.folder = folder;
    this.name = name;
  }

  async create() {
    await mkdir(this.folder, { recursive: true });
    await this.#git(['init', '--quiet', '--bare']);
  }

  /** A commit on top of another, or the first of a history; no two are ever the same. */
  async commit(parent, bytes) {
    this.#counter += 1;
    return this.#import(`${this.name} ${this.#counter}`, parent, bytes);
  }

  /** A commit that is the same wherever it is made. */
  sharedCommit(name) {
    return this.#import(name, null, Buffer.from(name));
  }

  /** A tag object. */
  async tag(commit, name) {
    const text = `object ${commit}\ntype commit\ntag ${name}\ntagger ${WHO}\n\n${name}\n`;
    return this.#git(['hash-object', '-t', 'tag', '-w', '--stdin'], text);
  }

  /**
   * Pushes and says what the server answered for each ref: `done`, `unchanged` or the reason why
   * not; null when there was no answer.
   */
  async push(url, refspecs, { atomic = false } = {}) {
    const args = ['push', '--porcelain', ...(atomic ? ['--atomic'] : []), url, ...refspecs];
    const limited = ['-k', '1', PUSH_LIMIT_SECONDS, 'git', ...args];
    const { code, stdout, stderr } = await run('timeout', limited, {
      cwd: this.folder,
      env: ENVIRONMENT,
    });
    return { code, stderr, answers: answersOf(stdout) };
  }

  async #import(message, parent, bytes) {
    const stream = Buffer.concat([
      Buffer.from(`reset refs/heads/draft\n\ncommit refs/heads/draft\nmark :1\n`),
      Buffer.from(`committer ${WHO}\n`),
      data(Buffer.from(message)),
      Buffer.from(`${parent ? `from ${parent}\n` : ''}M 100644 inline content\n`),
      data(bytes),
      Buffer.from('get-mark :1\n'),
    ]);
    return this.#git(['fast-import', '--quiet', '--force'], stream);
  }

  async #git(args, input) {
    const { code, stdout, stderr } = await git(args, { cwd: this.folder, input });
    if (code !== 0) throw new Error(`git ${args[0]} fails: ${stderr}`);
    return stdout.trim();
  }
}

const WHO = 'Ada <ada@example.com> 1700000000 +0000';

const data = (bytes) =>
  Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);

/** By ref, from `git push --porcelain`. */
function answersOf(output) {
  const answers = new Map();
  for (const line of output.split('\n')) {
    const [, flag, ref, summary] = /^([ +\-*!=])\t[^\t]*:(refs\/[^\t]+)\t(.*)$/.exec(line) ?? [];
    if (ref === undefined) continue;
    if (flag !== '!') answers.set(ref, flag === '=' ? 'unchanged' : 'done');
    else answers.set(ref, summary.includes('remote failure') ? null : summary);
  }
  return answers;
}
