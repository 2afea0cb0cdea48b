import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { unprocessable } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { HookEvents } from '../events/hook-events.js';
import type { Hook } from '../hook.entity.js';
import { HooksRepository } from '../hooks.repository.js';
import type { LoggedDelivery } from '../log/delivery-log.repository.js';
import { DeliveryLogService } from '../log/delivery-log.service.js';
import { type SampleKind, SamplePayloads } from './sample-payloads.js';

/** What a project has to have for a test of that kind. */
const NEEDED: Readonly<Record<SampleKind, string>> = {
  push: 'commits',
  tag_push: 'tags',
  issue: 'issues that are not confidential',
  note: 'notes',
  merge_request: 'merge requests',
  build: 'commit statuses',
  pipeline: 'commit statuses',
};

/** Tries the hooks of projects. */
@Injectable()
export class HookTestsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly samples: SamplePayloads,
    private readonly events: HookEvents,
    private readonly hooks: HooksRepository,
    private readonly log: DeliveryLogService,
  ) {}

  /**
   * Queues a delivery of a sample, whatever events the hook wants. A hook that was given up is tried again.
   * @param userId whose doing it is said to be
   * @throws DomainError unprocessable where the project has nothing of that kind
   */
  async test(
    project: ProjectRef,
    hook: Hook,
    kind: SampleKind,
    userId: number,
  ): Promise<LoggedDelivery> {
    const payload = await this.samples.make(kind, project, userId);
    if (payload === null) {
      throw unprocessable({ error: `The project has no ${NEEDED[kind]} to test the hook with` });
    }
    return this.work.run(async () => {
      await this.hooks.enable([hook.id]);
      const [id] = await this.events.deliver(kind, [payload], [{ id: hook.id, isFailing: false }]);
      // Without an id the hook has been removed meanwhile.
      return this.log.read(hook, id ?? 0);
    });
  }
}
