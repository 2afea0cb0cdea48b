import type { EntityTarget, FindOptionsWhere } from 'typeorm';
import type { Database } from '../../../platform/database/index.js';
import { type Page, type PageRequest, pageOfQuery } from '../../../platform/pages/index.js';

interface OwnedRecord {
  id: number;
  userId: number | null;
}

/** Records of one kind that accounts own. Every method is limited to the records of one account. */
export abstract class OwnedRecordsRepository<Entity extends OwnedRecord> {
  protected constructor(
    protected readonly database: Database,
    private readonly entity: EntityTarget<Entity>,
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

  /** @returns false when a concurrent request removed it */
  async remove(userId: number, id: number): Promise<boolean> {
    const owned = { id, userId } as FindOptionsWhere<Entity>;
    const { affected } = await this.database.of(this.entity).delete(owned);
    return affected === 1;
  }
}
