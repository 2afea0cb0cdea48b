import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import type { HookKind } from '../model/hook.entity.js';
import { type HookOwner, type HookRecipient, HooksRepository } from '../hooks.repository.js';
import { completeEvent } from './complete-event.job.js';
import { firstAttempt } from './deliver-hook.job.js';
import { lacksFiles } from '../payloads/hook-payloads.js';
import { DeliveriesRepository } from './deliveries.repository.js';

/** What fires hooks: an event of one kind, for the hooks of one project or for system hooks. */
interface HookTrigger {
  readonly kind: HookKind;
  readonly owner: HookOwner;
  /** Whether payloads get their commit from git by a job before they are delivered. Default: false. */
  readonly lacksCommit?: boolean;
}

/** Queues deliveries to hooks, in the unit of work of the event that fires them. */
@Injectable()
export class HookNotifier {
  constructor(
    private readonly hooks: HooksRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Queues a delivery of each payload to each hook that subscribes to the kind of event.
   * @param buildPayloads called only when there is such a hook
   * @returns the number of deliveries
   */
  async notify(
    trigger: HookTrigger,
    buildPayloads: () => Promise<readonly object[]>,
  ): Promise<number> {
    const hooks = await this.hooks.findSubscribed(trigger.owner, trigger.kind);
    if (hooks.length === 0) return 0;
    return (await this.deliver(trigger, await buildPayloads(), hooks)).length;
  }

  /** As `notify`, for an event with a single payload; a null payload is not delivered. */
  async notifyOne(trigger: HookTrigger, buildPayload: () => Promise<object | null>): Promise<void> {
    await this.notify(trigger, async () => {
      const payload = await buildPayload();
      return payload === null ? [] : [payload];
    });
  }

  /**
   * Queues a delivery of each payload to each of some hooks of the owner, whatever they subscribe to; returns the ids of
   * the deliveries. Hooks that have been removed meanwhile get none.
   */
  async deliver(
    { kind, owner: projectId, lacksCommit = false }: HookTrigger,
    payloads: readonly object[],
    hooks: readonly HookRecipient[],
  ): Promise<string[]> {
    if (payloads.length === 0) return [];
    const hookIds = hooks.map(({ id }) => id);
    const event = { kind, isIncomplete: lacksCommit || lacksFiles(kind) };
    const deliveries = await this.deliveries.insert(event, payloads, hookIds);
    if (lacksCommit) {
      const events = [...new Set(deliveries.map(({ eventId }) => eventId))];
      await this.outbox.addAll(events.map((eventId) => completeEvent(eventId, projectId)));
    } else {
      const failing = new Set(hooks.filter(({ isFailing }) => isFailing).map(({ id }) => id));
      const isFailing = ({ hookId }: { hookId: number }): boolean => failing.has(hookId);
      await this.outbox.addAll(
        deliveries.map((delivery) =>
          firstAttempt({ ...delivery, isFailing: isFailing(delivery) }, projectId),
        ),
      );
    }
    return deliveries.map(({ id }) => id);
  }
}
