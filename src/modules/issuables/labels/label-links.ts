import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database, plannedOnce } from '../../../platform/database/index.js';
import { ErasesAccountData } from '../../users/index.js';
import type { Issuable, IssuableKind, IssuableType } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import { Label } from './label.entity.js';

type Target = Pick<Issuable, 'type' | 'id'>;

/** Rows that one step of erasing an account changes. */
const CHUNK = 1_000;

/** What became of the labels of an issue or merge request, each in the order in which they were made. */
export interface LabelChange {
  added: Label[];
  removed: Label[];
}

const confidentialOf = ({ hasConfidential }: IssuableKind): string =>
  hasConfidential ? 't.confidential' : 'false';

// Labels that are deleted meanwhile are left out; the others stay until this is committed.
const replaceOn = (kind: IssuableKind): string => `
  WITH wanted AS (
    SELECT id FROM labels WHERE id = ANY($3::int[]) ORDER BY id FOR KEY SHARE
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

const followOn = (kind: IssuableKind): string => `
  UPDATE label_links SET state = t.state, confidential = ${confidentialOf(kind)}
    FROM ${kind.table} t
   WHERE target_type = $1 AND target_id = $2 AND t.id = $2`;

const LABELS_OF = `
  SELECT link.target_id AS "targetId", label.id, label.project_id AS "projectId", label.name,
         label.color, label.description, label.priority, label.created_at AS "createdAt",
         label.updated_at AS "updatedAt"
    FROM label_links link JOIN labels label ON label.id = link.label_id
   WHERE link.target_type = $1 AND link.target_id = ANY(${plannedOnce('$2', 'int')})
   ORDER BY label.name`;

const NAMES_OF = `
  SELECT link.target_id AS "targetId", label.name
    FROM label_links link JOIN labels label ON label.id = link.label_id
   WHERE link.target_type = $1 AND link.target_id = ANY(${plannedOnce('$2', 'int')})
   ORDER BY label.name`;

const HAND_OVER = `
  UPDATE label_links link SET author_id = $2
    FROM (SELECT target_type, target_id, label_id FROM label_links
           WHERE author_id = $1 LIMIT $3 FOR NO KEY UPDATE) theirs
   WHERE link.target_type = theirs.target_type AND link.target_id = theirs.target_id
     AND link.label_id = theirs.label_id
  RETURNING 1`;

/** Which labels issues and merge requests have. */
@Injectable()
export class LabelLinks {
  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
  ) {}

  /** Gives the target these labels and no others, in the caller's unit of work, which holds its row. */
  async replace({ type, id }: Target, labelIds: readonly number[]): Promise<LabelChange> {
    const changes = await this.database.rows<{ labelId: number; added: boolean }>(
      replaceOn(this.kinds.of(type)),
      [type, id, [...labelIds]],
    );
    if (changes.length === 0) return { added: [], removed: [] };
    const labels = await this.database
      .of(Label)
      .find({ where: { id: In(changes.map(({ labelId }) => labelId)) }, order: { id: 'ASC' } });
    const isNew = new Map(changes.map(({ labelId, added }) => [labelId, added]));
    return {
      added: labels.filter((label) => isNew.get(label.id) === true),
      removed: labels.filter((label) => isNew.get(label.id) === false),
    };
  }

  /** Takes over what the target has become, in the unit of work that changed its state or confidentiality. */
  async follow({ type, id }: Target): Promise<void> {
    await this.database.rows(followOn(this.kinds.of(type)), [type, id]);
  }

  /** The labels of each target, by name, with one statement; those without any are not there. */
  async labelsOf(
    type: IssuableType,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, readonly Label[]>> {
    const rows = await this.database.rows<Label & { targetId: number }>(LABELS_OF, [type, ids]);
    return byTarget(rows);
  }

  /** The same with the names alone: descriptions may be long. */
  async namesOf(
    type: IssuableType,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, readonly Pick<Label, 'name'>[]>> {
    return byTarget(
      await this.database.rows<{ targetId: number; name: string }>(NAMES_OF, [type, ids]),
    );
  }

  /** Takes all labels off what is being deleted. */
  async removeAll({ type, id }: Target): Promise<void> {
    await this.database.rows('DELETE FROM label_links WHERE target_type = $1 AND target_id = $2', [
      type,
      id,
    ]);
  }

  /**
   * Attributes to the ghost some links on what a deleted account wrote: each repeats the author of its target.
   * @returns whether there may be more
   */
  @ErasesAccountData()
  async handOver(userId: number, ghostId: number): Promise<boolean> {
    const changed = await this.database.rows(HAND_OVER, [userId, ghostId, CHUNK]);
    return changed.length === CHUNK;
  }
}

function byTarget<Row extends { targetId: number }>(
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
