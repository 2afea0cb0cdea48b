import { Injectable } from '@nestjs/common';
import { OnDomainEvent } from '../../../platform/events/index.js';
import { ReleaseChanged } from '../../repository/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { ReleasePayloadBuilder } from './payloads/release-payload-builder.js';

/** Notifies hooks of projects of releases. */
@Injectable()
export class ReleasesListener {
  constructor(
    private readonly hooks: HookNotifier,
    private readonly payloads: ReleasePayloadBuilder,
  ) {}

  @OnDomainEvent(ReleaseChanged)
  releaseChanged(event: ReleaseChanged): Promise<void> {
    const trigger = { kind: 'release', owner: event.projectId } as const;
    return this.hooks.notifyOne(trigger, () => this.payloads.buildRelease(event));
  }
}
