import { createRequire } from 'node:module';
import { Transform, type TransformCallback } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** A full block of the largest size that bzip2 has. */
const BLOCK_BYTES = 900_000;
const IDLE_MS = 60_000;

/**
 * The program of the thread. The compressor needs a thread of its own, since it blocks for a tenth of a second
 * at a time, defines global variables and handles all uncaught errors. Data that cannot be compressed grows by
 * up to a hundredth and 600 bytes.
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

interface PendingBlock {
  resolve: (compressed: Uint8Array) => void;
  reject: (error: Error) => void;
}

/** Compresses blocks in a thread, which ends after a minute without work. */
class Bzip2Worker {
  private worker: Worker | null = null;
  private readonly waiting: PendingBlock[] = [];
  private idleTimer: NodeJS.Timeout | undefined;

  /** Compresses at most `BLOCK_BYTES` to a complete bzip2 stream. Blocks are compressed in order. */
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
      if (this.waiting.length === 0) this.idle(worker);
    });
    worker.on('error', (error) => this.end(worker, error));
    worker.on('exit', () => this.end(worker, new Error('The compressor has ended')));
    return worker;
  }

  /** Lets the process end, and ends an idle thread after `IDLE_MS`. */
  private idle(worker: Worker): void {
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

/** All archives share one thread, so that they take at most one core. */
const compressor = new Bzip2Worker();

/**
 * Compresses to bzip2, one complete stream for each block. Readers of the format accept concatenated
 * streams.
 */
export class Bzip2Stream extends Transform {
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, callback: TransformCallback): void {
    this.pending.push(chunk);
    this.pendingBytes += chunk.length;
    if (this.pendingBytes < BLOCK_BYTES) callback();
    else this.compress().then(() => callback(), callback);
  }

  override _flush(callback: TransformCallback): void {
    this.compress().then(() => callback(), callback);
  }

  private async compress(): Promise<void> {
    const data = Buffer.concat(this.pending);
    this.pending = [];
    this.pendingBytes = 0;
    for (let at = 0; at < data.length; at += BLOCK_BYTES) {
      this.push(await compressor.compress(data.subarray(at, at + BLOCK_BYTES)));
    }
  }
}
