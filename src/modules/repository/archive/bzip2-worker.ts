import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** One full block of bzip2's largest kind. */
export const BLOCK_BYTES = 900_000;
const IDLE_MS = 60_000;

/**
 * What the thread runs. The compressor blocks for a tenth of a second at a time, fills the global scope
 * of whoever loads it and takes over its unhandled errors, hence a thread. Data that cannot be compressed grows by up to a hundredth
 * and 600 bytes.
 */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData).then(async ({ default: BZip2 }) => {
    const compressor = new BZip2();
    await compressor.init();
    parentPort.on('message', (block) => {
      const room = Math.ceil(block.length * 1.01) + 600;
      parentPort.postMessage(compressor.compress(block, 9, room));
    });
  });
`;

interface Waiting {
  resolve: (compressed: Uint8Array) => void;
  reject: (error: Error) => void;
}

/** Compresses blocks in a thread of its own, which ends when it has had nothing to do for a while. */
export class Bzip2Worker {
  private worker: Worker | null = null;
  private readonly waiting: Waiting[] = [];
  private idleTimer: NodeJS.Timeout | undefined;

  /** A complete bzip2 stream of at most `BLOCK_BYTES`; blocks are compressed in the order they come. */
  compress(block: Uint8Array): Promise<Uint8Array> {
    clearTimeout(this.idleTimer);
    this.worker ??= this.start();
    this.worker.ref();
    this.worker.postMessage(block);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private start(): Worker {
    const address = pathToFileURL(createRequire(import.meta.url).resolve('bzip2-wasm')).href;
    const worker = new Worker(PROGRAM, { eval: true, workerData: address });
    worker.on('message', (compressed: Uint8Array) => {
      this.waiting.shift()?.resolve(compressed);
      if (this.waiting.length === 0) this.rest(worker);
    });
    worker.on('error', (error) => this.end(worker, error));
    worker.on('exit', () => this.end(worker, new Error('The compressor has ended')));
    return worker;
  }

  /** Keeps no process from ending meanwhile. */
  private rest(worker: Worker): void {
    worker.unref();
    this.idleTimer = setTimeout(() => {
      this.worker = null;
      void worker.terminate();
    }, IDLE_MS);
    this.idleTimer.unref();
  }

  private end(worker: Worker, reason: Error): void {
    if (this.worker !== worker) return;
    this.worker = null;
    for (const { reject } of this.waiting.splice(0)) reject(reason);
  }
}
