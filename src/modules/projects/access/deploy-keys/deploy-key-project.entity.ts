import { CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { SshKey } from '../../../users/index.js';
import { Project } from '../../model/project.entity.js';

/** Links a deploy key to a project that it may read. */
@Entity('deploy_keys_projects')
@Index('deploy_keys_projects_key_idx', ['deployKeyId'])
export class DeployKeyProject {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'deploy_keys_projects_pkey' })
  @ForeignKey(() => Project, { name: 'deploy_keys_projects_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'deploy_keys_projects_pkey' })
  @ForeignKey(() => SshKey, { name: 'deploy_keys_projects_key_fkey', onDelete: 'CASCADE' })
  deployKeyId!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
