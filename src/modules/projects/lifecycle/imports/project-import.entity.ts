import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  UpdateDateColumn,
} from 'typeorm';
import { User } from '../../../users/index.js';
import { Project } from '../../model/project.entity.js';

export type ImportState = 'waiting' | 'running' | 'finished' | 'failed';

/**
 * The import of a project from an address (`import_url`, docs/reference/projects.md#import-addresses), or a fork
 * that could not be filled, with the path of its source as address.
 */
@Entity('project_imports')
export class ProjectImport {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'project_imports_pkey' })
  @ForeignKey(() => Project, { name: 'project_imports_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  /** The user whose push it counts as. */
  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'project_imports_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** Without user name and password. */
  @Column({ type: 'text' })
  address!: string;

  /** User name and password, encrypted; null when there are none, and once the import has ended. */
  @Column({ type: 'text', nullable: true })
  credentialsSealed!: string | null;

  @Column({ type: 'varchar', length: 16, default: 'waiting' })
  state!: ImportState;

  /** Per cent of the objects received. */
  @Column({ type: 'smallint', default: 0 })
  progress!: number;

  /** Why it failed, without credentials. */
  @Column({ type: 'text', nullable: true })
  failure!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
