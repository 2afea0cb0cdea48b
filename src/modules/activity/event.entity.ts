import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';

/** What happened in a project, for the feeds (specification 2.17; open points 06). */
@Entity('events')
@Index('events_target_idx', ['targetType', 'targetId'], { where: 'target_id IS NOT NULL' })
// By project, all and without what tells of code, and by author: made by the migration, since they hold
// what decides on who sees an event.
@Index('events_project_idx', { synchronize: false })
@Index('events_author_idx', { synchronize: false })
@Index('events_not_on_code_idx', { synchronize: false })
export class ActivityEvent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'events_pkey' })
  id!: string;

  // Named, not imported: this room lies below the ones whose tables it points at.
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

  @Column({ type: 'jsonb', nullable: true })
  data!: object | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
