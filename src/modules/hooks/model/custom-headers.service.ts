import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { AuditLog } from '../../audit/index.js';
import { type HookOwner, HooksRepository } from '../hooks.repository.js';
import { deleteHeader, isCustomHeader, mergeHeaders } from './custom-headers.js';
import { hookUpdated } from './hook-records.js';
import { customHeadersOf, headerValues } from './hook-secrets.js';
import { invalidHookSetting } from './refusals.js';
import type { NamedValue } from './sealed-values.js';

type Headers = ReadonlyMap<string, string>;

/** Changes single custom headers of hooks. */
@Injectable()
export class CustomHeadersService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly hooks: HooksRepository,
    private readonly secrets: Secrets,
    private readonly audit: AuditLog,
  ) {}

  /** Adds a header, or replaces the one of its name. @throws DomainError record not found, invalid hook setting */
  set(owner: HookOwner, hookId: number, header: NamedValue): Promise<void> {
    if (!isCustomHeader(header)) throw invalidHookSetting('custom-headers');
    return this.change(owner, hookId, (headers) => {
      const merged = mergeHeaders(headers, [header]);
      if (merged === null) throw invalidHookSetting('custom-headers');
      return merged;
    });
  }

  /** @throws DomainError record not found */
  remove(owner: HookOwner, hookId: number, name: string): Promise<void> {
    return this.change(owner, hookId, (headers) => {
      const rest = new Map(headers);
      if (!deleteHeader(rest, name)) throw recordNotFound('custom-header');
      return rest;
    });
  }

  private change(
    owner: HookOwner,
    hookId: number,
    changed: (headers: Headers) => Headers,
  ): Promise<void> {
    return this.work.run(async () => {
      const before = await this.hooks.lock(owner, hookId);
      if (before === null) throw recordNotFound('hook');
      const headers = changed(customHeadersOf(before, this.secrets));
      const values = headerValues(headers, new URL(before.url).origin, this.secrets);
      const after = await this.hooks.update(owner, hookId, values);
      if (after === null) throw recordNotFound('hook');
      await this.audit.record(hookUpdated(before, after));
    });
  }
}
