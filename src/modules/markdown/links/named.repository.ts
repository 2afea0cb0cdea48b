import { Injectable } from '@nestjs/common';
import { Database, rowById, rowsByKey, rowsWhere } from '../../../platform/database/index.js';
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
  /** Whether it is one of the project's group. */
  readonly isOfGroup: boolean;
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

  /** Finds labels of projects and their groups. */
  labels(names: readonly NameInProject[]): Promise<NamedLabel[]> {
    const projectIds = names.map(({ projectId }) => projectId);
    return this.find(LABELS, projectIds, [names.map(({ name }) => name)]);
  }

  /** Finds milestones of projects by their titles or numbers, and those of their groups by their titles. */
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

const GROUP_OF_PROJECT = rowById('projects', 'named.project_id');

const LABELS = `
  SELECT named.project_id AS "projectId", l.name, l.description
    FROM unnest($1::int[], $2::text[]) AS named (project_id, name)
   CROSS JOIN ${rowsWhere('labels', 'project_id = named.project_id AND name = named.name')} l
   UNION ALL
  SELECT named.project_id, l.name, l.description
    FROM unnest($1::int[], $2::text[]) AS named (project_id, name)
    JOIN ${GROUP_OF_PROJECT} p ON true
   CROSS JOIN ${rowsWhere('labels', 'group_id = p.namespace_id AND name = named.name')} l`;

const byKey = (key: 'title' | 'iid', owner: string): string =>
  rowsByKey('milestones', `milestones.${key}`, `named.${key}`, `milestones.${owner}`);

/** A number has at most nine digits, which an integer holds. */
const MILESTONES = `
  SELECT named.project_id AS "projectId", false AS "isOfGroup", m.iid, m.title
    FROM unnest($1::int[], $2::text[]) AS named (project_id, title)
   CROSS JOIN ${byKey('title', 'project_id = named.project_id')} m
   UNION
  SELECT named.project_id, false, m.iid, m.title
    FROM (SELECT project_id, title::int AS iid FROM unnest($1::int[], $2::text[]) AS given (project_id, title)
           WHERE title ~ '^[0-9]{1,9}$' OFFSET 0) AS named
   CROSS JOIN ${byKey('iid', 'project_id = named.project_id')} m
   UNION ALL
  SELECT named.project_id, true, m.iid, m.title
    FROM unnest($1::int[], $2::text[]) AS named (project_id, title)
    JOIN ${GROUP_OF_PROJECT} p ON true
   CROSS JOIN ${byKey('title', 'group_id = p.namespace_id')} m`;
