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
@Index('events_project_idx', ['projectId', 'id'])
// By author, with project and action; by project without what tells of code: made by the migration.
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
