import type { EntityTarget, FindOptionsWhere } from 'typeorm';
import type { Database } from '../../platform/database/index.js';
import { type Page, type PageRequest, pageOfQuery } from '../../platform/http/index.js';

interface Owned {
  id: number;
  userId: number | null;
}

/** Records of one kind that belong to accounts; an account never reaches those of others. */
export abstract class OwnedRecordsRepository<Entity extends Owned> {
  protected constructor(
    protected readonly database: Database,
    private readonly entity: EntityTarget<Entity>,
  ) {}

  /** Newest first. */
  page(userId: number, request: PageRequest): Promise<Page<Entity>> {
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

  /** False when somebody else has removed it meanwhile. */
  async remove(userId: number, id: number): Promise<boolean> {
    const owned = { id, userId } as FindOptionsWhere<Entity>;
    const { affected } = await this.database.of(this.entity).delete(owned);
    return affected === 1;
  }
}
