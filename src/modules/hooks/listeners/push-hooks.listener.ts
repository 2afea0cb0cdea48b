import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type RefUpdate, TAG_PREFIX } from '../../../git/index.js';
import { OnDomainEvent } from '../../activity/index.js';
import { PushPhase, PushRecorded } from '../../repository/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { PushPayloadBuilder, withoutCommits } from '../payloads/push-payload-builder.js';

/** Refs that fire hooks: branches and tags. See docs/reference/hooks.md#what-does-not-fire. */
const PREFIXES = { push: BRANCH_PREFIX, tag_push: TAG_PREFIX } as const;

/** Notifies hooks of projects and system hooks of each pushed branch and tag. */
@Injectable()
export class PushHooksListener {
  constructor(
    private readonly hooks: HookNotifier,
    private readonly payloads: PushPayloadBuilder,
  ) {}

  @OnDomainEvent(PushRecorded, { order: PushPhase.NOTIFY_HOOKS })
  async pushRecorded(push: PushRecorded): Promise<void> {
    for (const batch of push.refs.batches) {
      await this.notify(push, batch, 'push');
      await this.notify(push, batch, 'tag_push');
    }
  }

  private async notify(
    push: PushRecorded,
    batch: readonly RefUpdate[],
    kind: keyof typeof PREFIXES,
  ): Promise<void> {
    const fires = ({ ref }: Pick<RefUpdate, 'ref'>): boolean => ref.startsWith(PREFIXES[kind]);
    if (!batch.some(fires)) return;
    // Built once for both kinds of hook, and only when one subscribes.
    let payloads: Promise<object[]> | undefined;
    const build = (): Promise<object[]> =>
      (payloads ??= push.refs
        .describe(batch)
        .then((refs) => this.payloads.buildPushes(push, refs.filter(fires))));
    await this.hooks.notify({ kind, owner: push.projectId }, build);
    await this.hooks.notify({ kind, owner: null }, async () => (await build()).map(withoutCommits));
  }
}
