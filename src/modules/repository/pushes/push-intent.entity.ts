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
 * Ref updates that git is about to make, written down before it makes them. The row goes in the
 * transaction that records what came of them, so a row that outlives its process is a push that a
 * crash interrupted: whoever next takes the project's push lock settles it.
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

  /** The machine and process that may still be moving the refs, even after our own process died. */
  @Column({ type: 'varchar', length: 255 })
  host!: string;

  @Column({ type: 'int', nullable: true })
  pid!: number | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
