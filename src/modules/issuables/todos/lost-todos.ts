import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { AccessEnded, projectLevels, Visibility } from '../../access/index.js';
import { OnDomainEvent } from '../../activity/index.js';

/**
 * Removes todos in private projects from those who are no members of them any more
 * (docs/reference/todos.md#when-todos-are-done).
 */
@Injectable()
export class LostTodos {
  constructor(private readonly database: Database) {}

  @OnDomainEvent(AccessEnded)
  async remove({ scope, userIds }: AccessEnded): Promise<void> {
    const { projectIds = [], groupIds = [] } = scope;
    await this.database.rows(REMOVE, [projectIds, groupIds, userIds]);
  }
}

const REMOVE = `
  WITH place AS (
    SELECT p.id FROM projects p
     WHERE p.visibility_level = ${String(Visibility.PRIVATE)}
       AND p.id IN (SELECT unnest($1::int[])
                    UNION SELECT own.id FROM projects own WHERE own.namespace_id = ANY($2::int[])
                    UNION SELECT l.project_id FROM project_group_links l
                           WHERE l.group_id = ANY($2::int[])))
  DELETE FROM todos t USING users u
   WHERE u.id = t.user_id AND NOT u.admin
     AND t.project_id IN (SELECT place.id FROM place)
     AND ($3::int[] IS NULL OR t.user_id = ANY($3::int[]))
     AND NOT EXISTS (SELECT 1 FROM (${projectLevels('t.user_id')}) levels
                      WHERE levels.project_id = t.project_id)`;
