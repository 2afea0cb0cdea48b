import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { recordNotFound, tooManyRequests } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import { type JobRequest, JobSlots, Outbox } from '../../../platform/queue/index.js';
import { AuditLog } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import {
  AFTER_REQUEST,
  fairnessKeyOf,
  HookDeliverer,
  jobLater,
  jobNow,
} from '../deliveries/deliver-hook.job.js';
import { hookEnabled } from '../model/hook-records.js';
import { deliveryFailed } from '../model/refusals.js';
import { maskPassword } from '../model/hook-secrets.js';
import type { Hook } from '../model/hook.entity.js';
import { HooksRepository } from '../hooks.repository.js';
import type { DeliveryCounts } from './delivery-counts.query.js';
import {
  type DeliveryFilters,
  DeliveryLogRepository,
  type DeliveryPage,
  type DeliveryPosition,
  type InstanceDeliveryDetail,
  type InstanceDeliveryFilters,
  type LoggedDelivery,
  type LoggedDeliveryDetail,
  type ReplayPosition,
  type ReplayRange,
  type RequeuedDelivery,
  type StatusRange,
} from './delivery-log.repository.js';

/** Attempts that requests of one process wait for at once, and those to one hook of them. */
const REQUESTED_AT_ONCE = 16;
const REQUESTED_OF_HOOK = 2;
/** Deliveries on a page of those of all hooks. */
const PAGE_SIZE = 50;

/** Shows the deliveries of hooks, and repeats them. Callers check who may see the hook. */
@Injectable()
export class DeliveryLogService {
  /** How many deliveries a replay requeues in one transaction. */
  readonly replayedAtOnce: number = 1_000;

  private readonly requestSlots = new JobSlots(REQUESTED_AT_ONCE);
  private readonly hookSlots = new JobSlots(REQUESTED_OF_HOOK);

  constructor(
    private readonly work: UnitOfWork,
    private readonly log: DeliveryLogRepository,
    private readonly hooks: HooksRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
    private readonly deliverer: HookDeliverer,
  ) {}

  /** The newest first. */
  list(hook: Hook, filters: DeliveryFilters, request: PageRequest): Promise<Page<LoggedDelivery>> {
    return this.log.page(hook.id, filters, request);
  }

  /** The newest first, each with its last attempt. */
  listWithAttempts(
    hook: Hook,
    statuses: StatusRange | undefined,
    request: PageRequest,
  ): Promise<Page<LoggedDeliveryDetail>> {
    return this.log.pageWithAttempts(hook.id, statuses, request);
  }

  /** @throws DomainError record not found */
  async read(hook: Hook, id: number | string): Promise<LoggedDeliveryDetail> {
    const delivery = await this.log.find(hook.id, id);
    if (delivery === null) throw recordNotFound('delivery');
    return delivery;
  }

  /**
   * Sends a delivery again, with the same id and bytes and all retries. Enables the hook if it was disabled.
   * @throws DomainError record not found
   */
  redeliver(hook: Hook, id: number): Promise<LoggedDelivery> {
    return this.work.run(async () => {
      await this.requeue(hook, id);
      return this.read(hook, id);
    });
  }

  /**
   * Sends a delivery again as `redeliver`, but at once and without retries.
   * @returns the status of the response
   * @throws DomainError record not found, delivery failed, too many requests
   */
  resend(hook: Hook, id: number): Promise<number> {
    return this.attemptOnce(hook, () => this.requeue(hook, id, AFTER_REQUEST));
  }

  /**
   * Makes one attempt of a delivery to a hook, while the caller waits.
   * @param queue queues the delivery in a unit of work, with a job for the case that this process dies
   * @returns the status of the response
   * @throws DomainError delivery failed, too many requests
   */
  async attemptOnce(
    hook: Pick<Hook, 'id'>,
    queue: () => Promise<{ id: string; turn: number }>,
  ): Promise<number> {
    const slots = [
      await this.requestSlots.acquire(['requests']),
      await this.hookSlots.acquire([`hook ${String(hook.id)}`]),
    ];
    try {
      const delays = slots.filter((slot) => typeof slot === 'number');
      if (delays.length > 0) throw tooManyRequests(Math.max(...delays) / 1_000);
      const { id, turn } = await this.work.run(queue);
      const result = await this.deliverer.attemptOnce(id, turn);
      if (result === null) throw recordNotFound('delivery');
      const { response, failure } = result;
      if (failure !== null) throw deliveryFailed(response?.body || failure.message);
      return response?.status ?? 200;
    } finally {
      for (const slot of slots) if (typeof slot !== 'number') slot.release();
    }
  }

  /**
   * The deliveries of all hooks, the newest first. URLs have no password.
   * @param after the end of the page before; undefined for the first
   */
  async listAll(
    filters: InstanceDeliveryFilters,
    after: DeliveryPosition | undefined,
  ): Promise<DeliveryPage> {
    const { deliveries, next } = await this.log.pageOfInstance(filters, after, PAGE_SIZE);
    const shown = deliveries.map((each) => ({ ...each, url: maskPassword(each.url) }));
    return { deliveries: shown, next };
  }

  /**
   * A delivery of any hook, with the beginning of a long request body. The URL has no password.
   * @throws DomainError record not found
   */
  async readAny(id: number): Promise<InstanceDeliveryDetail> {
    const delivery = await this.log.findInInstance(id);
    if (delivery === null) throw recordNotFound('delivery');
    return { ...delivery, url: maskPassword(delivery.url) };
  }

  /**
   * Sends a delivery of any hook again, as `redeliver` does, if it is still at a turn: the second of two equal requests does
   * nothing.
   * @param author who repeats it
   * @returns whether it is sent
   */
  redeliverAtTurn(id: number, turn: number, author: User): Promise<boolean> {
    return this.work.run(async () => {
      const requeued = await this.log.requeueAtTurn(id, turn);
      if (requeued === undefined) return false;
      await this.enable([requeued.hookId], author);
      await this.outbox.add(jobOf(jobNow(requeued), requeued));
      return true;
    });
  }

  /**
   * Sends all deliveries of a range again, each with its id and bytes. Enables hooks that were disabled
   * because no delivery succeeded, and skips those whose receivers responded 410.
   * @returns how many
   */
  async replay(range: ReplayRange): Promise<number> {
    let total = 0;
    let position: ReplayPosition | undefined;
    do {
      const batch = await this.replayBatch(range, position);
      total += batch.requeued;
      position = batch.last;
    } while (position !== undefined);
    return total;
  }

  /** Counts deliveries and disabled hooks of the whole instance. */
  count(): Promise<DeliveryCounts> {
    return this.log.count();
  }

  /** Queues a delivery again, and enables its hook. @throws DomainError record not found */
  private async requeue(hook: Hook, id: number, options = {}): Promise<RequeuedDelivery> {
    await this.enable([hook.id]);
    const requeued = await this.log.requeue(hook.id, id);
    if (requeued === undefined) throw recordNotFound('delivery');
    await this.outbox.add(jobOf(jobNow(requeued), requeued, options));
    return requeued;
  }

  /** Enables hooks that were disabled. @param author where the route does not say who it is */
  private async enable(hookIds: readonly number[], author?: User): Promise<void> {
    const enabled = await this.hooks.enable(hookIds);
    const by = author === undefined ? {} : { author };
    await this.audit.record(...enabled.map((hook) => ({ ...hookEnabled(hook), ...by })));
  }

  private replayBatch(
    range: ReplayRange,
    after: ReplayPosition | undefined,
  ): Promise<{ requeued: number; last: ReplayPosition | undefined }> {
    return this.work.run(async () => {
      const deliveries = await this.log.findInRange(range, after, this.replayedAtOnce);
      await this.enable([...new Set(deliveries.map(({ hookId }) => hookId))]);
      const ids = deliveries.map(({ id }) => id);
      const requeued = await this.log.requeueAll(ids, range.states);
      // In the queue of retries, so that new events go first.
      await this.outbox.addAll(requeued.map((each) => jobOf(jobLater(each), each)));
      return { requeued: requeued.length, last: deliveries.at(-1) };
    });
  }
}

function jobOf(
  kind: ReturnType<typeof jobNow>,
  delivery: RequeuedDelivery,
  options = {},
): JobRequest {
  const { id, turn } = delivery;
  const fairnessKey = fairnessKeyOf(delivery);
  return kind.with({ deliveryId: id, turn }, { ...options, fairnessKey });
}
