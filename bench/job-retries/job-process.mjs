import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { end, start } from '../children.mjs';

/** A worker process that adds jobs and runs them. */
export class JobProcess {
  #child;

  constructor(child) {
    this.#child = child;
  }

  /**
   * @param {string} script how it does so
   * @param {{ databaseUrl: string, redisUrl?: string }} settings
   */
  static async start(script, settings) {
    const file = fileURLToPath(new URL(script, import.meta.url));
    const child = start(process.execPath, [file], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const worker = new JobProcess(child);
    await worker.#ask(settings);
    return worker;
  }

  /**
   * Runs jobs of one kind.
   * @returns {Promise<number>} seconds from adding the first to the end of the last
   */
  run(job, count) {
    return this.#ask({ job, count });
  }

  stop() {
    return end(this.#child);
  }

  #ask(message) {
    this.#child.send(message);
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error('A process that runs jobs has ended'));
      this.#child.once('exit', ended);
      this.#child.once('message', (answer) => {
        this.#child.off('exit', ended);
        resolve(answer);
      });
    });
  }
}

/**
 * The other side: starts what runs jobs with the settings that come first, then answers requests for jobs.
 * @param {(settings: object) => Promise<(job: string, count: number) => Promise<void>>} begin
 */
export async function serveJobs(begin) {
  process.once('disconnect', () => process.exit());
  process.once('SIGTERM', () => process.exit());
  const [settings] = await once(process, 'message');
  const runJobs = await begin(settings);
  process.on('message', async ({ job, count }) => {
    const started = performance.now();
    await runJobs(job, count);
    process.send((performance.now() - started) / 1000);
  });
  process.send('ready');
}
