import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a thread that renders texts. Tests start it from the sources. */
export const startRenderer = (options: WorkerOptions): Worker =>
  new Worker(new URL('../rendering/render-worker.js', import.meta.url), options);
