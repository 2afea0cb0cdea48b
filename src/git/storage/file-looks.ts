import { StorageUnavailableError } from '../model/errors.js';
import { SharedState } from '../process/runtime.js';

/**
 * Looks that are under way at once, in one storage and in all of them, as parts of the threads of Node's pool: a file
 * system that hangs keeps one for each of them until it answers. What is left is for other files, passwords and names of
 * hosts.
 */
const PART = 1 / 4;
const PART_IN_ALL = 1 / 2;

interface Look {
  /** The looks in the same storage that are under way, with the times at which they began. */
  readonly storage: Map<Look, number>;
  begin(): void;
}

/** Reads metadata and small files within a time limit, few at a time, so that a storage that hangs holds up nothing else. */
export class FileLooks {
  private readonly storages = new Map<string, Map<Look, number>>();
  private readonly waiting = new Set<Look>();
  private running = 0;

  private readonly atOnce: number;
  private readonly atOnceInAll: number;

  /**
   * @param limitMs how long a look may take; a storage in which others take longer answers nothing
   * @param threads of Node's pool
   */
  constructor(
    private readonly limitMs: number,
    threads: number,
  ) {
    this.atOnce = Math.max(1, Math.floor(threads * PART));
    this.atOnceInAll = Math.max(1, Math.floor(threads * PART_IN_ALL));
  }

  /**
   * @param read runs its file operations one after another
   * @param patienceMs how long the caller waits
   * @throws StorageUnavailableError when that is over, and at once while the storage answers nothing
   */
  look<T>(name: string, read: () => Promise<T>, patienceMs = this.limitMs): Promise<T> {
    const storage = this.runningIn(name);
    if (this.isSilent(storage)) return Promise.reject(new StorageUnavailableError(name));
    return new Promise<T>((resolve, reject) => {
      const expire = (): void => {
        this.waiting.delete(look);
        reject(new StorageUnavailableError(name));
      };
      // An answer may have arrived while the event loop was busy: it comes first.
      const timer = setTimeout(() => setImmediate(expire), patienceMs);
      const end = (): void => {
        clearTimeout(timer);
        storage.delete(look);
        this.running -= 1;
        this.beginWaiting();
      };
      const look: Look = {
        storage,
        begin: () => {
          storage.set(look, performance.now());
          this.running += 1;
          read().then(resolve, reject).finally(end);
        },
      };
      if (this.hasRoom(storage)) look.begin();
      else this.waiting.add(look);
    });
  }

  private runningIn(name: string): Map<Look, number> {
    const known = this.storages.get(name) ?? new Map<Look, number>();
    this.storages.set(name, known);
    return known;
  }

  private isSilent(storage: ReadonlyMap<Look, number>): boolean {
    if (storage.size < this.atOnce) return false;
    const latest = performance.now() - this.limitMs;
    return [...storage.values()].every((begun) => begun < latest);
  }

  private hasRoom(storage: ReadonlyMap<Look, number>): boolean {
    return storage.size < this.atOnce && this.running < this.atOnceInAll;
  }

  /** Begins what has room in its storage: one that hangs is passed over. */
  private beginWaiting(): void {
    for (const look of this.waiting) {
      if (this.running >= this.atOnceInAll) return;
      if (!this.hasRoom(look.storage)) continue;
      this.waiting.delete(look);
      look.begin();
    }
  }
}

export const LOOKS = new SharedState(
  ({ lookTimeoutMs, threads }) => new FileLooks(lookTimeoutMs, threads),
);
