import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * The refs that a recorded push has moved. Kept for a minute, in which a file system that machines share may
 * still show older values (docs/decisions/0063-shared-repositories.md).
 */
@Entity('ref_moves')
@Index('ref_moves_project_idx', ['projectId', 'id'])
export class RefMove {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    primaryKeyConstraintName: 'ref_moves_pkey',
  })
  id!: string;

  @Column({ type: 'int' })
  @ForeignKey('Project', { name: 'ref_moves_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  /** The process that has recorded the push, and whose own file system shows it. */
  @Column({ type: 'uuid' })
  process!: string;

  /** By the name of the ref the object that it points at, null for one that was deleted. */
  @Column({ type: 'jsonb' })
  targets!: Record<string, string | null>;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
