// What a small instance holds, made over the API and with git. Suites say how much there is of each kind.
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run, until } from '../crash/processes.mjs';
import { TOKEN } from '../crash/service.mjs';

const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
const LIMIT_MS = 60_000;
const EVENTS = ['issues_events', 'merge_requests_events', 'note_events', 'push_events'];

/** Calls the API as the administrator, or in the name of another user. */
export class Api {
  /** @param {string} url of the service */
  constructor(url) {
    this.url = url;
  }

  get = (route) => this.#call('GET', route);
  post = (route, body = {}) => this.#call('POST', route, body);
  put = (route, body = {}) => this.#call('PUT', route, body);
  delete = (route) => this.#call('DELETE', route);

  async #call(method, route, body) {
    const response = await fetch(`${this.url}/api/v3${route}`, {
      method,
      headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

/** A work tree of a project, pushed to over HTTP. */
export class Checkout {
  constructor(folder, remote, env) {
    this.folder = folder;
    this.remote = remote;
    this.env = { ...process.env, ...env };
  }

  /** @param service the URL of the service; @param project its path with its namespace; @param env of git */
  static async create(parent, service, project, env = {}) {
    const folder = await mkdtemp(path.join(parent, 'checkout-'));
    const remote = new URL(`/${project}.git`, service);
    Object.assign(remote, { username: 'root', password: TOKEN });
    const checkout = new Checkout(folder, remote.href, env);
    await checkout.git('init', '--quiet', '--initial-branch=master');
    return checkout;
  }

  async git(...args) {
    const { code, stdout, stderr } = await run('git', [...AUTHOR, ...args], {
      cwd: this.folder,
      env: this.env,
    });
    if (code !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
    return stdout.trim();
  }

  async commit(file, message) {
    await writeFile(path.join(this.folder, file), `${message}\n`);
    await this.git('add', file);
    await this.git('commit', '--quiet', '--message', message);
  }

  push(...refs) {
    return this.git('push', '--quiet', this.remote, ...refs);
  }
}

/** The group `crew` with the project `engine`, and `mill`, which is about to be removed. */
export class Example {
  constructor(url, folder) {
    this.api = new Api(url);
    this.folder = folder;
  }

  /** Makes what the worker settles before the release is stopped. @param hookUrl is delivered to */
  async create(hookUrl) {
    const { api } = this;
    const { id: group } = await api.post('/groups', { name: 'Crew', path: 'crew' });
    for (const name of ['ada', 'bob', 'cleo']) {
      const { id } = await this.#user(name);
      await api.post(`/groups/${group}/members`, { user_id: id, access_level: 30 });
    }
    const project = await api.post('/projects', { name: 'engine', namespace_id: group });
    await api.post('/projects', { name: 'mill', namespace_id: group });
    this.project = `/projects/${project.id}`;
    this.checkout = await Checkout.create(this.folder, api.url, 'crew/engine');
    const { checkout, project: base } = this;
    await checkout.commit('README.md', 'Begin');
    await checkout.commit('boiler.txt', 'Build the boiler');
    await checkout.git('branch', 'feature');
    await checkout.git('branch', 'done');
    await checkout.git('tag', 'v1');
    for (const branch of ['feature', 'done']) {
      await checkout.git('switch', '--quiet', branch);
      await checkout.commit(`${branch}.txt`, `Work on ${branch}`);
    }
    await checkout.push('master', 'v1');
    await checkout.push('feature', 'done');
    await api.post(`${base}/hooks`, {
      url: hookUrl,
      token: 'the token of the hook',
      ...Object.fromEntries(EVENTS.map((event) => [event, true])),
    });
    await this.#plan();
    await this.#propose();
  }

  /** Makes what no worker has seen yet when the release is stopped. */
  async leaveJobs() {
    const { api, checkout, project } = this;
    await checkout.git('switch', '--quiet', 'feature');
    await checkout.commit('later.txt', 'Go on');
    await checkout.git('switch', '--quiet', 'master');
    await checkout.commit('valve.txt', 'Mend the valve, fixes #2');
    await checkout.push('feature');
    await checkout.push('master');
    await api.post(`${project}/issues`, { title: 'Reported before the upgrade' });
    await api.delete('/projects/crew%2Fmill');
  }

  #user(username) {
    const password = `password of ${username}`;
    const email = `${username}@example.com`;
    return this.api.post('/users', { username, name: username, email, password });
  }

  /** Six issues, two of them closed and one confidential; notes and votes on the first. */
  async #plan() {
    const { api, project } = this;
    await api.post(`${project}/labels`, { name: 'bug', color: '#cc0000' });
    const milestone = await api.post(`${project}/milestones`, { title: '1.0' });
    const issues = [];
    for (let number = 1; number <= 6; number += 1) {
      const issue = { title: `Issue ${number}`, confidential: number === 6 };
      issues.push(await api.post(`${project}/issues`, issue));
    }
    const [first, , , fourth, fifth] = issues.map(({ id }) => `${project}/issues/${id}`);
    await api.put(first, { labels: 'bug', milestone_id: milestone.id });
    for (const by of ['', '?sudo=ada', '?sudo=bob']) {
      await api.post(`${first}/notes${by}`, { body: 'A note for @bob' });
    }
    await api.post(`${first}/award_emoji?sudo=ada`, { name: 'thumbsup' });
    await api.post(`${first}/award_emoji?sudo=bob`, { name: 'thumbsup' });
    await api.post(`${first}/award_emoji?sudo=cleo`, { name: 'thumbsdown' });
    for (const issue of [fourth, fifth]) await api.put(issue, { state_event: 'close' });
  }

  /** A merged and an open merge request; two notes and a vote on the open one. */
  async #propose() {
    const { api, project } = this;
    const open = (branch) =>
      api.post(`${project}/merge_requests`, {
        source_branch: branch,
        target_branch: 'master',
        title: `Merge ${branch}`,
      });
    const [done, feature] = [await open('done'), await open('feature')];
    await api.put(`${project}/merge_requests/${done.id}/merge`);
    const own = `${project}/merge_requests/${feature.id}`;
    for (const body of ['Looks good', 'One question']) await api.post(`${own}/notes`, { body });
    await api.post(`${own}/award_emoji?sudo=bob`, { name: 'thumbsup' });
    await this.checkout.git('switch', '--quiet', 'master');
    await this.checkout.git('pull', '--quiet', '--rebase', this.checkout.remote, 'master');
  }
}

/** Waits for a condition, and says what it waited for in vain. */
export async function eventually(what, condition) {
  const answer = await until(condition, LIMIT_MS);
  if (!answer) throw new Error(`Waited in vain: ${what}`);
  return answer;
}
