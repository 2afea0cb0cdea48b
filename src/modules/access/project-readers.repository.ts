import { Injectable } from '@nestjs/common';
import { Database, opaqueArray } from '../../platform/database/index.js';
import {
  allows,
  canSee,
  type ProjectAccess,
  type ProjectRef,
  seesByVisibility,
  type Subject,
} from './effective-access.js';
import { projectLevels } from './memberships.sql.js';
import { type Ability, Level } from './permissions.js';

interface Row {
  id: number;
  admin: boolean;
  external: boolean;
  level: number;
}

/** The access of one of several users to a project. */
export interface ReaderAccess extends ProjectAccess {
  readonly subject: NonNullable<Subject>;
}

/** Resolves the access of several users to one project, with one statement. */
@Injectable()
export class ProjectReadersRepository {
  constructor(private readonly database: Database) {}

  /** Finds the access of those users who see the project. Blocked and deleted users are left out. */
  async findAccess(
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<ReadonlyMap<number, ReaderAccess>> {
    const rows = await this.database.rows<Row>(FIND_LEVELS, [userIds, project.id]);
    const accesses = rows.map(({ level, ...subject }): [number, ReaderAccess] => [
      subject.id,
      {
        subject,
        project,
        level: subject.admin ? Level.OWNER : level,
        visible: seesByVisibility(subject, project.visibilityLevel),
      },
    ]);
    return new Map(accesses.filter(([, access]) => canSee(access)));
  }

  /** Finds the IDs of those users who have an ability on the project. */
  async findWithAbility(
    ability: Ability,
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<number[]> {
    const accesses = await this.findAccess(project, userIds);
    return [...accesses].filter(([, access]) => allows(access, ability)).map(([id]) => id);
  }
}

const FIND_LEVELS = `
  SELECT u.id, u.admin, u.external, coalesce(best.level, ${String(Level.VISITOR)}) AS level
    FROM users u
    CROSS JOIN LATERAL (
      SELECT max(levels.access_level) AS level FROM (${projectLevels('u.id')}) levels
       WHERE levels.project_id = $2) best
   WHERE u.id = ANY(${opaqueArray('$1', 'int')}) AND u.state = 'active' AND u.deleted_at IS NULL`;
