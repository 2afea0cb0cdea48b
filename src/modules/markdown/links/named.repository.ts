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

/** The same with the namespace of the project, whose labels and milestones it has as well. */
export interface SoughtName extends NameInProject {
  readonly namespaceId: number;
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
  /** Whether it is one of the group of the project. */
  readonly isOfGroup: boolean;
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
  labels(sought: readonly SoughtName[]): Promise<NamedLabel[]> {
    return this.find(LABELS, ...columnsOf(sought));
  }

  /** Finds milestones of projects by their titles or numbers, and those of their groups by their titles. */
  milestones(sought: readonly SoughtName[]): Promise<NamedMilestone[]> {
    return this.find(MILESTONES, ...columnsOf(sought));
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

const columnsOf = (sought: readonly SoughtName[]): [number[], unknown[]] => [
  sought.map(({ projectId }) => projectId),
  [sought.map(({ name }) => name), sought.map(({ namespaceId }) => namespaceId)],
];

const NAMED = 'unnest($1::int[], $2::text[], $3::int[]) AS named (project_id, name, namespace_id)';

const LABELS = `
  SELECT named.project_id AS "projectId", l.name, l.description
    FROM ${NAMED}
   CROSS JOIN ${rowsWhere('labels', 'project_id = named.project_id AND name = named.name')} l
   UNION ALL
  SELECT named.project_id, l.name, l.description
    FROM ${NAMED}
   CROSS JOIN ${rowsWhere('labels', 'group_id = named.namespace_id AND name = named.name')} l`;

const IN_PROJECT = 'milestones.project_id = named.project_id';
const IN_GROUP = 'milestones.group_id = named.namespace_id';

/** A number has at most nine digits, which an integer holds. */
const MILESTONES = `
  SELECT m.project_id AS "projectId", m.iid, m.title, false AS "isOfGroup"
    FROM ${NAMED}
   CROSS JOIN ${rowsByKey('milestones', 'milestones.title', 'named.name', IN_PROJECT)} m
   UNION
  SELECT named.project_id, m.iid, m.title, true
    FROM ${NAMED}
   CROSS JOIN ${rowsByKey('milestones', 'milestones.title', 'named.name', IN_GROUP)} m
   UNION
  SELECT m.project_id, m.iid, m.title, false
    FROM (SELECT project_id, title::int AS iid FROM unnest($1::int[], $2::text[]) AS given (project_id, title)
           WHERE title ~ '^[0-9]{1,9}$' OFFSET 0) AS named
   CROSS JOIN ${rowsByKey('milestones', 'milestones.iid', 'named.iid', IN_PROJECT)} m`;
