import { Injectable } from '@nestjs/common';
import { Database, rowsByKey, rowsWhere } from '../../../platform/database/index.js';
import {
  memberGroupIds,
  namespaceByPath,
  showsGroup,
  type Subject,
  visibleLevels,
} from '../../authorization/index.js';
import { userByUsername } from '../../users/index.js';

/** The name of a label or milestone within a project. */
export interface NameInProject {
  readonly projectId: number;
  readonly name: string;
}

export interface NamedUser {
  readonly username: string;
  readonly name: string;
}

export interface NamedGroup {
  readonly path: string;
  readonly name: string;
}

export interface NamedLabel extends NameInProject {
  readonly description: string | null;
}

export interface NamedMilestone {
  readonly projectId: number;
  readonly iid: number;
  readonly title: string;
}

/** Finds what texts name, with one statement for each kind. */
@Injectable()
export class NamedRepository {
  constructor(private readonly database: Database) {}

  /** @param names in lower case */
  users(names: readonly string[]): Promise<NamedUser[]> {
    return this.find(USERS, names);
  }

  /** Finds the groups that the reader sees. @param names in lower case */
  groups(names: readonly string[], reader: NonNullable<Subject>): Promise<NamedGroup[]> {
    return this.find(GROUPS, names, [reader.id, visibleLevels(reader), reader.admin]);
  }

  labels(names: readonly NameInProject[]): Promise<NamedLabel[]> {
    const projectIds = names.map(({ projectId }) => projectId);
    return this.find(LABELS, projectIds, [names.map(({ name }) => name)]);
  }

  /** Finds milestones by their titles or numbers. */
  milestones(names: readonly NameInProject[]): Promise<NamedMilestone[]> {
    const projectIds = names.map(({ projectId }) => projectId);
    return this.find(MILESTONES, projectIds, [names.map(({ name }) => name)]);
  }

  private async find<Row>(
    statement: string,
    keys: readonly unknown[],
    others: readonly unknown[] = [],
  ): Promise<Row[]> {
    return keys.length === 0 ? [] : this.database.rows<Row>(statement, [keys, ...others]);
  }
}

const USERS = `
  SELECT u.username, u.name
    FROM unnest($1::text[]) AS named (username)
   CROSS JOIN ${userByUsername('named.username')} u`;

const GROUPS = `
  SELECT n.path, n.name
    FROM unnest($1::text[]) AS named (path)
    JOIN ${namespaceByPath('named.path')} n ON n.owner_id IS NULL
   WHERE $4::boolean OR n.id IN (${memberGroupIds('$2')}) OR ${showsGroup('n', '$2', '$3')}`;

const LABELS = `
  SELECT l.project_id AS "projectId", l.name, l.description
    FROM unnest($1::int[], $2::text[]) AS named (project_id, name)
   CROSS JOIN ${rowsWhere('labels', 'project_id = named.project_id AND name = named.name')} l`;

const IN_PROJECT = 'milestones.project_id = named.project_id';

/** A number has at most nine digits, which an integer holds. */
const MILESTONES = `
  SELECT m.project_id AS "projectId", m.iid, m.title
    FROM unnest($1::int[], $2::text[]) AS named (project_id, title)
   CROSS JOIN ${rowsByKey('milestones', 'milestones.title', 'named.title', IN_PROJECT)} m
   UNION
  SELECT m.project_id AS "projectId", m.iid, m.title
    FROM (SELECT project_id, title::int AS iid FROM unnest($1::int[], $2::text[]) AS given (project_id, title)
           WHERE title ~ '^[0-9]{1,9}$' OFFSET 0) AS named
   CROSS JOIN ${rowsByKey('milestones', 'milestones.iid', 'named.iid', IN_PROJECT)} m`;
