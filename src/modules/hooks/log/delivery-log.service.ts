import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/http/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { deliverHook } from '../deliveries/hook.jobs.js';
import type { Hook } from '../hook.entity.js';
import { HooksRepository } from '../hooks.repository.js';
import {
  type DeliveryFilters,
  DeliveryLogRepository,
  type LoggedDelivery,
  type LoggedDetail,
} from './delivery-log.repository.js';

/** What was sent to a hook, and how it went. Whose hook it is has been asked before. */
@Injectable()
export class DeliveryLogService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly log: DeliveryLogRepository,
    private readonly hooks: HooksRepository,
    private readonly outbox: Outbox,
  ) {}

  /** The newest first. */
  list(hook: Hook, filters: DeliveryFilters, request: PageRequest): Promise<Page<LoggedDelivery>> {
    return this.log.page(hook.id, filters, request);
  }

  /** @throws DomainError record not found */
  async read(hook: Hook, id: number | string): Promise<LoggedDetail> {
    const delivery = await this.log.find(hook.id, id);
    if (delivery === null) throw recordNotFound();
    return delivery;
  }

  /**
   * Sends a delivery once more, with the same id and bytes and all retries. A hook that was given up is
   * tried again (open points 7.1).
   * @throws DomainError record not found
   */
  redeliver(hook: Hook, id: number): Promise<LoggedDelivery> {
    return this.work.run(async () => {
      await this.hooks.enable([hook.id]);
      const repeated = await this.log.repeat(hook.id, id);
      if (repeated === undefined) throw recordNotFound();
      await this.outbox.add(deliverHook.with({ deliveryId: repeated.id, turn: repeated.turn }));
      return this.read(hook, id);
    });
  }
}
