import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Project } from '../../projects/index.js';

/** The kinds that are numbered within a project, each separately (docs/reference/issues.md#numbers). */
export type NumberedKind = 'Issue' | 'MergeRequest' | 'Milestone';

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
