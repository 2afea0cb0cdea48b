import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { end, start } from '../children.mjs';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));

/** The plain ways to do what the service does, in a process of their own. */
export class Baseline {
  #child;

  constructor(child, port) {
    this.#child = child;
    this.port = port;
  }

  /** @param {import('./server.mjs').Settings} settings */
  static async start(settings) {
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
    const child = start(process.execPath, [SERVER], { stdio });
    child.send(settings);
    const [port] = await once(child, 'message');
    return new Baseline(child, port);
  }

  /** @param {string} path `/rows/…` or `/git/…` */
  url(path) {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The address of a repository under the root of `git http-backend`, by its path there. */
  gitUrl(path, { username, password } = {}) {
    const user = username === undefined ? '' : `${username}:${password}@`;
    return `http://${user}127.0.0.1:${this.port}/${path}`;
  }

  stop() {
    return end(this.#child);
  }
}
