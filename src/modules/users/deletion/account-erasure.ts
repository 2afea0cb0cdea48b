import { Injectable } from '@nestjs/common';

/** One kind of thing that a deleted account leaves behind, cleaned up piece by piece. */
export interface ErasureStep {
  /** What is cleaned up, for the log. */
  readonly name: string;
  /**
   * Removes one bounded chunk, or hands it to the ghost account. Each call is a unit of work of its
   * own; after a crash the step is begun anew, so it must bear that part of its work is done.
   * @returns whether there is more
   */
  run(userId: number, ghostId: number): Promise<boolean>;
}

/**
 * What the job that erases an account does, step by step (open points 5.15). The rooms above register
 * theirs, because this one knows nothing of their tables.
 */
@Injectable()
export class AccountErasure {
  private readonly registered: ErasureStep[] = [];

  get steps(): readonly ErasureStep[] {
    return this.registered;
  }

  register(step: ErasureStep): void {
    this.registered.push(step);
  }
}
