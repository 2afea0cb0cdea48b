import { Injectable } from '@nestjs/common';
import { Database, plannedOnce } from '../../platform/database/index.js';
import { type Ability } from './permissions.js';
import {
  allows,
  canSee,
  type ProjectAccess,
  type ProjectRef,
  seesByVisibility,
  type Subject,
} from './project-access.js';
import { projectLevels } from './sql.js';
import { Level } from './levels.js';

interface Row {
  id: number;
  admin: boolean;
  external: boolean;
  level: number;
}

/** How one of several users stands on a project. */
export interface Standing extends ProjectAccess {
  readonly subject: NonNullable<Subject>;
}

/** Tells how several users stand on one project, with one statement. */
@Injectable()
export class ProjectReadersRepository {
  constructor(private readonly database: Database) {}

  /** The standing of each user that is there and not blocked; those who do not see it are left out. */
  async standings(
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<ReadonlyMap<number, Standing>> {
    const rows = await this.database.rows<Row>(STANDINGS, [userIds, project.id]);
    const standings = rows.map(({ level, ...subject }): [number, Standing] => [
      subject.id,
      {
        subject,
        project,
        level: subject.admin ? Level.OWNER : level,
        visible: seesByVisibility(subject, project.visibilityLevel),
      },
    ]);
    return new Map(standings.filter(([, access]) => canSee(access)));
  }

  /** Those of the users who have an ability on the project. */
  async having(
    ability: Ability,
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<number[]> {
    const standings = await this.standings(project, userIds);
    return [...standings].filter(([, access]) => allows(access, ability)).map(([id]) => id);
  }
}

const STANDINGS = `
  SELECT u.id, u.admin, u.external, coalesce(best.level, ${String(Level.VISITOR)}) AS level
    FROM users u
    CROSS JOIN LATERAL (
      SELECT max(levels.access_level) AS level FROM (${projectLevels('u.id')}) levels
       WHERE levels.project_id = $2) best
   WHERE u.id = ANY(${plannedOnce('$1', 'int')}) AND u.state = 'active' AND u.deleted_at IS NULL`;
