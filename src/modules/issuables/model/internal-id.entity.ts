import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Namespace } from '../../groups/index.js';
import { Project } from '../../projects/index.js';

/** The kinds that are numbered within a project, each separately (docs/reference/issues.md#numbers). */
type NumberedKind = 'Issue' | 'MergeRequest' | 'Milestone';

/** The highest number of a kind that was ever taken in a project. */
@Entity('internal_ids')
export class InternalId {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'internal_ids_pkey' })
  @ForeignKey(() => Project, { name: 'internal_ids_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @PrimaryColumn({ type: 'varchar', length: 16, primaryKeyConstraintName: 'internal_ids_pkey' })
  kind!: NumberedKind;

  @Column({ type: 'int' })
  lastIid!: number;
}

/** The highest number of a kind that was ever taken in a group: of milestones alone. */
@Entity('group_internal_ids')
export class GroupInternalId {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'group_internal_ids_pkey' })
  @ForeignKey(() => Namespace, { name: 'group_internal_ids_group_fkey', onDelete: 'CASCADE' })
  groupId!: number;

  @PrimaryColumn({
    type: 'varchar',
    length: 16,
    primaryKeyConstraintName: 'group_internal_ids_pkey',
  })
  kind!: NumberedKind;

  @Column({ type: 'int' })
  lastIid!: number;
}

/** As `nextNumber`, in groups. */
export const nextGroupNumber = (source: string): string => `
  INSERT INTO group_internal_ids (group_id, kind, last_iid)
  SELECT numbered.*, 1 FROM (${source}) AS numbered
  ON CONFLICT (group_id, kind) DO UPDATE SET last_iid = group_internal_ids.last_iid + 1
  RETURNING last_iid AS iid`;

/**
 * Takes the next numbers of projects, as a statement or part of one that returns them as `iid`: without gaps and never
 * the same twice. Others of the same kind in the same project wait until the unit of work ends, so take one as late as
 * possible.
 * @param source a query of a project's ID and a kind
 */
export const nextNumber = (source: string): string => `
  INSERT INTO internal_ids (project_id, kind, last_iid)
  SELECT numbered.*, 1 FROM (${source}) AS numbered
  ON CONFLICT (project_id, kind) DO UPDATE SET last_iid = internal_ids.last_iid + 1
  RETURNING last_iid AS iid`;

/**
 * Takes the number that a row brings with it from another server, as a statement or part of one that returns
 * `project_id`; new rows get higher ones. Others of the same kind in the same project wait until the unit of
 * work ends.
 * @param source a query of a project's ID, a kind and the number
 */
export const givenNumber = (source: string): string => `
  INSERT INTO internal_ids AS known (project_id, kind, last_iid)
  SELECT given.* FROM (${source}) AS given
  ON CONFLICT (project_id, kind)
    DO UPDATE SET last_iid = greatest(known.last_iid, excluded.last_iid)
  RETURNING project_id`;
