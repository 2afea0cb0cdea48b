import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/index.js';
import { ISSUABLE_TABLES, type IssuableType } from '../issuable.js';

/** Rows that one statement compares. */
const CHUNK = 1_000;

/** The part of a table that was compared. */
export interface Compared {
  /** The rows whose counters are wrong. */
  readonly wrong: readonly number[];
  /** The last row; null if there are no more. */
  readonly last: number | null;
}

/**
 * Compares counters with what they count, and corrects them. Triggers maintain them
 * (docs/decisions/0042-kept-counters.md).
 */
@Injectable()
export class CountersRepository {
  constructor(private readonly database: Database) {}

  /** Compares the counters on the next issues or merge requests. Concurrent writes may make right ones look wrong. */
  compareTargets(type: IssuableType, after: number): Promise<Compared> {
    return this.compare(COMPARE_TARGETS[type], after);
  }

  /** As `compareTargets`, for the counters of the next projects. */
  compareProjects(type: IssuableType, after: number): Promise<Compared> {
    return this.compare(COMPARE_PROJECTS[type], after);
  }

  /**
   * Counts again for an issue or merge request, in the caller's unit of work, which has locked it: the statement sees
   * all that was counted, and whatever is not committed yet will be counted after it.
   * @returns whether its counters were wrong
   */
  async correctTarget(type: IssuableType, id: number): Promise<boolean> {
    return (await this.database.rows(CORRECT_TARGET[type], [id])).length > 0;
  }

  /** As `correctTarget`, for a project whose counters `lockProject` has locked. */
  async correctProject(type: IssuableType, projectId: number): Promise<boolean> {
    return (await this.database.rows(CORRECT_PROJECT[type], [projectId])).length > 0;
  }

  /** Locks the counters of a project until the unit of work ends. */
  async lockProject(type: IssuableType, projectId: number): Promise<void> {
    await this.database.rows(ADD_ZERO[type], [projectId]);
  }

  /** As `compareTargets`, for the counts of the next labels. Concurrent writes do not make right ones look wrong. */
  compareLabels(after: number): Promise<Compared> {
    return this.compare(COMPARE_LABELS, after);
  }

  /** Locks a label against other corrections until the unit of work ends. */
  async lockLabel(id: number): Promise<void> {
    await this.database.rows('SELECT 1 FROM labels WHERE id = $1 FOR NO KEY UPDATE', [id]);
  }

  /** As `correctTarget`, for a label that `lockLabel` has locked. */
  async correctLabel(id: number): Promise<boolean> {
    return (await this.database.rows(CORRECT_LABEL, [id])).length > 0;
  }

  private async compare(sql: string, after: number): Promise<Compared> {
    const rows = await this.database.rows<{ id: number; isWrong: boolean }>(sql, [after]);
    return {
      wrong: rows.flatMap(({ id, isWrong }) => (isWrong ? [id] : [])),
      last: rows.length < CHUNK ? null : (rows.at(-1)?.id ?? null),
    };
  }
}

/** The counters on an issue or merge request `t`, counted from the rows. */
const targetCounters = (type: IssuableType): Record<string, string> => ({
  user_notes_count: `
    (SELECT count(*)::int FROM notes n
      WHERE n.noteable_type = '${type}' AND n.noteable_id = t.id AND NOT n.system)`,
  upvotes: votes(type, 'thumbsup'),
  downvotes: votes(type, 'thumbsdown'),
});

const votes = (type: IssuableType, name: string): string => `
  (SELECT count(*)::int FROM award_emoji a
    WHERE a.awardable_type = '${type}' AND a.awardable_id = t.id AND a.name = '${name}')`;

const COUNT_TABLES = { Issue: 'issue_counts', MergeRequest: 'merge_request_counts' } as const;

/** The conditions of the counters of a project. */
const STATES: Readonly<Record<IssuableType, Readonly<Record<string, string>>>> = {
  Issue: {
    opened: `state = 'opened'`,
    opened_confidential: `state = 'opened' AND confidential`,
    closed: `state = 'closed'`,
    closed_confidential: `state = 'closed' AND confidential`,
  },
  MergeRequest: {
    opened: `state IN ('opened', 'reopened')`,
    closed: `state = 'closed'`,
    merged: `state = 'merged'`,
  },
};

const forEachKind = (statement: (type: IssuableType) => string): Record<IssuableType, string> => ({
  Issue: statement('Issue'),
  MergeRequest: statement('MergeRequest'),
});

/** @param counters each counted from the rows, in SQL @param stored alias of the row that keeps them */
const isWrong = (counters: Readonly<Record<string, string>>, stored: string): string => `
  (${Object.keys(counters)
    .map((name) => `${stored}.${name}`)
    .join(', ')}) IS DISTINCT FROM (${Object.values(counters).join(', ')})`;

const assignments = (counters: Readonly<Record<string, string>>): string =>
  Object.entries(counters)
    .map(([name, counted]) => `${name} = ${counted}`)
    .join(', ');

const COMPARE_TARGETS = forEachKind(
  (type) => `
  SELECT t.id, t.deleted_at IS NULL AND ${isWrong(targetCounters(type), 't')} AS "isWrong"
    FROM (SELECT * FROM ${ISSUABLE_TABLES[type]} WHERE id > $1
           ORDER BY id LIMIT ${String(CHUNK)}) t
   ORDER BY t.id`,
);

const CORRECT_TARGET = forEachKind(
  (type) => `
  UPDATE ${ISSUABLE_TABLES[type]} t SET ${assignments(targetCounters(type))}
   WHERE t.id = $1 AND ${isWrong(targetCounters(type), 't')}
  RETURNING t.id`,
);

const counted = (type: IssuableType, project: string): string => `
  SELECT ${Object.entries(STATES[type])
    .map(([name, state]) => `(count(*) FILTER (WHERE ${state}))::int AS ${name}`)
    .join(', ')}
    FROM ${ISSUABLE_TABLES[type]} t WHERE t.project_id = ${project} AND t.deleted_at IS NULL`;

/** The same columns of what was counted. */
const countedStates = (type: IssuableType): Record<string, string> =>
  Object.fromEntries(Object.keys(STATES[type]).map((name) => [name, `counted.${name}`]));

const orZero = (type: IssuableType): string =>
  Object.keys(STATES[type])
    .map((name) => `coalesce(stored.${name}, 0) AS ${name}`)
    .join(', ');

const COMPARE_PROJECTS = forEachKind(
  (type) => `
  SELECT p.id, p.deleted_at IS NULL AND ${isWrong(countedStates(type), 'kept')} AS "isWrong"
    FROM (SELECT id, deleted_at FROM projects WHERE id > $1 ORDER BY id LIMIT ${String(CHUNK)}) p
    LEFT JOIN ${COUNT_TABLES[type]} stored ON stored.project_id = p.id
    CROSS JOIN LATERAL (SELECT ${orZero(type)}) kept
    CROSS JOIN LATERAL (${counted(type, 'p.id')}) counted
   ORDER BY p.id`,
);

const CORRECT_PROJECT = forEachKind(
  (type) => `
  UPDATE ${COUNT_TABLES[type]} kept SET ${assignments(countedStates(type))}
    FROM (${counted(type, '$1')}) counted
   WHERE kept.project_id = $1 AND ${isWrong(countedStates(type), 'kept')}
  RETURNING kept.project_id`,
);

/** Makes the row if there is none. */
const ADD_ZERO = forEachKind((type) => {
  const names = Object.keys(STATES[type]);
  return `
  INSERT INTO ${COUNT_TABLES[type]} AS kept (project_id, ${names.join(', ')})
  SELECT id, ${names.map(() => '0').join(', ')} FROM projects WHERE id = $1
  ON CONFLICT (project_id) DO UPDATE SET ${String(names[0])} = kept.${String(names[0])}`;
});

/** The conditions of the numbers of a label. */
const LABEL_STATES = {
  opened: `state IN ('opened', 'reopened')`,
  opened_confidential: `state IN ('opened', 'reopened') AND confidential`,
  closed: `state = 'closed'`,
  closed_confidential: `state = 'closed' AND confidential`,
};

/** Lists something for each number of a label, as columns. */
const perNumber = (column: (name: string, state: string) => string): string =>
  Object.entries(LABEL_STATES)
    .map(([name, state]) => column(name, state))
    .join(', ');

const LABEL_NUMBERS = perNumber((name) => name);
const NEGATED = perNumber((name) => `-${name}`);

/** What the counts of a label lack, for issues and for merge requests: the links less what is kept and what waits. */
const differences = (label: string): string => `
  SELECT target_type, ${perNumber((name) => `sum(${name})::int AS ${name}`)}
    FROM (SELECT target_type, ${perNumber((name, state) => `(${state})::int AS ${name}`)}
            FROM label_links WHERE label_id = ${label}
           UNION ALL
          SELECT target_type, ${NEGATED} FROM label_counts WHERE label_id = ${label}
           UNION ALL
          SELECT target_type, ${NEGATED} FROM label_count_changes WHERE label_id = ${label}) together
   GROUP BY target_type`;

const IS_DIFFERENT = `(${LABEL_NUMBERS}) <> (0, 0, 0, 0)`;

const COMPARE_LABELS = `
  SELECT l.id, p.deleted_at IS NULL
           AND (EXISTS (SELECT FROM (${differences('l.id')}) d WHERE ${IS_DIFFERENT})
             OR (SELECT count(*) FROM label_counts WHERE label_id = l.id) < 2) AS "isWrong"
    FROM (SELECT id, project_id FROM labels WHERE id > $1 ORDER BY id LIMIT ${String(CHUNK)}) l
    LEFT JOIN projects p ON p.id = l.project_id
   ORDER BY l.id`;

/** Makes the rows that are not there. */
const CORRECT_LABEL = `
  INSERT INTO label_counts AS c (label_id, target_type, ${LABEL_NUMBERS})
  SELECT l.id, t.type, ${perNumber((name) => `coalesce(d.${name}, 0)`)}
    FROM labels l CROSS JOIN (VALUES ('Issue'), ('MergeRequest')) AS t (type)
    LEFT JOIN (${differences('$1')}) d ON d.target_type = t.type
   WHERE l.id = $1
  ON CONFLICT (label_id, target_type) DO UPDATE
     SET ${perNumber((name) => `${name} = c.${name} + excluded.${name}`)}
   WHERE (${perNumber((name) => `excluded.${name}`)}) <> (0, 0, 0, 0)
  RETURNING 1`;
