import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { AuditLog } from '../../audit/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { hookAdded, hookEnabled, hookRemoved, hookUpdated } from '../model/hook-records.js';
import { type HookChanges, type HookInput, hookUrlOf, hookValues } from '../model/hook-secrets.js';
import type { Hook, HookVersion } from '../model/hook.entity.js';
import { assertFlawless, invalidSystemHookUrl } from '../model/refusals.js';
import { HooksRepository } from '../hooks.repository.js';

const INSTANCE = null;

/** Manages system hooks, the hooks of the instance. See docs/reference/hooks.md#system-hooks. */
@Injectable()
export class SystemHooksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly hooks: HooksRepository,
    private readonly secrets: Secrets,
    private readonly notifier: HookNotifier,
    private readonly audit: AuditLog,
  ) {}

  /** The newest first. */
  list(request: PageRequest): Promise<Page<Hook>> {
    return this.hooks.page(INSTANCE, request);
  }

  /**
   * @param version of the API that its maker uses
   * @throws DomainError invalid system hook URL, invalid hook setting
   */
  create(input: HookInput, version: HookVersion): Promise<Hook> {
    const valid = withValidUrl(input);
    return this.work.run(async () => {
      const values = assertFlawless(hookValues(valid, this.secrets, null));
      const hook = (await this.hooks.insert(INSTANCE, values, version)) as Hook;
      await this.audit.record(hookAdded(hook));
      return hook;
    });
  }

  /**
   * Updates the given settings as `ProjectHooksService.update`.
   * @throws DomainError not found, invalid system hook URL, invalid hook setting
   */
  update(id: number, changes: HookChanges): Promise<Hook> {
    return this.work.run(async () => {
      const before = await this.hooks.lock(INSTANCE, id);
      if (before === null) throw notFound('system-hook');
      const valid = withValidUrl({ ...changes, url: changes.url ?? before.url });
      const values = assertFlawless(hookValues(valid, this.secrets, before));
      const after = await this.hooks.update(INSTANCE, id, values);
      if (after === null) throw notFound('system-hook');
      await this.audit.record(hookUpdated(before, after));
      return after;
    });
  }

  /** @throws DomainError not found */
  async read(id: number): Promise<Hook> {
    const hook = await this.hooks.find(INSTANCE, id);
    if (hook === null) throw notFound('system-hook');
    return hook;
  }

  /** Queues a delivery of a sample payload, and enables the hook if it was disabled. @throws DomainError not found */
  test(id: number, sample: object): Promise<void> {
    return this.work.run(async () => {
      await this.read(id);
      const enabled = await this.hooks.enable([id]);
      await this.audit.record(...enabled.map(hookEnabled));
      const recipient = await this.hooks.findRecipient(id);
      if (recipient === null) throw notFound('system-hook');
      await this.notifier.deliver({ kind: 'system', owner: null }, [sample], [recipient]);
    });
  }

  /** @returns the removed hook. @throws DomainError not found */
  remove(id: number): Promise<Hook> {
    return this.work.run(async () => {
      const hook = await this.read(id);
      if (!(await this.hooks.remove(INSTANCE, id))) throw notFound('system-hook');
      await this.audit.record(hookRemoved(hook));
      return hook;
    });
  }
}

/** @throws DomainError invalid system hook URL */
function withValidUrl(input: HookInput): HookInput {
  const url = hookUrlOf(input.url);
  if (url === null) throw invalidSystemHookUrl();
  return { ...input, url };
}
