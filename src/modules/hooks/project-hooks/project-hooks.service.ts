import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  notFound,
  recordNotFound,
  ruleViolated,
  unprocessable,
} from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pages/index.js';
import { HOOKS_PER_PROJECT } from '../../../platform/limits/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { type HookInput, hookValues, isHookUrl } from '../hook-secrets.js';
import type { Hook } from '../hook.entity.js';
import { HooksRepository } from '../hooks.repository.js';

const TOO_MANY = `Maximum number of project hooks (${String(HOOKS_PER_PROJECT)}) exceeded`;

/** Manages the hooks of projects. */
@Injectable()
export class ProjectHooksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly hooks: HooksRepository,
    private readonly secrets: Secrets,
  ) {}

  /** The newest first. */
  list(projectId: number, request: PageRequest): Promise<Page<Hook>> {
    return this.hooks.page(projectId, request);
  }

  /** @throws DomainError record not found */
  async read(projectId: number, id: number): Promise<Hook> {
    const hook = await this.hooks.find(projectId, id);
    if (hook === null) throw recordNotFound();
    return hook;
  }

  /**
   * @throws DomainError unprocessable for a bad URL, not found for a deleted project, rule violated for a
   *   hook beyond `HOOKS_PER_PROJECT`
   */
  create(projectId: number, input: HookInput): Promise<Hook> {
    assertUrl(input);
    return this.work.run(async () => {
      if (!(await this.hooks.hasRoom(projectId, HOOKS_PER_PROJECT))) throw ruleViolated(TOO_MANY);
      const hook = await this.hooks.insert(projectId, hookValues(input, this.secrets, null));
      if (hook === null) throw notFound('Project');
      return hook;
    });
  }

  /**
   * Updates the given settings, and enables the hook if it was disabled. Secrets are dropped when the URL
   * changes to another server.
   * @throws DomainError unprocessable for a bad URL, record not found
   */
  async update(projectId: number, id: number, input: HookInput): Promise<Hook> {
    const hook = await this.work.run(async () => {
      const before = await this.hooks.lock(projectId, id);
      if (before === null) throw recordNotFound();
      assertUrl(input);
      return this.hooks.update(projectId, id, hookValues(input, this.secrets, before));
    });
    if (hook === null) throw recordNotFound();
    return hook;
  }

  /** @returns the removed hook; null when there is no such hook */
  remove(projectId: number, id: number): Promise<Hook | null> {
    return this.work.run(async () => {
      const hook = await this.hooks.find(projectId, id);
      return hook !== null && (await this.hooks.remove(projectId, id)) ? hook : null;
    });
  }
}

function assertUrl({ url }: HookInput): void {
  if (!isHookUrl(url)) throw unprocessable({ error: 'Invalid url given' });
}
