import { Injectable } from '@nestjs/common';
import {
  containing,
  Database,
  type EntityColumns,
  inOrderOf,
  notDeleted,
  opaqueArray,
  rowsByIds,
  holdUnmodified,
} from '../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/pagination/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import { ErasesAccountData } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable, IssuableKind, IssuableType, ReadScope } from '../model/issuable.js';
import { isEnabled, omitUndefined } from '../model/issuable.rules.js';
import { Label } from './label.entity.js';
import { isLabelName, type LabelChanges, labelNameOf, type LabelValues } from './label.rules.js';

type Target = Pick<Issuable, 'type' | 'id'>;

/** The numbers of issues, or merge requests, with a label. */
export interface LabelCount {
  readonly open: number;
  readonly closed: number;
}

/** The labels that were added to and removed from an issue or merge request, each by ID. */
export interface LabelChange {
  added: Label[];
  removed: Label[];
}

/** The colour of labels that are created by their name (docs/reference/labels.md#names). */
const DEFAULT_COLOR = '#428BCA';

const MAKE = `
  INSERT INTO labels (project_id, name, color)
  SELECT $1, name, $3 FROM unnest($2::varchar[]) AS name
  ON CONFLICT DO NOTHING`;

// Each is locked as it is found.
const HOLD_BY_NAMES = `
  FROM (SELECT name FROM unnest(${opaqueArray('$2', 'varchar')}) AS name ORDER BY name) wanted
 CROSS JOIN LATERAL (
   SELECT * FROM labels
    WHERE labels.project_id = $1 AND labels.name = wanted.name FOR KEY SHARE) l
 ORDER BY l.name`;

const INSERT = `
  INSERT INTO labels (project_id, name, color, description, priority)
  SELECT id, $2, $3, $4, $5::int FROM projects
   WHERE id = $1 AND ${notDeleted()} FOR KEY SHARE
  RETURNING id`;

/** The labels of projects, and the links of issues and merge requests to them. */
@Injectable()
export class LabelsRepository {
  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
  ) {}

  /**
   * Finds the labels of a project with these names, by name, and locks them against deletion until the unit of work
   * ends. Invalid names are ignored.
   * @param create whether missing labels are created, once even if several requests do so at the same time
   */
  async resolve(
    projectId: number,
    names: readonly string[],
    { create }: { create: boolean },
  ): Promise<Label[]> {
    const wanted = [...new Set(names.map(labelNameOf).filter(isLabelName))];
    const found = await this.holdByNames(projectId, wanted);
    const known = new Set(found.map(({ name }) => name));
    // Concurrent transactions insert in the same order, so that they do not deadlock.
    const missing = wanted.filter((name) => !known.has(name)).sort();
    if (!create || missing.length === 0) return found;
    await this.database.rows(MAKE, [projectId, missing, DEFAULT_COLOR]);
    return this.holdByNames(projectId, wanted);
  }

  /** Lists the labels of a project whose name or description contains `search`, all without it, by name. */
  ofProject(projectId: number, request: PageRequest, search?: string): Promise<Page<Label>> {
    const query = this.database
      .of(Label)
      .createQueryBuilder('label')
      .where('label.project_id = :projectId', { projectId })
      .orderBy('label.name');
    if (search !== undefined) {
      query.andWhere('(label.name ILIKE :text OR label.description ILIKE :text)', {
        text: containing(search),
      });
    }
    return pageOfQuery(this.database, query, request);
  }

  findIn(projectId: number, id: number): Promise<Label | null> {
    return this.database.of(Label).findOneBy({ projectId, id });
  }

  findByName(projectId: number, name: string): Promise<Label | null> {
    return this.database.of(Label).findOneBy({ projectId, name });
  }

  /** Finds a label and locks it against deletion until the unit of work ends. */
  hold(where: { projectId: number } & ({ id: number } | { name: string })): Promise<Label | null> {
    return this.database.of(Label).findOne({ where, lock: { mode: 'for_key_share' } });
  }

  /** @returns null if the project is deleted @throws if the name is taken */
  async insert(projectId: number, values: LabelValues): Promise<Label | null> {
    const { name, color, description, priority } = values;
    const [row] = await this.database.rows<{ id: number }>(INSERT, [
      projectId,
      name,
      color,
      description,
      priority,
    ]);
    return row === undefined ? null : this.database.of(Label).findOneByOrFail({ id: row.id });
  }

  /** @returns null if the label is deleted @throws if the name is taken */
  async update(id: number, values: LabelChanges): Promise<Label | null> {
    const labels = this.database.of(Label);
    await labels.update({ id }, omitUndefined<LabelValues>(values));
    return labels.findOneBy({ id });
  }

  /** @returns false if the label is deleted already */
  async remove(id: number): Promise<boolean> {
    const row = { table: 'labels', column: 'updated_at', where: 'id = $1' } as const;
    await holdUnmodified(this.database, row, [id]);
    const { affected } = await this.database.of(Label).delete({ id });
    return affected === 1;
  }

  /** Replaces the labels of the target, whose row the caller's unit of work has locked. */
  async replace({ type, id }: Target, labelIds: readonly number[]): Promise<LabelChange> {
    const changes = await this.database.rows<{ labelId: number; added: boolean }>(
      replaceOn(this.kinds.of(type)),
      [type, id, [...labelIds]],
    );
    if (changes.length === 0) return { added: [], removed: [] };
    const labels = await this.database.entities(
      Label,
      'l',
      `FROM ${rowsByIds('labels', opaqueArray('$1', 'int'))} l ORDER BY l.id`,
      [changes.map(({ labelId }) => labelId)],
    );
    const isNew = new Map(changes.map(({ labelId, added }) => [labelId, added]));
    return {
      added: labels.filter((label) => isNew.get(label.id) === true),
      removed: labels.filter((label) => isNew.get(label.id) === false),
    };
  }

  /** Copies the state and confidentiality of a changed target to its links. */
  async updateLinks({ type, id }: Target): Promise<void> {
    await this.database.rows(updateLinksOn(this.kinds.of(type)), [type, id]);
  }

  /** Loads the labels of each target, by name, with one statement; without targets that have none. */
  async labelsOf(
    type: IssuableType,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, readonly Label[]>> {
    const statement = labelsStatement(this.database.columns(Label));
    const rows = await this.database.rows<Label & { targetId: number }>(statement, [type, ids]);
    return byTarget(rows);
  }

  /**
   * Counts the open and closed issues and merge requests of each label that the reader may read, with one statement
   * for each kind.
   * @param labelIds labels of the project of `access`
   * @param readerId null for anonymous readers
   */
  async countTargets(
    labelIds: readonly number[],
    access: ProjectAccess,
    readerId: number | null,
  ): Promise<(type: IssuableType, labelId: number) => LabelCount> {
    const counts = new Map<IssuableType, ReadonlyMap<number, LabelCount>>();
    for (const kind of this.kinds.all) {
      if (!isEnabled(access.project, kind.type)) continue;
      const { level, visible } = access;
      const parameters = [kind.type, [...labelIds], readerId, level, visible];
      const statement = countSql(kind, kind.readScope(access), readerId !== null);
      const rows = await this.database.rows<LabelCount & { labelId: number }>(
        statement,
        parameters,
      );
      counts.set(kind.type, new Map(rows.map(({ labelId, ...count }) => [labelId, count])));
    }
    return (type, labelId) => counts.get(type)?.get(labelId) ?? NO_COUNT;
  }

  /**
   * Attributes some links of a deleted account to the ghost account. Each repeats the author of its target.
   * @returns whether there may be more
   */
  @ErasesAccountData()
  async handOver(userId: number, ghostId: number): Promise<boolean> {
    const changed = await this.database.rows(HAND_OVER, [userId, ghostId, CHUNK]);
    return changed.length === CHUNK;
  }

  private async holdByNames(projectId: number, names: readonly string[]): Promise<Label[]> {
    if (names.length === 0) return [];
    return this.database.entities(Label, 'l', HOLD_BY_NAMES, [projectId, [...names]]);
  }
}

const NO_COUNT: LabelCount = { open: 0, closed: 0 };

/** Rows that one step of erasing an account changes. */
const CHUNK = 1_000;

const confidentialOf = ({ hasConfidential }: IssuableKind): string =>
  hasConfidential ? 't.confidential' : 'false';

// Labels that are deleted meanwhile are left out; the others are locked until the commit.
const replaceOn = (kind: IssuableKind): string => `
  WITH wanted AS (
    SELECT id FROM labels WHERE id = ANY($3::int[]) ${inOrderOf('id')} FOR KEY SHARE
  ), removed AS (
    DELETE FROM label_links
     WHERE target_type = $1 AND target_id = $2 AND label_id <> ALL($3::int[])
    RETURNING label_id
  ), added AS (
    INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential,
                             author_id)
    SELECT $1, t.id, wanted.id, t.created_at, t.state, ${confidentialOf(kind)}, t.author_id
      FROM wanted, ${kind.table} t WHERE t.id = $2
    ON CONFLICT DO NOTHING RETURNING label_id
  )
  SELECT label_id AS "labelId", true AS added FROM added
  UNION ALL
  SELECT label_id, false FROM removed`;

const updateLinksOn = (kind: IssuableKind): string => `
  UPDATE label_links SET state = t.state, confidential = ${confidentialOf(kind)}
    FROM ${kind.table} t
   WHERE target_type = $1 AND target_id = $2 AND t.id = $2`;

const labelsStatement = (columns: EntityColumns<Label>): string => `
  SELECT link.target_id AS "targetId", ${columns.list('label')}
    FROM label_links link JOIN labels label ON label.id = link.label_id
   WHERE link.target_type = $1 AND link.target_id = ANY(${opaqueArray('$2', 'int')})
   ORDER BY label.name`;

const HAND_OVER = `
  UPDATE label_links link SET author_id = $2
    FROM (SELECT target_type, target_id, label_id FROM label_links
           WHERE author_id = $1 LIMIT $3 FOR NO KEY UPDATE) theirs
   WHERE link.target_type = theirs.target_type AND link.target_id = theirs.target_id
     AND link.label_id = theirs.label_id
  RETURNING 1`;

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

/** Groups rows by the ID of their target. */
export function byTarget<Row extends { targetId: number }>(
  rows: readonly Row[],
): Map<number, Omit<Row, 'targetId'>[]> {
  const labels = new Map<number, Omit<Row, 'targetId'>[]>();
  for (const { targetId, ...label } of rows) {
    const known = labels.get(targetId);
    if (known === undefined) labels.set(targetId, [label]);
    else known.push(label);
  }
  return labels;
}
