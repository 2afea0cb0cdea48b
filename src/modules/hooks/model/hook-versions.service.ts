import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { AuditLog } from '../../audit/index.js';
import { HooksRepository } from '../hooks.repository.js';
import { hookUpdated } from './hook-records.js';
import { maskPassword } from './hook-secrets.js';
import type { Hook, HookVersion } from './hook.entity.js';

/** Changes the version of hooks, which decides about their payloads and headers. */
@Injectable()
export class HookVersionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly hooks: HooksRepository,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Events from then on are sent in the version; those that are queued already keep theirs.
   * @returns the hook, whose URL has no password
   * @throws DomainError record not found
   */
  set(id: number, version: HookVersion): Promise<Hook> {
    return this.work.run(async () => {
      const before = await this.hooks.lockAny(id);
      if (before === null) throw recordNotFound('hook');
      if (before.apiVersion !== version) {
        await this.hooks.setVersion(id, version);
        await this.audit.record(hookUpdated(before, { ...before, apiVersion: version }));
      }
      return { ...before, url: maskPassword(before.url), apiVersion: version };
    });
  }
}
