import { Injectable } from '@nestjs/common';
import { OutboxRepository } from './outbox.repository.js';
import { withRetry } from './with-retry.js';

/** Confirms jobs in batches: what ends while one batch is under way goes with the next. */
@Injectable()
export class Confirmations {
  #waiting: string[] = [];
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(private readonly store: OutboxRepository) {}

  /** Resolves when the row is gone; rejects when the whole batch has failed. */
  confirm(id: string): Promise<void> {
    this.#waiting.push(id);
    this.#next ??= this.#flushAfter(this.#current);
    return this.#next;
  }

  #flushAfter(current: Promise<void>): Promise<void> {
    const flush = current
      .catch(() => undefined)
      .then(() => {
        const ids = this.#waiting;
        this.#waiting = [];
        this.#next = undefined;
        this.#current = flush;
        return withRetry(() => this.store.confirm(ids));
      });
    return flush;
  }
}
