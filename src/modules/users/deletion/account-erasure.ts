import { Injectable } from '@nestjs/common';

/** Erases one kind of rows that depend on a deleted account, in bounded chunks. */
export interface ErasureStep {
  /** Names the rows in the log. */
  readonly name: string;
  /**
   * Removes one bounded chunk, or attributes it to the ghost account. Each call is a unit of work of its
   * own; after a crash the step is run again from its beginning, so it has to be idempotent.
   * @returns whether there is more
   */
  run(userId: number, ghostId: number): Promise<boolean>;
}

/**
 * Collects the steps of the job that erases a deleted account. Each room registers the steps for its own
 * tables, which this room does not know.
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
