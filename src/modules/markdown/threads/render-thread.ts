import type { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import type { RenderedText, RenderJob, RenderMessage } from '../rendering/rendered-text.js';
import { startRenderer } from './worker-program.js';

const IDLE_MS = 60_000;

/** Memory of a thread: a text of a megabyte takes a quarter of it. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** A thread that renders texts within a time. It starts with its first job, and ends after a minute without work. */
export class RenderThread {
  private worker: Worker | null = null;
  private isReady = false;
  private idleTimer: NodeJS.Timeout | undefined;
  /** Takes what the thread says of the present job. */
  private receive: (message: RenderMessage | 'ended') => void = () => undefined;
  private readonly logger = new Logger('Markdown');

  /**
   * Renders texts, one job at a time.
   * @param timeMs for all of them, from the start of the thread on
   * @returns what was rendered: null for a text that takes too much memory, fewer texts if the time was too short
   */
  render(job: RenderJob, timeMs: number): Promise<(RenderedText | null)[]> {
    clearTimeout(this.idleTimer);
    const worker = (this.worker ??= this.start());
    worker.ref();
    const rendered: (RenderedText | null)[] = [];
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const finish = (): void => {
        clearTimeout(timer);
        this.receive = () => undefined;
        this.idle(worker);
        resolve(rendered);
      };
      const begin = (): void => {
        timer = setTimeout(() => void this.end(), timeMs);
        worker.postMessage(job);
      };
      this.receive = (message) => {
        if (message === 'ready') return begin();
        if (message === 'ended') return finish();
        rendered.push(message.rendered);
        if (rendered.length === job.texts.length) finish();
      };
      if (this.isReady) begin();
    });
  }

  /** Ends the thread, and its job with what is rendered. */
  async end(): Promise<void> {
    clearTimeout(this.idleTimer);
    const { worker } = this;
    this.worker = null;
    this.isReady = false;
    this.receive('ended');
    await worker?.terminate();
  }

  private start(): Worker {
    const worker = startRenderer({ resourceLimits: LIMITS });
    worker.on('message', (message: RenderMessage) => {
      if (this.worker !== worker) return;
      if (message === 'ready') this.isReady = true;
      this.receive(message);
    });
    // The text is shown as it is written.
    worker.on('error', (error) =>
      this.logger.warn(`A rendering thread has ended: ${error.message}`),
    );
    worker.on('exit', () => {
      if (this.worker !== worker) return;
      this.worker = null;
      this.isReady = false;
      this.receive('ended');
    });
    return worker;
  }

  /** Lets the process end, and ends an idle thread after `IDLE_MS`. */
  private idle(worker: Worker): void {
    if (this.worker !== worker) return;
    worker.unref();
    this.idleTimer = setTimeout(() => void this.end(), IDLE_MS);
    this.idleTimer.unref();
  }
}
