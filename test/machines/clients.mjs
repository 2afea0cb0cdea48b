// Clients of a site, each at its own work until it is over. Whatever they have written they look for at once, through whichever
// machine the proxy chooses.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { call } from '../crash/creators.mjs';
import { git } from '../crash/workspace.mjs';
import { requestMerged, requestOpened } from '../faults/events.mjs';

const PAUSE_MS = 500;
const PAUSE_UNANSWERED_MS = 500;
const MERGED_MS = 60_000;
const GIT_LIMIT_SECONDS = '60';

/** What was not answered, or with an error of the server, so that the client begins something else. */
class NotServed extends Error {}

export class Clients {
  #names = 0;

  /** @param project whose repository they work on */
  constructor({ site, ledger, random, project, folder }) {
    Object.assign(this, { site, ledger, random, project, folder });
  }

  /** @param isOver ends them */
  async workUntil(isOver) {
    const clients = [
      () => this.#changeIssue(),
      () => this.#commit(this.#name('own')),
      () => this.#commit('master'),
      () => this.#commit('master'),
      () => this.#clone(),
      () => this.#merge(),
    ];
    await Promise.all(clients.map((work) => this.#repeat(work, isOver)));
  }

  async #repeat(work, isOver) {
    while (!isOver()) {
      try {
        await work();
        await delay(PAUSE_MS);
      } catch (error) {
        if (!(error instanceof NotServed)) throw error;
        await delay(PAUSE_UNANSWERED_MS);
      }
    }
  }

  async #changeIssue() {
    const issues = `/projects/${this.project.id}/issues`;
    const { id } = await this.#ask('POST', issues, { title: this.#name('changed') });
    const title = this.#name('changed');
    await this.#ask('PUT', `${issues}/${id}`, { title });
    const found = await this.#ask('GET', `${issues}/${id}`);
    this.#expectFresh('the title of an issue', found.title, title);
    const listed = await this.#ask('GET', issues);
    this.#expectFresh('a list of issues', listed.find((each) => each.id === id)?.title, title);
  }

  /** Commits to a branch, which is made where it is not there. */
  async #commit(branch) {
    const own = branch !== 'master';
    if (own)
      await this.#ask('POST', `${this.#repository}/branches`, {
        branch_name: branch,
        ref: 'master',
      });
    const { id, message } = await this.#addFile(branch);
    const shown = await this.#ask(
      'GET',
      `${this.#repository}/files?file_path=${message}&ref=${branch}`,
    );
    this.#expectFresh('a file', Buffer.from(shown.content, 'base64').toString(), message);
    const listed = await this.#ask(
      'GET',
      `${this.#repository}/commits?ref_name=${branch}&per_page=100`,
    );
    const has = listed.some((commit) => commit.id === id);
    this.#expectFresh('a list of commits', has, true);
    const { commit } = await this.#ask('GET', `${this.#repository}/branches/${branch}`);
    if (own) this.#expectFresh('a branch', commit.id, id);
  }

  async #addFile(branch) {
    const message = this.#name('file');
    const actions = [{ action: 'create', file_path: message, content: message }];
    const body = { branch_name: branch, commit_message: message, actions };
    const { id } = await this.#ask('POST', `${this.#repository}/commits`, body);
    this.ledger.commits.set(message, { id, branch });
    return { id, message };
  }

  async #clone() {
    const known = [...this.ledger.commits.values()]
      .filter(({ branch }) => branch === 'master')
      .at(-1);
    if (known === undefined) return;
    const folder = path.join(this.folder, this.#name('clone'));
    const url = `${this.site.url}/root/${this.project.path}.git`;
    const limited = ['-c', 'http.lowSpeedLimit=1', '-c', `http.lowSpeedTime=${GIT_LIMIT_SECONDS}`];
    const { code, stderr } = await git([...limited, 'clone', '--quiet', '--bare', url, folder]);
    if (code !== 0) this.#notServed('a clone', stderr);
    this.ledger.succeed();
    const ancestry = ['merge-base', '--is-ancestor', known.id, 'master'];
    const has = await git([`--git-dir=${folder}`, ...ancestry]);
    this.#expectFresh('a clone', has.code, 0);
    await rm(folder, { recursive: true });
  }

  /** Has a merge request merged when its build succeeds. */
  async #merge() {
    const { ledger } = this;
    const topic = this.#name('topic');
    await this.#ask('POST', `${this.#repository}/branches`, { branch_name: topic, ref: 'master' });
    const { id: sha } = await this.#addFile(topic);
    const status = (state) =>
      this.#ask('POST', `/projects/${this.project.id}/statuses/${sha}`, { state, ref: topic });
    await status('pending');
    const opened = ledger.begin(`request ${topic}`, { merges: [requestOpened(topic)] });
    const merged = ledger.begin(`merge ${topic}`, { merges: [requestMerged(topic)] });
    const requests = `/projects/${this.project.id}/merge_requests`;
    const branches = { source_branch: topic, target_branch: 'master' };
    const { id } = await this.#ask('POST', requests, { ...branches, title: topic });
    ledger.acknowledge(opened);
    await this.#ask('PUT', `${requests}/${id}/merge`, { merge_when_build_succeeds: true });
    await status('success');
    const end = performance.now() + MERGED_MS;
    for (;;) {
      const { state } = await this.#ask('GET', `${requests}/${id}`);
      if (state === 'merged') return void ledger.acknowledge(merged);
      if (performance.now() > end) {
        ledger.problems.push(`${topic} is ${state} a minute after its build succeeded`);
        return;
      }
      await delay(PAUSE_MS);
    }
  }

  get #repository() {
    return `/projects/${this.project.id}/repository`;
  }

  /** @throws NotServed where there is no answer, or an error of the server; refusals are problems, too */
  async #ask(method, address, body) {
    const answer = await call(method, `${this.site.url}/api/v3${address}`, body);
    const what = `${method} ${address}`;
    if (answer === null || answer.status >= 500) this.#notServed(what, answer);
    this.ledger.succeed();
    if (answer.status === 200) return answer.body;
    this.ledger.problems.push(
      `${what} is answered ${answer.status} ${JSON.stringify(answer.body)}`,
    );
    throw new NotServed(what);
  }

  #notServed(what, answer) {
    this.ledger.fail(what, answer);
    throw new NotServed(what);
  }

  #expectFresh(what, found, expected) {
    this.ledger.reads += 1;
    if (found === expected) return;
    this.ledger.problems.push(`${what} is stale: ${found} instead of ${expected}`);
  }

  #name(kind) {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  }
}
