import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { unprocessable } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import type { LoggedDelivery } from '../delivery-log/delivery-log.repository.js';
import { DeliveryLogService } from '../delivery-log/delivery-log.service.js';
import type { Hook } from '../hook.entity.js';
import { HooksRepository } from '../hooks.repository.js';
import { SamplePayloadBuilder, type SampleKind } from './sample-payload-builder.js';

/** What a project needs for a test of each kind. */
const NEEDED: Readonly<Record<SampleKind, string>> = {
  push: 'commits',
  tag_push: 'tags',
  issue: 'issues that are not confidential',
  note: 'notes',
  merge_request: 'merge requests',
  build: 'commit statuses',
  pipeline: 'commit statuses',
};

export const SAMPLE_KINDS = Object.keys(NEEDED) as SampleKind[];

/** Sends test deliveries: the payloads of `SamplePayloadBuilder`. */
@Injectable()
export class HookTestsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly notifier: HookNotifier,
    private readonly hooks: HooksRepository,
    private readonly log: DeliveryLogService,
    private readonly samples: SamplePayloadBuilder,
  ) {}

  /**
   * Queues a test delivery, whatever the hook subscribes to. Enables the hook if it was disabled.
   * @param userId who acts in the payload
   * @throws DomainError unprocessable when the project has nothing of that kind
   */
  async test(
    project: ProjectRef,
    hook: Hook,
    kind: SampleKind,
    userId: number,
  ): Promise<LoggedDelivery> {
    const payload = await this.samples.build(kind, project, userId);
    if (payload === null) {
      throw unprocessable({ error: `The project has no ${NEEDED[kind]} to test the hook with` });
    }
    return this.work.run(async () => {
      await this.hooks.enable([hook.id]);
      const recipient = { id: hook.id, isFailing: false };
      const [id] = await this.notifier.deliver(kind, [payload], [recipient]);
      // Without an id the hook has been removed meanwhile.
      return this.log.read(hook, id ?? 0);
    });
  }
}
