import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import type { PushedRef } from './pushed-ref.js';

/** An event in a project, for the feeds. */
@Entity('events')
@Index('events_target_idx', ['targetType', 'targetId'], { where: 'target_id IS NOT NULL' })
// By project, for all events and for those that do not disclose code, and by author. A migration creates them,
// because they include the columns that decide who sees an event.
@Index('events_project_idx', { synchronize: false })
@Index('events_author_idx', { synchronize: false })
@Index('events_not_on_code_idx', { synchronize: false })
export class ActivityEvent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'events_pkey' })
  id!: string;

  // Named, not imported: this room lies below those whose tables it refers to.
  @Column({ type: 'int' })
  @ForeignKey('Project', { name: 'events_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'int' })
  @ForeignKey('User', { name: 'events_author_fkey' })
  authorId!: number;

  @Column({ type: 'varchar', length: 64 })
  action!: string;

  @Column({ type: 'varchar', length: 32, nullable: true })
  targetType!: string | null;

  @Column({ type: 'int', nullable: true })
  targetId!: number | null;

  /** Of pushes only. */
  @Column({ type: 'jsonb', nullable: true })
  pushedRef!: PushedRef | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
