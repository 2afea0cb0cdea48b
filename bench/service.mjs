import { openSync, closeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inRoot, MAIN } from '../scripts/paths.mjs';
import { end, hasEnded, start } from './children.mjs';
import { freePort } from '../scripts/free-port.mjs';

const USERNAME = 'root';
const TOKEN = 'bench-token-of-the-administrator';
const POLL_MS = 50;
const PATIENCE_MS = 60_000;

/** The service as operators run it: an api and a worker process, with their usual settings. */
export class Service {
  #folder;
  #environment;
  #processes = [];

  constructor(folder, environment) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /**
   * @param {{ folder: string, databaseUrl: string, profile?: boolean }} options `profile` writes
   *   what the processes spend their time on, when they end
   * @param {boolean} [options.withWorker] true unless told
   * @param {Record<string, string>} [options.environment] further settings
   */
  static async start({ folder, databaseUrl, profile, withWorker = true, environment = {} }) {
    const port = await freePort();
    const service = new Service(folder, {
      PATH: process.env.PATH,
      DATA_DIR: path.join(folder, 'data'),
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      SSH_PORT: 'off',
      ROOT_USERNAME: USERNAME,
      ROOT_TOKEN: TOKEN,
      ROOT_PASSWORD: TOKEN,
      ...environment,
    });
    service.port = port;
    await service.#migrate();
    const results = inRoot('bench', 'results');
    const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${results}`] : [];
    service.api = service.#launch('api', flags);
    await service.#untilReady();
    if (withWorker) service.worker = service.#launch('worker', flags);
    return service;
  }

  /** Starts one more worker process. */
  addWorker() {
    return this.#launch('worker');
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get headers() {
    return { 'PRIVATE-TOKEN': TOKEN };
  }

  /** Basic credentials that the service takes for Git over HTTP. */
  get credentials() {
    return { username: USERNAME, password: TOKEN };
  }

  get repositories() {
    return path.join(this.#environment.DATA_DIR, 'repositories');
  }

  apiUrl(route) {
    return `${this.url}/api/v3${route}`;
  }

  /** The address of a project for git, with a credential unless it is for anonymous clones. */
  gitUrl(project, { anonymous = false } = {}) {
    const { username, password } = this.credentials;
    const user = anonymous ? '' : `${username}:${password}@`;
    return `http://${user}127.0.0.1:${this.port}/${project.path_with_namespace}.git`;
  }

  /**
   * Calls the API as the administrator.
   * @throws Error for any answer but success
   */
  async call(method, route, body) {
    const response = await fetch(this.apiUrl(route), {
      method,
      headers: { ...this.headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async stop() {
    await Promise.all(this.#processes.map(end));
  }

  #launch(role, flags = [], args = ['start', role]) {
    const log = openSync(this.#logOf(role), 'a');
    const child = start(process.execPath, [...flags, MAIN, ...args], {
      cwd: inRoot(),
      env: this.#environment,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#processes.push(child);
    return child;
  }

  async #migrate() {
    const child = this.#launch('migrate', [], ['migrate']);
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw await this.#failure('migrate');
  }

  async #untilReady() {
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await fetch(`${this.url}/readyz`).catch(() => undefined))?.ok) {
      if (hasEnded(this.api) || Date.now() > deadline) throw await this.#failure('api');
      await delay(POLL_MS);
    }
  }

  async #failure(role) {
    return new Error(`The ${role} process failed:\n${await readFile(this.#logOf(role), 'utf8')}`);
  }

  #logOf(role) {
    return path.join(this.#folder, `${role}.log`);
  }
}
