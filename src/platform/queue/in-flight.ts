import { Injectable } from '@nestjs/common';

/** The jobs that this process is running now. */
@Injectable()
export class InFlight {
  readonly #jobs = new Map<AbortController, string | undefined>();

  get size(): number {
    return this.#jobs.size;
  }

  has(outboxId: string): boolean {
    return [...this.#jobs.values()].includes(outboxId);
  }

  add(controller: AbortController, outboxId: string | undefined): void {
    this.#jobs.set(controller, outboxId);
  }

  remove(controller: AbortController): void {
    this.#jobs.delete(controller);
  }

  abortAll(reason: Error): void {
    for (const controller of this.#jobs.keys()) controller.abort(reason);
  }
}
