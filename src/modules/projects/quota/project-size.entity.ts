import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Project } from '../project.entity.js';

/**
 * What a project takes on the disk, in bytes. There is a row as soon as something is stored in the project
 * under `PROJECT_MAX_BYTES`; writers add to it, housekeeping and a daily job set it to what they measure.
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

  /** Everything that writers have ever added: tells a measurement what came while it was made. */
  @Column({ type: 'bigint', default: 0 })
  repositoryAdded!: string;

  @Column({ type: 'bigint', default: 0 })
  uploadsAdded!: string;
}
