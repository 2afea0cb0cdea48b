import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type RefUpdate, TAG_PREFIX } from '../../../git/index.js';
import { OnDomainEvent } from '../../activity/index.js';
import { PushPhase, PushRecorded } from '../../repository/index.js';
import { PushPayloads, withoutCommits } from '../payloads/push-payloads.js';
import { HookEvents } from './hook-events.js';

/** Branches and tags: nobody is told of other refs (open points 7.9). */
const TOLD = { push: BRANCH_PREFIX, tag_push: TAG_PREFIX } as const;

/** Tells the hooks of projects and of the instance of pushes, by ref. */
@Injectable()
export class PushEvents {
  constructor(
    private readonly payloads: PushPayloads,
    private readonly hooks: HookEvents,
  ) {}

  @OnDomainEvent(PushRecorded, { order: PushPhase.NOTIFY_HOOKS })
  async pushRecorded(push: PushRecorded): Promise<void> {
    for (const batch of push.refs.batches) {
      await this.tell(push, batch, 'push');
      await this.tell(push, batch, 'tag_push');
    }
  }

  private async tell(
    push: PushRecorded,
    batch: readonly RefUpdate[],
    kind: keyof typeof TOLD,
  ): Promise<void> {
    const isTold = ({ ref }: Pick<RefUpdate, 'ref'>): boolean => ref.startsWith(TOLD[kind]);
    if (!batch.some(isTold)) return;
    // Made once, for both, and only where somebody wants it.
    let told: Promise<object[]> | undefined;
    const telling = (): Promise<object[]> =>
      (told ??= push.refs
        .describe(batch)
        .then((refs) => this.payloads.pushed(push, refs.filter(isTold))));
    await this.hooks.tell({ kind, owner: push.projectId }, telling);
    await this.hooks.tell({ kind, owner: null }, async () => (await telling()).map(withoutCommits));
  }
}
