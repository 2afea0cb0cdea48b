import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound, recordNotFound } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import { AuditLog } from '../../audit/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import type { LoggedDelivery } from '../delivery-log/delivery-log.repository.js';
import { DeliveryLogService } from '../delivery-log/delivery-log.service.js';
import { hookAdded, hookEnabled, hookRemoved, hookUpdated } from '../model/hook-records.js';
import { type HookChanges, type HookInput, hookUrlOf, hookValues } from '../model/hook-secrets.js';
import type { Hook, HookVersion, SampleKind } from '../model/hook.entity.js';
import { type HookRecipient, HooksRepository } from '../hooks.repository.js';
import { HookSamples } from '../payloads/hook-samples.js';
import {
  assertFlawless,
  invalidHookUrl,
  nothingToSample,
  tooManyHooks,
} from '../model/refusals.js';

/** Each is asked at every event, and each event is delivered to all that want it. */
export const HOOKS_PER_PROJECT = 100;

/** Manages the hooks of projects, and sends them test deliveries. */
@Injectable()
export class ProjectHooksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly hooks: HooksRepository,
    private readonly log: DeliveryLogService,
    private readonly notifier: HookNotifier,
    private readonly samples: HookSamples,
    private readonly secrets: Secrets,
    private readonly audit: AuditLog,
  ) {}

  /** The newest first. */
  list(projectId: number, request: PageRequest): Promise<Page<Hook>> {
    return this.hooks.page(projectId, request);
  }

  /** @throws DomainError record not found */
  async read(projectId: number, id: number): Promise<Hook> {
    const hook = await this.hooks.find(projectId, id);
    if (hook === null) throw recordNotFound('hook');
    return hook;
  }

  /**
   * @param version of the API that its maker uses
   * @throws DomainError invalid hook URL or setting, too many hooks, not found for a deleted project
   */
  create(projectId: number, input: HookInput, version: HookVersion): Promise<Hook> {
    const valid = withValidUrl(input);
    return this.work.run(async () => {
      if (!(await this.hooks.hasRoom(projectId, HOOKS_PER_PROJECT))) {
        throw tooManyHooks(HOOKS_PER_PROJECT);
      }
      const values = assertFlawless(hookValues(valid, this.secrets, null));
      const hook = await this.hooks.insert(projectId, values, version);
      if (hook === null) throw notFound('project');
      await this.audit.record(hookAdded(hook));
      return hook;
    });
  }

  /**
   * Creates a disabled hook from another server, which gives out no secrets, unless there is one of this URL. Changing the
   * hook enables it.
   * @returns whether it was created
   * @throws DomainError as `create`
   */
  createImported(projectId: number, input: HookInput): Promise<boolean> {
    const valid = withValidUrl(input);
    return this.work.run(async () => {
      if (await this.hooks.hasUrl(projectId, valid.url)) return false;
      const { id } = await this.create(projectId, valid, 3);
      await this.hooks.disable(id, 'imported');
      return true;
    });
  }

  /**
   * Updates the given settings, and enables the hook if it was disabled. Secrets are dropped when the URL
   * changes to another server.
   * @throws DomainError invalid hook URL or setting, record not found
   */
  async update(projectId: number, id: number, changes: HookChanges): Promise<Hook> {
    const hook = await this.work.run(async () => {
      const before = await this.hooks.lock(projectId, id);
      if (before === null) throw recordNotFound('hook');
      const valid = withValidUrl({ ...changes, url: changes.url ?? before.url });
      const updated = await this.hooks.update(
        projectId,
        id,
        assertFlawless(hookValues(valid, this.secrets, before)),
      );
      if (updated !== null) await this.audit.record(hookUpdated(before, updated));
      return updated;
    });
    if (hook === null) throw recordNotFound('hook');
    return hook;
  }

  /** @returns the removed hook; null when there is no such hook */
  remove(projectId: number, id: number): Promise<Hook | null> {
    return this.work.run(async () => {
      const hook = await this.hooks.find(projectId, id);
      if (hook === null || !(await this.hooks.remove(projectId, id))) return null;
      await this.audit.record(hookRemoved(hook));
      return hook;
    });
  }

  /**
   * Queues a test delivery, whatever the hook subscribes to. Enables the hook if it was disabled.
   * @param userId who acts in the payload
   * @throws DomainError record not found, nothing to sample
   */
  async test(
    project: ProjectRef,
    id: number,
    kind: SampleKind,
    userId: number,
  ): Promise<LoggedDelivery> {
    const hook = await this.read(project.id, id);
    const payload = await this.sample(hook, project, kind, userId);
    return this.work.run(async () => {
      const recipient = await this.enable(id);
      const trigger = { kind, owner: project.id };
      const [deliveryId] = await this.notifier.deliver(trigger, [payload], [recipient]);
      // Without an id the hook has been removed meanwhile.
      return this.log.read(hook, deliveryId ?? 0);
    });
  }

  /**
   * Makes a test delivery at once, without retries. Enables the hook if it was disabled.
   * @param userId who acts in the payload
   * @throws DomainError record not found, nothing to sample, delivery failed, too many requests
   */
  async testNow(project: ProjectRef, id: number, kind: SampleKind, userId: number): Promise<void> {
    const hook = await this.read(project.id, id);
    const payload = await this.sample(hook, project, kind, userId);
    await this.log.attemptOnce(hook, async () => {
      const recipient = await this.enable(id);
      const trigger = { kind, owner: project.id, isAttempted: true };
      const [deliveryId] = await this.notifier.deliver(trigger, [payload], [recipient]);
      if (deliveryId === undefined) throw recordNotFound('hook');
      return { id: deliveryId, turn: 0 };
    });
  }

  private async sample(
    hook: Hook,
    project: ProjectRef,
    kind: SampleKind,
    userId: number,
  ): Promise<object> {
    const payload = await this.samples.build(hook.apiVersion, { kind, project, userId });
    if (payload === null) throw nothingToSample(kind);
    return payload;
  }

  private async enable(id: number): Promise<HookRecipient> {
    const enabled = await this.hooks.enable([id]);
    await this.audit.record(...enabled.map(hookEnabled));
    const recipient = await this.hooks.findRecipient(id);
    if (recipient === null) throw recordNotFound('hook');
    return recipient;
  }
}

/** @throws DomainError invalid hook URL */
function withValidUrl(input: HookInput): HookInput {
  const url = hookUrlOf(input.url);
  if (url === null) throw invalidHookUrl();
  return { ...input, url };
}
