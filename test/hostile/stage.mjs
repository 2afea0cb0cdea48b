// The service with the accounts of a campaign: attackers, and the user whose work they must not disturb.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../scripts/free-port.mjs';
import { built, ownDatabase } from '../crash/own-database.mjs';
import { Service, TOKEN } from '../crash/service.mjs';
import { ask } from './http-client.mjs';

const PASSWORD = 'password-of-the-hostile-campaign';
const PROJECTS_LIMIT = 100_000;
const SMALL_FILES = 5;

export class Stage {
  #names = ['bystander', 'mallory', 'mate'];
  /** By name: `id`, `username`, `token`, `password`, `basic`. */
  users = {};

  #steps = [];

  /**
   * Starts the service on a database of the script's own.
   * @param options.isApart whether api and worker are processes of their own
   * @param options.environment further variables
   */
  static async open(scratch, options) {
    const stage = new Stage();
    Object.assign(stage, { scratch, options });
    scratch.defer(() => stage.close());
    const folder = await mkdtemp(path.join(scratch.folder, 'stage-'));
    stage.folder = path.join(folder, 'attackers');
    await mkdir(stage.folder);
    stage.sshPort = await freePort();
    const database = await ownDatabase({ folder, defer: (step) => stage.#steps.push(step) });
    const environment = {
      ...{ SSH_PORT: String(stage.sshPort), WEBHOOK_ALLOW_LOCAL: 'true' },
      ...options.environment,
    };
    const roles = options.isApart ? ['api', 'worker'] : ['all'];
    stage.service = new Service({ main: built('main.js'), folder, database, roles, environment });
    stage.#steps.push(() => stage.service.destroy());
    await stage.service.start();
    for (const name of stage.#names) stage.users[name] = await stage.#account(name);
    await stage.#smallProject();
    return stage;
  }

  /** Ends this one and opens another, to which nothing of an attack clings: jobs come back after a kill. */
  async renew() {
    await this.close();
    return Stage.open(this.scratch, this.options);
  }

  /** Ends the service and its database. */
  async close() {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }

  get pids() {
    const { service } = this;
    return { api: service.pid(this.#apiRole), worker: service.pid('worker') };
  }

  /** What an attack has at hand. */
  get setup() {
    const { sshPort, users, folder } = this;
    return { url: this.service.url, sshPort, users, folder, rootToken: TOKEN };
  }

  /** What the probe asks, and as whom. */
  get probed() {
    const { token, basic } = this.users.bystander;
    const service = { url: this.service.url, pids: this.pids };
    return { service, user: { token, basic, clone: '/bystander/small.git' } };
  }

  get isRunning() {
    return this.service.ended().length === 0;
  }

  /** Kills the api with all its children, and starts what does not run. */
  async restart() {
    await this.service.kill(this.#apiRole, { withChildren: true });
    await this.service.start();
  }

  /** Removes the attackers' repositories, which may be large. */
  async tidy() {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
    await mkdir(this.folder);
  }

  get #apiRole() {
    return this.service.roles[0];
  }

  async #account(username) {
    const { id } = await this.#must(TOKEN, 'POST', '/users', {
      ...{ username, name: username, email: `${username}@example.com`, password: PASSWORD },
      projects_limit: PROJECTS_LIMIT,
    });
    const body = { login: username, password: PASSWORD };
    const { private_token: token } = await this.#must(undefined, 'POST', '/session', body);
    const basic = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
    return { id, username, token, password: PASSWORD, basic };
  }

  async #smallProject() {
    const { token } = this.users.bystander;
    const { id } = await this.#must(token, 'POST', '/projects', { name: 'small' });
    for (let index = 0; index < SMALL_FILES; index += 1) {
      await this.#must(token, 'POST', `/projects/${id}/repository/files`, {
        ...{ file_path: `file-${index}.txt`, content: `Content ${index}\n` },
        ...{ branch_name: 'master', commit_message: `Add file ${index}` },
      });
    }
  }

  async #must(token, method, route, body) {
    const request = { method, path: `/api/v3${route}`, token, body };
    const { status, text } = await ask(this.service.url, request);
    if (status !== 200) throw new Error(`${route} answers ${status} ${text}`);
    return JSON.parse(text);
  }
}
