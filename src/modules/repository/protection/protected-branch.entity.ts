import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Project } from '../../projects/index.js';

/**
 * A protection rule (docs/reference/branches.md#protected-branches): an exact branch name or one
 * with `*` wildcards.
 */
@Entity('protected_branches')
@Index('protected_branches_name_key', ['projectId', 'name'], { unique: true })
export class ProtectedBranch {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'protected_branches_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'protected_branches_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  @Column({ type: 'boolean', default: false })
  developersCanPush!: boolean;

  @Column({ type: 'boolean', default: false })
  developersCanMerge!: boolean;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
