import path from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

const COMPILER = path.join(process.cwd(), 'test/support/compile-in-thread.cjs');
const PROGRAM = path.join(process.cwd(), 'src/modules/markdown/rendering/render-worker.ts');

/** Stands in the place of the function that starts the built program: this one is compiled when it is loaded. */
export const startRenderer = (options: WorkerOptions): Worker =>
  new Worker(`require(${JSON.stringify(COMPILER)}); require(${JSON.stringify(PROGRAM)});`, {
    ...options,
    eval: true,
  });
