import type { ChildProcess } from 'node:child_process';
import { descendantsOf, memoryOf } from './process-memory.js';
import type { WorkClient } from './process-scheduler.js';
import { SharedState } from './runtime.js';

const WATCH_MS = 50;
/** How long what a process is expected to use counts at least: it loads its file in that time. */
const EXPECTED_MS = 500;
/** The part of the budget beyond which an address begins no further fetch. */
const SHARE_OF_NETWORK = 1 / 2;

/** A git process that reads for a client. */
interface Reader {
  readonly child: ChildProcess;
  /** Absent where no client waits. */
  readonly client: WorkClient | undefined;
  /** What it may use soon; bytes. */
  readonly expectedBytes: number;
  /** In `performance.now()`. */
  readonly startedAt: number;
  /** Stops the process. */
  readonly onExceeded: () => void;
}

interface Waiting {
  readonly client: WorkClient | undefined;
  readonly resolve: () => void;
}

/**
 * Limits the memory that git uses to read for clients: `pack-objects` keeps each object of a repository for as long as its client
 * reads, and `cat-file` loads a file that is stored as a difference. When all together exceed the budget, the newest
 * of the large processes of the address that uses most is stopped. One process of each address is never stopped. Has no effect on systems
 * without `/proc`.
 */
class ReaderMemory {
  /** The bytes of each process when they were last read. */
  private readonly used = new Map<Reader, number>();
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;

  /** @param budget bytes */
  constructor(private readonly budget: number) {}

  /** Watches a process until it ends. */
  watch(reader: Reader): void {
    this.used.set(reader, 0);
    this.timer ??= setInterval(() => this.check(), WATCH_MS).unref();
    reader.child.once('close', () => this.remove(reader));
  }

  /**
   * Waits until the address of a client uses less than its share.
   * @throws the reason of the signal
   */
  async room(client: WorkClient | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.measure();
    if (this.hasRoom(client)) return;
    await new Promise<void>((resolve, reject) => {
      const waiting = { client, resolve };
      this.waiting.add(waiting);
      signal.addEventListener(
        'abort',
        () => {
          this.waiting.delete(waiting);
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
  }

  private measure(): void {
    for (const reader of this.used.keys()) this.used.set(reader, memoryBelow(reader.child));
  }

  private check(): void {
    this.measure();
    this.admit();
    this.rest();
    const sum = [...this.used.values()].reduce((bytes, each) => bytes + each, 0);
    if (sum <= this.budget) return;
    const newest = this.newestOfHeaviest();
    if (newest === undefined) return;
    this.remove(newest);
    newest.onExceeded();
  }

  /** Of the address that uses most, among those with several processes. */
  private newestOfHeaviest(): Reader | undefined {
    const networks = new Map<string | undefined, { bytes: number; readers: Reader[] }>();
    for (const [reader, bytes] of this.used) {
      // It has ended, or just begun.
      if (bytes === 0) continue;
      const key = reader.client?.network;
      const known = networks.get(key) ?? { bytes: 0, readers: [] };
      networks.set(key, { bytes: known.bytes + bytes, readers: [...known.readers, reader] });
    }
    const [heaviest] = [...networks.values()]
      .filter(({ readers }) => readers.length > 1)
      .sort((one, other) => other.bytes - one.bytes);
    const bytesOf = (reader: Reader): number => this.used.get(reader) ?? 0;
    const most = Math.max(...(heaviest?.readers ?? []).map(bytesOf));
    // The newest of the large ones: its client may not have got anything yet.
    return heaviest?.readers.findLast((reader) => bytesOf(reader) >= most / 2);
  }

  private hasRoom(client: WorkClient | undefined): boolean {
    let bytes = 0;
    const youngSince = performance.now() - EXPECTED_MS;
    for (const [reader, used] of this.used) {
      if (reader.client?.network !== client?.network) continue;
      bytes += reader.startedAt < youngSince ? used : Math.max(used, reader.expectedBytes);
    }
    return bytes < this.budget * SHARE_OF_NETWORK;
  }

  /** Admits one: what it uses is known when the next one is admitted. */
  private admit(): void {
    for (const waiting of this.waiting) {
      if (!this.hasRoom(waiting.client)) continue;
      this.waiting.delete(waiting);
      waiting.resolve();
      return;
    }
  }

  private remove(reader: Reader): void {
    this.used.delete(reader);
    this.admit();
    this.rest();
  }

  private rest(): void {
    if (this.used.size > 0 || this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

export const READER_MEMORY = new SharedState(
  ({ readerMemoryBytes }) => new ReaderMemory(readerMemoryBytes),
);

function memoryBelow({ pid }: ChildProcess): number {
  if (pid === undefined) return 0;
  return [pid, ...descendantsOf(pid)].reduce((bytes, each) => bytes + memoryOf(each), 0);
}
