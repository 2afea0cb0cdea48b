import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/index.js';
import { Namespace } from './namespace.entity.js';

@Injectable()
export class NamespacesRepository {
  constructor(private readonly database: Database) {}

  findById(id: number): Promise<Namespace | null> {
    return this.database.of(Namespace).findOneBy({ id, deletedAt: IsNull() });
  }

  findByIds(ids: readonly number[]): Promise<Namespace[]> {
    return this.database
      .of(Namespace)
      .createQueryBuilder('namespace')
      .where('namespace.id = ANY(:ids)', { ids: [...new Set(ids)] })
      .getMany();
  }

  findPersonal(userId: number): Promise<Namespace | null> {
    return this.database.of(Namespace).findOneBy({ ownerId: userId, deletedAt: IsNull() });
  }
}
