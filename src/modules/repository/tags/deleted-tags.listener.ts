import { Injectable } from '@nestjs/common';
import { TAG_PREFIX, ZERO_OID } from '../../../git/index.js';
import { DomainEvents, OnDomainEvent } from '../../../platform/events/index.js';
import { PushPhase, PushRecorded } from '../pushes/push.events.js';
import { ReleaseChanged } from './release.events.js';
import { ReleasesRepository } from './releases.repository.js';

/** A push may delete any number of tags: the events of further releases are left out. */
const EVENTS_PER_PUSH = 100;

/** Deletes the releases of tags that a push has deleted. */
@Injectable()
export class DeletedTagsListener {
  constructor(
    private readonly releases: ReleasesRepository,
    private readonly events: DomainEvents,
  ) {}

  @OnDomainEvent(PushRecorded, { order: PushPhase.FOLLOW_BRANCHES })
  async pushRecorded({ projectId, refs }: PushRecorded): Promise<void> {
    const tags = refs.batches
      .flat()
      .filter(({ ref, newOid }) => newOid === ZERO_OID && ref.startsWith(TAG_PREFIX))
      .map(({ ref }) => ref.slice(TAG_PREFIX.length));
    if (tags.length === 0) return;
    for (const id of await this.releases.idsOf(projectId, tags, EVENTS_PER_PUSH)) {
      await this.events.publish(new ReleaseChanged(projectId, id, 'delete', null));
    }
    await this.releases.deleteOf(projectId, tags);
  }
}
