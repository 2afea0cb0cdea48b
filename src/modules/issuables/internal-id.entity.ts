import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Project } from '../projects/index.js';

/** What is numbered within a project, each kind on its own (docs/reference/issues.md#numbers). */
export type NumberedKind = 'Issue' | 'MergeRequest' | 'Milestone';

/** The highest number of a kind that a project ever gave away. */
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
