import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { DomainEvents } from '../../activity/index.js';
import { UserDeleted } from '../user.events.js';
import { DeletionsRepository } from './deletions.repository.js';
import { eraseAccount } from './deletion.jobs.js';
import { Ghost } from './ghost.js';

/** For requests that were let in before: what they write still needs the account's row. */
const GRACE_MS = 10_000;

/** Takes an account out of everybody's sight; a job does what takes longer. */
@Injectable()
export class Disappearance {
  constructor(
    private readonly deletions: DeletionsRepository,
    private readonly ghost: Ghost,
    private readonly events: DomainEvents,
    private readonly outbox: Outbox,
  ) {}

  /** Call in the unit of work that holds the account's lock. */
  async of(userId: number): Promise<void> {
    await this.deletions.hide(userId);
    // From the commit on readers find the ghost in the account's place.
    await this.ghost.id();
    await this.events.publish(new UserDeleted(userId));
    await this.outbox.add(eraseAccount.with({ userId }, { delayMs: GRACE_MS }));
  }
}
