import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { invalidFields, notFound } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { AuditLog } from '../../audit/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { hookAdded, hookEnabled, hookRemoved } from '../model/hook-records.js';
import { type HookInput, hookUrlOf, hookValues } from '../model/hook-secrets.js';
import type { Hook } from '../model/hook.entity.js';
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

  /** @throws DomainError invalid fields for a bad URL */
  create(input: HookInput): Promise<Hook> {
    const url = hookUrlOf(input.url);
    if (url === null) throw invalidFields({ url: [{ rule: 'not-a-url' }] });
    return this.work.run(async () => {
      const values = hookValues({ ...input, url }, this.secrets, null);
      const hook = (await this.hooks.insert(INSTANCE, values)) as Hook;
      await this.audit.record(hookAdded(hook));
      return hook;
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
      await this.notifier.deliver(
        { kind: 'system', owner: null },
        [sample],
        [{ id, isFailing: false }],
      );
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
