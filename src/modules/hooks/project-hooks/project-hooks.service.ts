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
import type { Hook } from '../model/hook.entity.js';
import { HooksRepository } from '../hooks.repository.js';
import { HookPayloads, type SampleKind } from '../payloads/hook-payloads.js';
import { invalidHookUrl, nothingToSample, tooManyHooks } from './refusals.js';

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
    private readonly payloads: HookPayloads,
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
   * @throws DomainError invalid hook URL, too many hooks, not found for a deleted project
   */
  create(projectId: number, input: HookInput): Promise<Hook> {
    const valid = withValidUrl(input);
    return this.work.run(async () => {
      if (!(await this.hooks.hasRoom(projectId, HOOKS_PER_PROJECT))) {
        throw tooManyHooks(HOOKS_PER_PROJECT);
      }
      const hook = await this.hooks.insert(projectId, hookValues(valid, this.secrets, null));
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
      const { id } = await this.create(projectId, valid);
      await this.hooks.disable(id, 'imported');
      return true;
    });
  }

  /**
   * Updates the given settings, and enables the hook if it was disabled. Secrets are dropped when the URL
   * changes to another server.
   * @throws DomainError invalid hook URL, record not found
   */
  async update(projectId: number, id: number, changes: HookChanges): Promise<Hook> {
    const hook = await this.work.run(async () => {
      const before = await this.hooks.lock(projectId, id);
      if (before === null) throw recordNotFound('hook');
      const valid = withValidUrl({ ...changes, url: changes.url ?? before.url });
      const updated = await this.hooks.update(
        projectId,
        id,
        hookValues(valid, this.secrets, before),
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
    const payload = await this.payloads.buildSample(kind, project, userId);
    if (payload === null) throw nothingToSample(kind);
    return this.work.run(async () => {
      const enabled = await this.hooks.enable([id]);
      await this.audit.record(...enabled.map(hookEnabled));
      const trigger = { kind, owner: project.id };
      const recipients = [{ id, isFailing: false }];
      const [deliveryId] = await this.notifier.deliver(trigger, [payload], recipients);
      // Without an id the hook has been removed meanwhile.
      return this.log.read(hook, deliveryId ?? 0);
    });
  }
}

/** @throws DomainError invalid hook URL */
function withValidUrl(input: HookInput): HookInput {
  const url = hookUrlOf(input.url);
  if (url === null) throw invalidHookUrl();
  return { ...input, url };
}
