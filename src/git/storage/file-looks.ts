import { StorageUnavailableError } from '../model/errors.js';
import { SharedState } from '../process/runtime.js';

/**
 * Looks that are under way at once, in one storage and in all of them. A file system that hangs keeps a thread of Node's
 * pool, of which there are four, for each of them until it answers; asking for its room may keep two more. What is left
 * is for other files, passwords and names of hosts.
 */
const AT_ONCE = 1;
const AT_ONCE_IN_ALL = 2;

interface Look {
  readonly storage: StorageState;
  begin(): void;
}

interface StorageState {
  running: number;
  /** Those of the running looks whose time limit has passed. */
  late: number;
}

/** Reads metadata and small files within a time limit, few at a time, so that a storage that hangs holds up nothing else. */
export class FileLooks {
  private readonly storages = new Map<string, StorageState>();
  private readonly waiting = new Set<Look>();
  private running = 0;

  /** @param limitMs how long a caller waits for an answer */
  constructor(private readonly limitMs: number) {}

  /**
   * @param read runs its file operations one after another
   * @throws StorageUnavailableError at the time limit, and at once while the storage answers nothing
   */
  look<T>(name: string, read: () => Promise<T>, limitMs = this.limitMs): Promise<T> {
    const storage = this.stateOf(name);
    if (storage.late >= AT_ONCE) return Promise.reject(new StorageUnavailableError(name));
    return new Promise<T>((resolve, reject) => {
      let state: 'waiting' | 'running' | 'late' = 'waiting';
      const timer = setTimeout(() => {
        if (state === 'running') storage.late += 1;
        else this.waiting.delete(look);
        state = 'late';
        reject(new StorageUnavailableError(name));
      }, limitMs);
      const end = (): void => {
        clearTimeout(timer);
        if (state === 'late') storage.late -= 1;
        storage.running -= 1;
        this.running -= 1;
        this.beginWaiting();
      };
      const look: Look = {
        storage,
        begin: () => {
          state = 'running';
          storage.running += 1;
          this.running += 1;
          read().then(resolve, reject).finally(end);
        },
      };
      if (this.hasRoom(storage)) look.begin();
      else this.waiting.add(look);
    });
  }

  private stateOf(name: string): StorageState {
    const known = this.storages.get(name) ?? { running: 0, late: 0 };
    this.storages.set(name, known);
    return known;
  }

  private hasRoom({ running }: StorageState): boolean {
    return running < AT_ONCE && this.running < AT_ONCE_IN_ALL;
  }

  /** Looks at storages in turn only as far as they have room: one that hangs is passed over. */
  private beginWaiting(): void {
    for (const look of this.waiting) {
      if (this.running >= AT_ONCE_IN_ALL) return;
      if (!this.hasRoom(look.storage)) continue;
      this.waiting.delete(look);
      look.begin();
    }
  }
}

export const LOOKS = new SharedState(({ lookTimeoutMs }) => new FileLooks(lookTimeoutMs));
