import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { RefsPushed } from '../../repository/index.js';
import { PushPayloads, withoutCommits } from '../payloads/push-payloads.js';
import { HookEvents } from './hook-events.js';

/** Branches and tags: nobody is told of other refs (open points 7.9). */
const TOLD = { push: 'refs/heads/', tag_push: 'refs/tags/' } as const;

/** Tells the hooks of projects and of the instance of pushes, by ref. */
@Injectable()
export class PushEvents {
  constructor(
    events: DomainEvents,
    private readonly payloads: PushPayloads,
    private readonly hooks: HookEvents,
  ) {
    events.subscribe(RefsPushed, async (event) => {
      await this.tell(event, 'push');
      await this.tell(event, 'tag_push');
    });
  }

  private async tell(event: RefsPushed, kind: keyof typeof TOLD): Promise<void> {
    const refs = event.refs.filter(({ ref }) => ref.startsWith(TOLD[kind]));
    if (refs.length === 0) return;
    // Made once, for both, and only where somebody wants it.
    let told: Promise<object[]> | undefined;
    const telling = () => (told ??= this.payloads.pushed(event, refs));
    await this.hooks.tell({ kind, owner: event.projectId }, telling);
    await this.hooks.tell({ kind, owner: null }, async () => (await telling()).map(withoutCommits));
  }
}
