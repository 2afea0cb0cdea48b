import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  notFound,
  recordNotFound,
  ruleViolated,
  unprocessable,
} from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/http/index.js';
import { HOOKS_PER_PROJECT } from '../../../platform/limits/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { isHookUrl } from '../hook-address.js';
import { type HookInput, hookValues } from '../hook-values.js';
import type { Hook } from '../hook.entity.js';
import { HooksRepository } from '../hooks.repository.js';

const TOO_MANY = `Maximum number of project hooks (${String(HOOKS_PER_PROJECT)}) exceeded`;

/** The hooks of projects (specification 4.5). */
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
   * Changes what is given; a hook that was given up is tried again. Its secrets do not go to another server.
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

  /** @returns the hook as it was; null when there was none */
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
