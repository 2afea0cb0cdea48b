import { Injectable } from '@nestjs/common';

/** The jobs that this process is running now. */
@Injectable()
export class InFlight {
  readonly #jobs = new Map<AbortController, string | undefined>();
  readonly #whenIdle: (() => void)[] = [];

  has(outboxId: string): boolean {
    return [...this.#jobs.values()].includes(outboxId);
  }

  add(controller: AbortController, outboxId: string | undefined): void {
    this.#jobs.set(controller, outboxId);
  }

  remove(controller: AbortController): void {
    this.#jobs.delete(controller);
    if (this.#jobs.size > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves as soon as no job is running. */
  async idle(): Promise<void> {
    if (this.#jobs.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  abortAll(reason: Error): void {
    for (const controller of this.#jobs.keys()) controller.abort(reason);
  }
}
