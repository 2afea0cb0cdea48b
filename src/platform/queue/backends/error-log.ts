import type { QueueLogger } from '../queue-options.js';

const REPEAT_MS = 10_000;
const REMEMBERED = 100;

/**
 * Logs what goes wrong in the background. A store that is away makes every connection and timer
 * fail many times a second: the same message is written once in ten seconds.
 */
export class ErrorLog {
  readonly #logged = new Map<string, number>();

  constructor(private readonly logger: QueueLogger) {}

  report(where: string, error: unknown): void {
    const key = `${where}: ${error instanceof Error ? error.message : String(error)}`;
    const now = Date.now();
    if (now - (this.#logged.get(key) ?? 0) < REPEAT_MS) return;
    if (this.#logged.size >= REMEMBERED) this.#logged.clear();
    this.#logged.set(key, now);
    this.logger.warn({ err: error, where }, 'The queue has a problem and tries again');
  }
}
