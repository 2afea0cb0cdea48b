// What an attack has at hand: accounts, projects, clients, and where it notes what it is answered.
import { setMaxListeners } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sshpk from 'sshpk';
import { ask, HeldConnection } from './http-client.mjs';
import { gitAnswer, GitClient, isShownByGit } from './git-client.mjs';

/** The service refuses what an attack has to prepare, and says so; there is nothing to attack then. */
export class Refused extends Error {}

export class World {
  #names = 0;
  #held = [];
  /** Aborted when the attack has to come to its end, and when its requests are cut off. */
  #ending = new AbortController();
  #end = new AbortController();
  /** By answer: how often, and whether it is a clear one. */
  answers = new Map();

  /**
   * @param setup `url`, `sshPort`, `users` (`mallory`, `mate`: `username`, `token`, `basic`, `password`,
   *   `id`), `rootToken`, `folder`
   */
  constructor(setup, random) {
    Object.assign(this, setup);
    this.random = random;
    // Each request that waits listens to it.
    setMaxListeners(Infinity, this.#end.signal);
  }

  get port() {
    return Number(new URL(this.url).port);
  }

  /** Whether nothing new is to be begun. */
  get isOver() {
    return this.#ending.signal.aborted;
  }

  /**
   * Attacks until the limit, waits for answers as long again as `graceMs`, and notes what came.
   * @param notingMs for requests that were cut off to be noted
   */
  async limit({ limitMs, graceMs, notingMs }, work) {
    const timers = [
      setTimeout(() => this.#ending.abort(), limitMs),
      setTimeout(() => this.#end.abort(), limitMs + graceMs),
    ];
    const cutOff = delay(limitMs + graceMs + notingMs);
    await Promise.race([work(), cutOff]);
    for (const timer of timers) clearTimeout(timer);
    if (this.answers.size === 0 && this.#held.length === 0) this.note('unanswered', false);
    this.#release();
  }

  get mallory() {
    return this.users.mallory;
  }

  /** @param isClear whether it is an answer that a client can act upon */
  note(answer, isClear) {
    const known = this.answers.get(answer) ?? { count: 0, isClear };
    known.count += 1;
    this.answers.set(answer, known);
  }

  /** Sends a request and notes the answer. */
  async attack(request) {
    const answer = await ask(this.url, { from: '127.0.0.2', signal: this.#end.signal, ...request });
    const { text, isClear } = describe(answer, request.path ?? '');
    this.note(text, isClear);
    return answer;
  }

  /** Sends a request that is no attack. */
  quietly(request) {
    return ask(this.url, { token: this.mallory.token, ...request });
  }

  /** As `quietly`, and answers the body; throws when the request fails. */
  async must(request) {
    const { status, text } = await this.quietly({ keptBytes: Infinity, ...request });
    if (status !== null && status >= 200 && status < 300) return JSON.parse(text);
    const what = `${request.method} ${request.path}: ${status} ${text.slice(0, 200)}`;
    throw status !== null && status < 500 ? new Refused(what) : new Error(what);
  }

  /** @returns its `id`, `path` below the service and `git`, the client of its owner */
  async project({ owner = this.mallory, isPublic = false } = {}) {
    const name = this.#name('target');
    const { id } = await this.must({
      method: 'POST',
      path: '/api/v3/projects',
      token: owner.token,
      body: { name, visibility_level: isPublic ? 20 : 0 },
    });
    const git = await new GitClient({
      folder: path.join(this.folder, `${name}.git`),
      basic: owner.basic,
    }).create();
    return {
      id,
      owner,
      path: `/${owner.username}/${name}.git`,
      api: `/api/v3/projects/${id}`,
      git,
    };
  }

  /** Adds a key to the attacker's account; answers its private part. */
  async sshKey() {
    const key = sshpk.generatePrivateKey('ed25519');
    const body = { title: 'A key', key: key.toPublic().toString('ssh') };
    await this.must({ method: 'POST', path: '/api/v3/user/keys', body });
    return key.toString('openssh');
  }

  async issue(project, fields) {
    return this.must({
      method: 'POST',
      path: `${project.api}/issues`,
      body: { title: 'An issue', ...fields },
    });
  }

  /** Pushes as part of the preparation. */
  async pushQuietly(project, refs = ['refs/*:refs/*']) {
    const result = await project.git.run([
      'push',
      '--quiet',
      `${this.url}${project.path}`,
      ...refs,
    ]);
    if (result.code === 0) return;
    const answer = gitAnswer(result, false);
    throw isShownByGit(answer) ? new Refused(answer) : new Error(result.stderr.slice(0, 500));
  }

  /** Pushes, and notes what git shows. */
  async push(project, refs = ['refs/*:refs/*']) {
    const { signal } = this.#end;
    const args = ['push', '--quiet', `${this.url}${project.path}`, ...refs];
    return this.noteGit('push', await project.git.run(args, [], { signal }));
  }

  /** @returns whether git succeeded */
  noteGit(what, result) {
    const answer = gitAnswer(result, this.#end.signal.aborted);
    const isAccepted = answer === 'accepted';
    this.note(`${what}: ${answer}`, isAccepted || isShownByGit(answer));
    return isAccepted;
  }

  /** A connection that is held until the attack ends; what came back by then is noted. */
  hold(options = {}) {
    const connection = new HeldConnection({ port: this.port, ...options });
    this.#held.push(connection);
    return connection;
  }

  /** Resolves when the time of the attack is over. */
  async untilOver() {
    if (this.isOver) return;
    await new Promise((resolve) => {
      this.#ending.signal.addEventListener('abort', resolve, { once: true });
    });
  }

  /** Repeats something until the attack's time is over, at most so many times. */
  async repeat(times, work) {
    for (let index = 0; index < times && !this.isOver; index += 1) await work(index);
  }

  /** Does something so many times at once. */
  many(count, work) {
    return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
  }

  /** Notes how the held connections stand, and closes them. */
  #release() {
    for (const connection of this.#held) {
      const line = connection.firstLine();
      const status = /^HTTP\/1\.1 (\d+)/.exec(line ?? '')?.[1];
      if (status !== undefined) this.note(`held ${status}`, Number(status) < 500);
      else this.note(connection.isClosed ? 'held, closed' : 'held, waiting', true);
      connection.close();
    }
  }

  #name(prefix) {
    this.#names += 1;
    return `${prefix}-${this.random.integer(0, 2 ** 31)}-${this.#names}`;
  }
}

function describe({ status, end, headers, text }, requestPath) {
  if (status === null)
    return { text: end === 'open' ? 'unanswered' : 'connection broken', isClear: false };
  if (status === 429 && headers['retry-after'] === undefined) {
    return { text: '429 without Retry-After', isClear: false };
  }
  const isApi = requestPath.startsWith('/api/');
  if (isApi && status >= 400 && !isJson(text))
    return { text: `${status} without JSON`, isClear: false };
  return { text: String(status), isClear: status < 500 };
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
