import { Injectable } from '@nestjs/common';
import { type RefUpdate, ZERO_OID } from '../../../../git/index.js';
import { type Activity, ActivityLog, OnDomainEvent } from '../../../activity/index.js';
import { PushPhase, PushRecorded } from '../push.events.js';

/** Records pushes for the feeds, one event for each ref. */
@Injectable()
export class PushActivityListener {
  constructor(private readonly log: ActivityLog) {}

  @OnDomainEvent(PushRecorded, { order: PushPhase.RECORD_ACTIVITY })
  async recordActivity({ projectId, userId: authorId, refs }: PushRecorded): Promise<void> {
    for (const batch of refs.batches) {
      const payloads = await refs.describe(batch);
      await this.log.record(
        batch.map((update, at): Activity => {
          const data = payloads[at] ?? {};
          return { projectId, authorId, action: actionOf(update), data };
        }),
      );
    }
  }
}

function actionOf({ oldOid, newOid }: RefUpdate): Activity['action'] {
  if (newOid === ZERO_OID) return 'deleted';
  return oldOid === ZERO_OID ? 'pushed new' : 'pushed to';
}
