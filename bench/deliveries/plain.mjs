import { fileURLToPath } from 'node:url';
import { end, start } from '../children.mjs';

const PROCESS = fileURLToPath(new URL('plain-process.mjs', import.meta.url));

/** The plain ways to queue and to deliver, in a process of their own. */
export class Plain {
  #child;

  constructor(child) {
    this.#child = child;
  }

  /** @param {import('./plain-process.mjs').Settings} settings */
  static async start(settings) {
    const child = start(process.execPath, [PROCESS], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const plain = new Plain(child);
    await plain.#ask(settings);
    return plain;
  }

  /** Posts without any queue; resolves when all are answered. */
  post(count) {
    return this.#ask({ command: 'post', count });
  }

  /** Adds jobs to a queue of BullMQ whose worker posts; resolves when all are answered. */
  deliver(count) {
    return this.#ask({ command: 'deliver', count });
  }

  /** Milliseconds to add jobs that nobody will run. */
  enqueue(count) {
    return this.#ask({ command: 'enqueue', count });
  }

  /** Takes jobs that nobody runs away, whoever has added them. */
  forget() {
    return this.#ask({ command: 'forget' });
  }

  stop() {
    return end(this.#child);
  }

  #ask(message) {
    this.#child.send(message);
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error('The process of the plain ways has ended'));
      this.#child.once('exit', ended);
      this.#child.once('message', (answer) => {
        this.#child.off('exit', ended);
        resolve(answer);
      });
    });
  }
}
