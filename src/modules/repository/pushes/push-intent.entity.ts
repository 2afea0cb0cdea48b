import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import type { RefUpdate } from '../../../git/index.js';
import { Project } from '../../projects/index.js';
import { User } from '../../users/index.js';

/**
 * Ref updates that git is about to make, committed before it makes them. The transaction that records the
 * result deletes the row, so a row that outlives its process is a push that a crash interrupted. The next
 * holder of the project's push lock finishes it (docs/decisions/0006-push-intents.md).
 */
@Entity('push_intents')
@Index('push_intents_project_idx', ['projectId', 'id'])
export class PushIntent {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    primaryKeyConstraintName: 'push_intents_pkey',
  })
  id!: string;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'push_intents_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'push_intents_user_fkey' })
  userId!: number;

  @Column({ type: 'jsonb' })
  updates!: RefUpdate[];

  /** The name of the machine of the git process that moves the refs, and that may outlive the service. */
  @Column({ type: 'varchar', length: 255 })
  host!: string;

  /** That machine, whatever its name; null in intents of older versions. */
  @Column({ type: 'varchar', length: 100, nullable: true })
  machine!: string | null;

  /** The process of the service that pushes; null when it has no lease. */
  @Column({ type: 'uuid', nullable: true })
  processId!: string | null;

  /** The epoch of that process. */
  @Column({ type: 'int', nullable: true })
  epoch!: number | null;

  /** Whether git asks that process once more when it has locked the refs. */
  @Column({ type: 'boolean', default: false })
  isGuarded!: boolean;

  /** Of git. */
  @Column({ type: 'int', nullable: true })
  pid!: number | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
