import type { EntityTarget, FindOptionsWhere } from 'typeorm';
import { type Database, holdUnmodified } from '../../../platform/database/index.js';
import { notFound, type Resource } from '../../../platform/errors/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/pagination/index.js';
import type { UsersRepository } from '../model/users.repository.js';

interface OwnedRecord {
  id: number;
  userId: number | null;
}

/** Records of one kind that accounts own. Every method is limited to the records of one account. */
export abstract class OwnedRecordsRepository<Entity extends OwnedRecord> {
  protected constructor(
    protected readonly database: Database,
    private readonly entity: EntityTarget<Entity>,
    private readonly tableName: string,
  ) {}

  /** Lists the records of an account, newest first. */
  list(userId: number, request: PageRequest): Promise<Page<Entity>> {
    const query = this.database
      .of(this.entity)
      .createQueryBuilder('record')
      .where('record.user_id = :userId', { userId })
      .orderBy('record.id', 'DESC');
    return pageOfQuery(this.database, query, request);
  }

  find(userId: number, id: number): Promise<Entity | null> {
    return this.database.of(this.entity).findOneBy({ id, userId } as FindOptionsWhere<Entity>);
  }

  /** Call in a unit of work. @returns false when a concurrent request removed it */
  async remove(userId: number, id: number): Promise<boolean> {
    const row = { table: this.tableName, column: 'created_at', where: 'id = $1' } as const;
    await holdUnmodified(this.database, row, [id]);
    const owned = { id, userId } as FindOptionsWhere<Entity>;
    const { affected } = await this.database.of(this.entity).delete(owned);
    return affected === 1;
  }
}

/** Lists, reads and removes SSH keys or e-mail addresses of an account. */
export abstract class OwnedRecordsService<Entity extends { id: number; userId: number | null }> {
  protected constructor(
    protected readonly users: UsersRepository,
    private readonly records: OwnedRecordsRepository<Entity>,
    private readonly resource: Resource,
  ) {}

  /** @throws DomainError not found: there is no such account */
  async list(userId: number, request: PageRequest): Promise<Page<Entity>> {
    await this.requireUser(userId);
    return this.records.list(userId, request);
  }

  /** @throws DomainError not found, also for a record of another account */
  async read(userId: number, id: number): Promise<Entity> {
    const record = await this.records.find(userId, id);
    if (record === null) throw notFound(this.resource);
    return record;
  }

  /** Removes a record and returns it; null when the account has no such record. */
  async removeIfPresent(userId: number, id: number): Promise<Entity | null> {
    const record = await this.records.find(userId, id);
    return record !== null && (await this.records.remove(userId, id)) ? record : null;
  }

  /**
   * Removes a record and returns it.
   * @throws DomainError not found: there is no such account, or it has no such record
   */
  async remove(userId: number, id: number): Promise<Entity> {
    await this.requireUser(userId);
    const removed = await this.removeIfPresent(userId, id);
    if (removed === null) throw notFound(this.resource);
    return removed;
  }

  private async requireUser(userId: number): Promise<void> {
    if ((await this.users.findById(userId)) === null) throw notFound('user');
  }
}
