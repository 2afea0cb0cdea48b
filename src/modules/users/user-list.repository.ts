import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { containing, Database, PLANNED_EACH_TIME } from '../../platform/database/index.js';
import { type Page, type PageRequest, pageOfQuery } from '../../platform/http/index.js';
import { User } from './user.entity.js';

/** Which accounts a list shows; all that is given has to hold (open points 3.17). */
export interface UserFilters {
  /** The one account of this name, whatever its case; nothing else is looked at then. */
  username?: string | undefined;
  /** Part of the user name or name, and for administrators of the primary e-mail. */
  search?: string | undefined;
  active: boolean;
  blocked: boolean;
  /** For administrators only. */
  external: boolean;
}

@Injectable()
export class UserListRepository {
  constructor(private readonly database: Database) {}

  /** The living accounts, newest first. */
  page(filters: UserFilters, forAdmin: boolean, request: PageRequest): Promise<Page<User>> {
    const query = this.database
      .of(User)
      .createQueryBuilder('user')
      .where('user.deleted_at IS NULL AND NOT user.ghost')
      .orderBy('user.id', 'DESC');
    filter(query, filters, forAdmin);
    return pageOfQuery(this.database, query, request);
  }
}

function filter(query: SelectQueryBuilder<User>, filters: UserFilters, forAdmin: boolean): void {
  const { username, search } = filters;
  if (username !== undefined) {
    query.andWhere('lower(user.username) = lower(:username)', { username });
    return;
  }
  if (filters.active) query.andWhere(`user.state = 'active'`);
  if (filters.blocked) query.andWhere(`user.state = 'blocked'`);
  if (filters.external && forAdmin) query.andWhere('user.external');
  if (search === undefined) return;
  const texts = ['username', 'name', ...(forAdmin ? ['email'] : [])];
  const condition = texts.map((text) => `user.${text} ILIKE :search`).join(' OR ');
  query.comment(PLANNED_EACH_TIME).andWhere(`(${condition})`, { search: containing(search) });
}
