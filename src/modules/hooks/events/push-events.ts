import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { RefsPushed } from '../../repository/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { PushPayloadBuilder, withoutCommits } from '../payloads/push-payload-builder.js';

/** Refs that fire hooks: branches and tags. See docs/reference/hooks.md#what-does-not-fire. */
const PREFIXES = { push: 'refs/heads/', tag_push: 'refs/tags/' } as const;

/** Notifies hooks of projects and system hooks of each pushed ref. */
@Injectable()
export class PushEvents {
  constructor(
    events: DomainEvents,
    private readonly payloads: PushPayloadBuilder,
    private readonly hooks: HookNotifier,
  ) {
    events.subscribe(RefsPushed, async (event) => {
      await this.notify(event, 'push');
      await this.notify(event, 'tag_push');
    });
  }

  private async notify(event: RefsPushed, kind: keyof typeof PREFIXES): Promise<void> {
    const refs = event.refs.filter(({ ref }) => ref.startsWith(PREFIXES[kind]));
    if (refs.length === 0) return;
    // Built once for both kinds of hook, and only when one subscribes.
    let payloads: Promise<object[]> | undefined;
    const build = () => (payloads ??= this.payloads.buildPushes(event, refs));
    await this.hooks.notify({ kind, owner: event.projectId }, build);
    await this.hooks.notify({ kind, owner: null }, async () => (await build()).map(withoutCommits));
  }
}
