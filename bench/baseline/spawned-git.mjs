import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { COMMIT_FORMAT, parseCommits } from '../commit-log.mjs';

const run = promisify(execFile);
const BRANCH_FORMAT =
  '--format=%(refname:short)%1f%(objectname)%1f%(parent)%1f%(authorname)%1f%(authoremail)%1f' +
  '%(authordate:iso-strict)%1f%(committername)%1f%(committeremail)%1f%(committerdate:iso-strict)%1f' +
  '%(contents)%1e';

const DIFF = ['diff-tree', '-r', '-p', '--find-renames'];

/** What a server costs that starts git for each request: `/git/<question>/<commit>`. */
export class SpawnedGit {
  #repository;

  constructor(repository) {
    this.#repository = repository;
  }

  async answer([question, commit]) {
    if (question === 'log') return parseCommits(await this.#git('log', '-20', COMMIT_FORMAT));
    if (question === 'branches') return this.#branches();
    if (question === 'diff') return this.#diff(commit);
    return parseCommits(await this.#git('show', '--shortstat', COMMIT_FORMAT, commit));
  }

  async #branches() {
    const output = await this.#git('for-each-ref', '--count=100', BRANCH_FORMAT, 'refs/heads');
    const records = output.split('\x1e\n').slice(0, -1);
    return records.map((record) => record.split('\x1f'));
  }

  /** Against the first parent, file by file. */
  async #diff(commit) {
    const output = await this.#git(...DIFF, `${commit}^`, commit);
    return output.split(/^(?=diff --git )/m).map((diff) => ({ diff }));
  }

  async #git(...args) {
    const { stdout } = await run('git', [`--git-dir=${this.#repository}`, ...args]);
    return stdout;
  }
}
