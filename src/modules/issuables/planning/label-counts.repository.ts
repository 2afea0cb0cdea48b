import { Injectable } from '@nestjs/common';
import {
  Database,
  opaqueArray,
  rowById,
  rowsByIds,
  rowsWhere,
} from '../../../platform/database/index.js';
import { COUNTED_ITEMS } from '../../../platform/pagination/index.js';
import type { ProjectAccess, Subject } from '../../authorization/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { IssuableKind, IssuableType, ReadScope } from '../model/issuable.js';
import { isEnabled } from '../model/issuable.rules.js';
import { readableProjects } from './planning.sql.js';

/** The numbers of issues, or merge requests, with a label. */
export interface LabelCount {
  readonly open: number;
  readonly closed: number;
}

/** Looks up the numbers of a label. */
type Counts = (type: IssuableType, labelId: number) => LabelCount;

type CountRow = LabelCount & { labelId: number };

/** Counts the issues and merge requests with labels, with one statement for each kind. */
@Injectable()
export class LabelCountsRepository {
  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
  ) {}

  /** Counts those that the reader may read. @param labelIds labels of the project of `access` */
  countInProject(
    labelIds: readonly number[],
    access: ProjectAccess,
    reader: Subject,
  ): Promise<Counts> {
    const { level, visible, project } = access;
    return this.count(labelIds, (kind) =>
      isEnabled(project, kind.type)
        ? {
            sql: countSql(kind, kind.readScope(access), reader !== null),
            parameters: [kind.type, [...labelIds], reader?.id ?? null, level, visible],
          }
        : null,
    );
  }

  /**
   * Counts those in the projects of a group that the reader may read; a larger number than `COUNTED_ITEMS` is shown as that.
   * @param labelIds labels of the group or of its projects
   */
  countInGroup(labelIds: readonly number[], groupId: number, reader: Subject): Promise<Counts> {
    return this.count(labelIds, (kind) => {
      const parameters: unknown[] = [kind.type, [...labelIds], reader?.id ?? null];
      const parameter = (value: unknown): string => `$${String(parameters.push(value))}`;
      const sql = countInGroupSql(kind, readableProjects(groupId, reader, parameter));
      return { sql, parameters };
    });
  }

  private async count(
    labelIds: readonly number[],
    statementOf: (kind: IssuableKind) => { sql: string; parameters: unknown[] } | null,
  ): Promise<Counts> {
    const counts = new Map<IssuableType, ReadonlyMap<number, LabelCount>>();
    for (const kind of labelIds.length === 0 ? [] : this.kinds.all) {
      const statement = statementOf(kind);
      if (statement === null) continue;
      const rows = await this.database.rows<CountRow>(statement.sql, statement.parameters);
      counts.set(kind.type, new Map(rows.map(({ labelId, ...count }) => [labelId, count])));
    }
    return (type, labelId) => counts.get(type)?.get(labelId) ?? NO_COUNT;
  }
}

const NO_COUNT: LabelCount = { open: 0, closed: 0 };

const ENABLED = { Issue: 'issues_enabled', MergeRequest: 'merge_requests_enabled' } as const;

/** @param readable selects the projects */
function countInGroupSql(kind: IssuableKind, readable: string): string {
  const reader = { reader: '$3::int', level: 'readable.level', visible: 'readable.visible' };
  // Each project has its links in an index; those to a label of a project are of that project. Of a label without links none is asked.
  const linksOf = (links: string, states: string): string => `
    SELECT 1 FROM readable
     CROSS JOIN ${rowsWhere('label_links', `${links} AND label_id = label.id AND target_type = $1 AND state IN (${states})`)} link
      JOIN ${rowById(kind.table, 'link.target_id')} t ON true
     WHERE readable.${ENABLED[kind.type]} AND ${kind.readable({ target: 't', ...reader })}`;
  const isUsed = (states: string): string => `
    EXISTS (SELECT FROM label_links
             WHERE label_id = label.id AND target_type = $1 AND state IN (${states}) OFFSET 0)`;
  const countOf = (states: string): string => `
    (SELECT count(*)::int FROM (
       ${linksOf('project_id = readable.id', states)}
         AND label.group_id IS NOT NULL AND ${isUsed(states)}
        UNION ALL
       ${linksOf('project_id IS NULL', states)} AND label.project_id = readable.id
        LIMIT ${String(COUNTED_ITEMS)}) bounded)`;
  return `
    WITH readable AS MATERIALIZED (${readable})
    SELECT label.id AS "labelId", ${countOf(`'opened', 'reopened'`)} AS open,
           ${countOf(`'closed'`)} AS closed
      FROM ${rowsByIds('labels', '$2::int[]')} label`;
}

/** How many of those that are counted on a label the reader may read for certain, of `opened` or of `closed`. */
const CERTAIN: Readonly<Record<ReadScope, (state: string) => string>> = {
  all: (state) => `sum(${state})`,
  open: (state) => `sum(${state} - ${state}_confidential)`,
  nothing: () => '0',
};

/** The others, which are looked at one by one. */
const UNCERTAIN: Readonly<Record<ReadScope, string>> = {
  all: 'false',
  open: 'link.confidential',
  nothing: 'true',
};

/** What is kept on labels, and what waits to be added (docs/decisions/0042-kept-counters.md). */
const KEPT = (labels: string): string =>
  ['label_counts', 'label_count_changes']
    .map(
      (table) => `
        SELECT label_id, opened, opened_confidential, closed, closed_confidential
          FROM ${table} WHERE target_type = $1 AND label_id = ${labels}`,
    )
    .join(' UNION ALL ');

/**
 * Merged requests, which are most of them, are not counted.
 * @param isKnown false for anonymous readers, who take part in nothing
 */
function countSql(kind: IssuableKind, scope: ReadScope, isKnown: boolean): string {
  const reader = { reader: '$3::int', level: '$4::int', visible: '$5::boolean' };
  const labels = `ANY(${opaqueArray('$2', 'int')})`;
  const certain = CERTAIN[scope];
  return `
    SELECT label_id AS "labelId", sum(open)::int AS open, sum(closed)::int AS closed
      FROM (
        SELECT label_id, ${certain('opened')} AS open, ${certain('closed')} AS closed
          FROM (${KEPT(labels)}) kept GROUP BY label_id
        UNION ALL
        SELECT link.label_id, count(*) FILTER (WHERE link.state IN ('opened', 'reopened')),
               count(*) FILTER (WHERE link.state = 'closed')
          FROM label_links link JOIN ${kind.table} t ON t.id = link.target_id
         WHERE link.target_type = $1 AND link.label_id = ${labels}
           AND link.state IN ('opened', 'reopened', 'closed')
           AND ${isKnown ? UNCERTAIN[scope] : 'false'} AND ${kind.readable({ target: 't', ...reader })}
         GROUP BY link.label_id
      ) counted
     GROUP BY label_id`;
}
