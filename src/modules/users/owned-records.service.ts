import { notFound, type Resource } from '../../platform/errors/index.js';
import type { Page, PageRequest } from '../../platform/http/index.js';
import type { OwnedRecordsRepository } from './owned-records.repository.js';
import type { UsersRepository } from './users.repository.js';

/** What keys and e-mails have in common: lists, single ones and removal (specification 4.8). */
export abstract class OwnedRecordsService<Entity extends { id: number; userId: number | null }> {
  protected constructor(
    protected readonly users: UsersRepository,
    private readonly records: OwnedRecordsRepository<Entity>,
    private readonly resource: Resource,
  ) {}

  /** @throws DomainError not found: there is no such account */
  async list(userId: number, request: PageRequest): Promise<Page<Entity>> {
    await this.requireUser(userId);
    return this.records.page(userId, request);
  }

  /** @throws DomainError not found, also for what belongs to somebody else */
  async read(userId: number, id: number): Promise<Entity> {
    const record = await this.records.find(userId, id);
    if (record === null) throw notFound(this.resource);
    return record;
  }

  /** The removed record; null when the account has no such one. */
  async removeIfPresent(userId: number, id: number): Promise<Entity | null> {
    const record = await this.records.find(userId, id);
    return record !== null && (await this.records.remove(userId, id)) ? record : null;
  }

  /**
   * The removed record.
   * @throws DomainError not found: there is no such account, or it has no such record
   */
  async remove(userId: number, id: number): Promise<Entity> {
    await this.requireUser(userId);
    const removed = await this.removeIfPresent(userId, id);
    if (removed === null) throw notFound(this.resource);
    return removed;
  }

  private async requireUser(userId: number): Promise<void> {
    if ((await this.users.findById(userId)) === null) throw notFound('User');
  }
}
