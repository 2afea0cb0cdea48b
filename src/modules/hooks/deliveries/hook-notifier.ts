import { Injectable } from '@nestjs/common';
import { groupBy } from '../../../platform/collections/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { branchMatcher, type FilterBudget } from '../model/branch-filter.js';
import type { HookKind, HookVersion } from '../model/hook.entity.js';
import { type HookOwner, type HookRecipient, HooksRepository } from '../hooks.repository.js';
import { completeEvent } from './complete-event.job.js';
import { AFTER_REQUEST, firstAttempt } from './deliver-hook.job.js';
import { lacksFiles } from '../payloads/hook-payloads.js';
import { DeliveriesRepository } from './deliveries.repository.js';

/** What fires hooks: an event of one kind, for the hooks of one project or for system hooks. */
export interface HookTrigger {
  readonly kind: HookKind;
  readonly owner: HookOwner;
  /** Whether payloads get their commit from git by a job before they are delivered. Default: false. */
  readonly lacksCommit?: boolean;
  /** Whether an attempt is made on request first, so that the jobs wait. Default: false. */
  readonly isAttempted?: boolean;
}

/** Builds the payloads of an event for hooks of a version. */
type BuildPayloads = (version: HookVersion) => Promise<readonly object[]>;

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
   * @param buildPayloads called only for versions that have such a hook
   * @returns the number of deliveries
   */
  async notify(trigger: HookTrigger, buildPayloads: BuildPayloads): Promise<number> {
    const hooks = await this.hooks.findSubscribed(trigger.owner, trigger.kind);
    return this.notifyHooks(trigger, hooks, buildPayloads);
  }

  /** As `notify`, for an event with a single payload; a null payload is not delivered. */
  async notifyOne(
    trigger: HookTrigger,
    buildPayload: (version: HookVersion) => Promise<object | null>,
  ): Promise<void> {
    await this.notify(trigger, async (version) => {
      const payload = await buildPayload(version);
      return payload === null ? [] : [payload];
    });
  }

  /** As `notifyOne`, for the hooks of a project and those of the instance. */
  async notifyOneWithInstance(
    trigger: HookTrigger & { readonly owner: number },
    buildPayload: (version: HookVersion) => Promise<object | null>,
  ): Promise<void> {
    const byOwner = await this.hooks.findSubscribedWithInstance(trigger.owner, trigger.kind);
    for (const [owner, hooks] of byOwner) {
      await this.notifyHooks({ ...trigger, owner }, hooks, async (version) => {
        const payload = await buildPayload(version);
        return payload === null ? [] : [payload];
      });
    }
  }

  /**
   * As `notify`, for pushes: a hook gets the branches that pass its filter.
   * @param branches what the payloads are about, in their order; null for a tag, which passes all filters
   * @param budget of the push
   */
  async notifyOfRefs(
    trigger: HookTrigger,
    branches: readonly (string | null)[],
    budget: FilterBudget,
    buildPayloads: BuildPayloads,
  ): Promise<number> {
    let count = 0;
    const subscribed = await this.hooks.findSubscribed(trigger.owner, trigger.kind);
    for (const [version, hooks] of byVersion(subscribed)) {
      const filters = groupBy(hooks, ({ filter, strategy }) => `${strategy} ${filter ?? ''}`);
      for (const recipients of filters.values()) {
        const passes = branchMatcher(recipients[0] as HookRecipient, budget);
        const wanted = branches.map((branch) => branch === null || passes(branch));
        if (!wanted.includes(true)) continue;
        const payloads = (await buildPayloads(version)).filter((_, index) => wanted[index]);
        count += (await this.deliver(trigger, payloads, recipients)).length;
      }
    }
    return count;
  }

  /**
   * Queues a delivery of each payload to each of some hooks of the owner, all of one version, whatever they subscribe to; returns
   * the ids of the deliveries. Hooks that have been removed meanwhile get none.
   */
  async deliver(
    { kind, owner: projectId, lacksCommit = false, isAttempted = false }: HookTrigger,
    payloads: readonly object[],
    hooks: readonly HookRecipient[],
  ): Promise<string[]> {
    const [first] = hooks;
    if (payloads.length === 0 || first === undefined) return [];
    const hookIds = hooks.map(({ id }) => id);
    const { version } = first;
    const event = { kind, version, isIncomplete: lacksCommit || lacksFiles(kind) };
    const deliveries = await this.deliveries.insert(event, payloads, hookIds);
    if (lacksCommit) {
      const events = [...new Set(deliveries.map(({ eventId }) => eventId))];
      await this.outbox.addAll(
        events.map((eventId) => completeEvent({ eventId, projectId }, version)),
      );
    } else {
      const failing = new Set(hooks.filter(({ isFailing }) => isFailing).map(({ id }) => id));
      const isFailing = ({ hookId }: { hookId: number }): boolean => failing.has(hookId);
      const options = isAttempted ? AFTER_REQUEST : {};
      await this.outbox.addAll(
        deliveries.map((delivery) =>
          firstAttempt({ ...delivery, isFailing: isFailing(delivery) }, projectId, options),
        ),
      );
    }
    return deliveries.map(({ id }) => id);
  }

  private async notifyHooks(
    trigger: HookTrigger,
    hooks: readonly HookRecipient[],
    buildPayloads: BuildPayloads,
  ): Promise<number> {
    let count = 0;
    for (const [version, recipients] of byVersion(hooks)) {
      count += (await this.deliver(trigger, await buildPayloads(version), recipients)).length;
    }
    return count;
  }
}

const byVersion = (hooks: readonly HookRecipient[]): ReadonlyMap<HookVersion, HookRecipient[]> =>
  groupBy(hooks, ({ version }) => version);
