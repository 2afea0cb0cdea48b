import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Project } from '../../model/project.entity.js';

/**
 * The size of a project on the disk, in bytes. The row is created when a file is first stored under
 * `PROJECT_MAX_BYTES`. Writers add to it; housekeeping and a daily job correct it by measuring.
 */
@Entity('project_sizes')
export class ProjectSize {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'project_sizes_pkey' })
  @ForeignKey(() => Project, { name: 'project_sizes_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'bigint' })
  repositoryBytes!: string;

  @Column({ type: 'bigint' })
  uploadsBytes!: string;

  /** The sum of the project's reservations. */
  @Column({ type: 'bigint', default: 0 })
  reservedBytes!: string;

  /** The bytes that writers have ever added: shows a measurement what was added while it ran. */
  @Column({ type: 'bigint', default: 0 })
  repositoryAdded!: string;

  @Column({ type: 'bigint', default: 0 })
  uploadsAdded!: string;
}
