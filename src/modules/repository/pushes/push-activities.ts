import { Injectable } from '@nestjs/common';
import { type RefUpdate, type Repository, ZERO_OID } from '../../../git/index.js';
import { type Activity, ActivityLog, DomainEvents } from '../../activity/index.js';
import type { Brought } from './brought-commits.js';
import type { PushIntent } from './push-intent.entity.js';
import { PushPayloads } from './push-payloads.js';
import { RefsPushed } from './push.events.js';

/** Refs that are told of side by side; a push may bring any number of them. */
const AT_ONCE = 50;

/** Records a push for the feeds, one event for each ref (open points 06), and tells the rooms above. */
@Injectable()
export class PushActivities {
  constructor(
    private readonly payloads: PushPayloads,
    private readonly log: ActivityLog,
    private readonly events: DomainEvents,
  ) {}

  /** Call when git has made the updates, in the unit of work that records them. */
  async record(
    intent: PushIntent,
    repository: Repository,
    updates: readonly RefUpdate[],
    brought: Brought,
  ): Promise<void> {
    const { projectId, userId: authorId } = intent;
    const describe = await this.payloads.describer(intent, repository);
    for (let at = 0; at < updates.length; at += AT_ONCE) {
      const some = updates.slice(at, at + AT_ONCE);
      const data = await describe(some, brought);
      await this.log.record(
        some.map((update, index): Activity => {
          const told = data[index] ?? {};
          return { projectId, authorId, action: actionOf(update), data: told };
        }),
      );
      await this.events.publish(new RefsPushed(projectId, authorId, data));
    }
  }
}

function actionOf({ oldOid, newOid }: RefUpdate): Activity['action'] {
  if (newOid === ZERO_OID) return 'deleted';
  return oldOid === ZERO_OID ? 'pushed new' : 'pushed to';
}
