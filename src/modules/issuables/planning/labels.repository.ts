import { Injectable } from '@nestjs/common';
import {
  containing,
  Database,
  type EntityColumns,
  inOrderOf,
  notDeleted,
  opaqueArray,
  rowsByIds,
  rowsWhere,
  holdUnmodified,
} from '../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import type { Subject } from '../../authorization/index.js';
import { ErasesAccountData } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable, IssuableKind, IssuableType } from '../model/issuable.js';
import { omitUndefined } from '../model/issuable.rules.js';
import { Label } from './label.entity.js';
import { isLabelName, type LabelChanges, labelNameOf, type LabelValues } from './label.rules.js';
import type { PlanningOwner, PlanningScope } from './planning-owner.js';
import { lockNamesOf, readableProjects, rowsIn, shareNames } from './planning.sql.js';

type Target = Pick<Issuable, 'type' | 'id'>;

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
const holdByNames = (owner: 'project_id' | 'group_id'): string => `
  FROM (SELECT name FROM unnest(${opaqueArray('$2', 'varchar')}) AS name ORDER BY name) wanted
 CROSS JOIN LATERAL (
   SELECT * FROM labels
    WHERE labels.${owner} = $1 AND labels.name = wanted.name FOR KEY SHARE) l
 ORDER BY l.name`;

const INSERT_IN_PROJECT = `
  INSERT INTO labels (project_id, name, color, description, priority)
  SELECT id, $2, $3, $4, $5::int FROM projects
   WHERE id = $1 AND ${notDeleted()} FOR KEY SHARE
  RETURNING id`;

const INSERT_IN_GROUP = `
  INSERT INTO labels (group_id, name, color, description)
  SELECT id, $2, $3, $4 FROM namespaces
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
   * Finds the labels of a project and its group with these names, by name, and locks them against deletion until the unit of work
   * ends. Invalid names are ignored.
   * @param create whether the project gets missing labels, once even if several requests create them at the same time
   */
  async resolve(
    projectId: number,
    names: readonly string[],
    { create }: { create: boolean },
  ): Promise<Label[]> {
    const wanted = [...new Set(names.map(labelNameOf).filter(isLabelName))];
    const found = await this.holdVisible(projectId, wanted);
    // Concurrent transactions insert in the same order, so that they do not deadlock.
    const missing = namesWithout(wanted, found).sort();
    if (!create || missing.length === 0) return found;
    await this.database.rows(MAKE, [projectId, missing, DEFAULT_COLOR]);
    return this.holdVisible(projectId, wanted);
  }

  /** Lists the labels of a scope whose name or description contains `search`, all without it, by name. */
  list(scope: PlanningScope, request: PageRequest, search?: string): Promise<Page<Label>> {
    return this.listRows(request, search, (matches, parameter, end) =>
      rowsIn('labels', scope, matches, parameter, end()),
    );
  }

  /** As `list`, of a group and of those of its projects that the reader sees and that use labels. */
  listWithProjects(
    groupId: number,
    reader: Subject,
    request: PageRequest,
    search?: string,
  ): Promise<Page<Label>> {
    return this.listRows(request, search, (matches, parameter) => {
      const readable = readableProjects(groupId, reader, parameter);
      return `
        ${rowsIn('labels', { groupId }, matches, parameter)}
         UNION ALL
        SELECT l.* FROM (${readable}) readable
         CROSS JOIN ${rowsWhere('labels', `project_id = readable.id AND ${matches}`)} l
         WHERE readable.issues_enabled OR readable.merge_requests_enabled`;
    });
  }

  find(id: number): Promise<Label | null> {
    return this.database.of(Label).findOneBy({ id });
  }

  /** Finds a label of a project, else of the group. */
  async findByName({ projectId, groupId }: PlanningScope, name: string): Promise<Label | null> {
    const labels = this.database.of(Label);
    const own = projectId === undefined ? null : await labels.findOneBy({ projectId, name });
    return own ?? (groupId === undefined ? null : labels.findOneBy({ groupId, name }));
  }

  /** Finds a label and locks it against deletion until the unit of work ends. */
  hold(id: number): Promise<Label | null> {
    return this.database.of(Label).findOne({ where: { id }, lock: { mode: 'for_key_share' } });
  }

  /** @returns null if the owner is deleted, or a project's name is one of its group @throws if the name is taken */
  async insert(owner: PlanningOwner, values: LabelValues): Promise<Label | null> {
    const { name, color, description, priority } = values;
    const [row] = await ('projectId' in owner
      ? this.database.rows<{ id: number }>(INSERT_IN_PROJECT, [
          owner.projectId,
          ...[name, color, description, priority],
        ])
      : this.database.rows<{ id: number }>(INSERT_IN_GROUP, [
          owner.groupId,
          ...[name, color, description],
        ]));
    return row === undefined ? null : this.database.of(Label).findOneByOrFail({ id: row.id });
  }

  /** @returns null if the label is deleted @throws if the name is taken */
  async update(label: Label, values: LabelChanges): Promise<Label | null> {
    const { id } = label;
    if (values.name !== undefined) await lockNamesOf(this.database, label);
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

  /** Returns the names of the labels of one target, in their order. */
  async namesOf({ type, id }: Target): Promise<string[]> {
    const labels = await this.labelsOf(type, [id]);
    return labels.get(id)?.map(({ name }) => name) ?? [];
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

  private async listRows(
    request: PageRequest,
    search: string | undefined,
    sqlOf: (matches: string, parameter: (value: unknown) => string, end: () => string) => string,
  ): Promise<Page<Label>> {
    const parameters: unknown[] = [];
    const parameter = (value: unknown): string => `$${String(parameters.push(value))}`;
    const text = search === undefined ? '' : parameter(containing(search));
    const matches = text === '' ? 'true' : `(name ILIKE ${text} OR description ILIKE ${text})`;
    const all = `SELECT 1 FROM (${sqlOf(matches, parameter, () => '')}) label`;
    const counted = await boundedCount(this.database, all, [...parameters]);
    const { offset, limit } = windowOf(request);
    parameters.splice(text === '' ? 0 : 1);
    // The names of one owner differ.
    const end = () => `ORDER BY name LIMIT ${parameter(offset + limit)}`;
    const from = `FROM (${sqlOf(matches, parameter, end)}) label`;
    const window = `OFFSET ${parameter(offset)} LIMIT ${parameter(limit)}`;
    const rows = await this.database.entities(
      Label,
      'label',
      `${from} ORDER BY label.name, label.id ${window}`,
      parameters,
    );
    return Page.cut(rows, counted, request);
  }

  /** Finds labels of a project, and of its group if the project lacks some. */
  private async holdVisible(projectId: number, names: readonly string[]): Promise<Label[]> {
    const own = await this.holdByNames('project_id', projectId, names);
    const missing = namesWithout(names, own);
    if (missing.length === 0) return own;
    const groupId = await shareNames(this.database, projectId);
    if (groupId === null) return own;
    const inherited = await this.holdByNames('group_id', groupId, missing);
    if (inherited.length === 0) return own;
    return [...own, ...inherited].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  private async holdByNames(
    owner: 'project_id' | 'group_id',
    ownerId: number,
    names: readonly string[],
  ): Promise<Label[]> {
    if (names.length === 0) return [];
    return this.database.entities(Label, 'l', holdByNames(owner), [ownerId, [...names]]);
  }
}

function namesWithout(names: readonly string[], labels: readonly Label[]): string[] {
  const known = new Set(labels.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

/** Rows that one step of erasing an account changes. */
const CHUNK = 1_000;

const confidentialOf = ({ hasConfidential }: IssuableKind): string =>
  hasConfidential ? 't.confidential' : 'false';

// Labels that are deleted meanwhile are left out; the others are locked until the commit.
const replaceOn = (kind: IssuableKind): string => `
  WITH wanted AS (
    SELECT id, group_id FROM labels WHERE id = ANY($3::int[]) ${inOrderOf('id')} FOR KEY SHARE
  ), removed AS (
    DELETE FROM label_links
     WHERE target_type = $1 AND target_id = $2 AND label_id <> ALL($3::int[])
    RETURNING label_id
  ), added AS (
    INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential,
                             author_id, project_id)
    SELECT $1, t.id, wanted.id, t.created_at, t.state, ${confidentialOf(kind)}, t.author_id,
           CASE WHEN wanted.group_id IS NOT NULL THEN t.project_id END
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
