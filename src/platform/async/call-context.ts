import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A value that the current chain of calls runs with, if any, so that nothing has to hand it on.
 *
 * A storage that is in use has Node follow every promise of the process. Most requests only read and
 * need none of it, so it rests while no chain of calls has a value.
 */
export class CallContext<T> {
  private readonly storage = new AsyncLocalStorage<T>();
  private underWay = 0;

  getStore(): T | undefined {
    return this.storage.getStore();
  }

  async run<R>(value: T, work: () => Promise<R>): Promise<R> {
    this.underWay += 1;
    try {
      return await this.storage.run(value, work);
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.storage.disable();
    }
  }
}

/**
 * What work is done for: an answer that a client waits for, a push (and what follows it before it is
 * answered), or a job. Each kind has its own share of what is scarce, such as git processes.
 */
export type WorkKind = 'interactive' | 'push' | 'background';

const kinds = new CallContext<WorkKind>();

/** The kind of work that is not run as another. */
let usualKind: WorkKind = 'interactive';

/**
 * Sets the kind of work that is not run as another, which is `interactive` otherwise. In a worker process almost all
 * work is of one kind: it need not be followed through the chains of calls.
 */
export function setUsualWorkKind(kind: WorkKind): void {
  usualKind = kind;
}

/** Runs work of a kind; within it, work of another kind may be run as that. */
export function runAs<T>(kind: WorkKind, work: () => Promise<T>): Promise<T> {
  return kind === currentWorkKind() ? work() : kinds.run(kind, work);
}

/** The kind that the current chain of calls runs as. */
export function currentWorkKind(): WorkKind {
  return kinds.getStore() ?? usualKind;
}
