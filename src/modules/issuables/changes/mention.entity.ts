import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Project } from '../../projects/index.js';
import { User } from '../../users/index.js';
import type { IssuableType } from '../kinds/issuable.js';

/** A mention of a user in an issue or merge request that the user may read, or in a note on it. */
@Entity('mentions')
@Index('mentions_note_idx', ['noteId'], { where: 'note_id IS NOT NULL' })
@Index('mentions_user_idx', ['userId'])
@Index('mentions_project_idx', ['projectId'])
// One for each target, user and note, nulls being equal: made by the migration.
@Index('mentions_key', { synchronize: false })
export class Mention {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', primaryKeyConstraintName: 'mentions_pkey' })
  id!: string;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'mentions_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'varchar', length: 16 })
  targetType!: IssuableType;

  @Column({ type: 'int' })
  targetId!: number;

  /** Null for title and description. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey('Note', { name: 'mentions_note_fkey', onDelete: 'CASCADE' })
  noteId!: number | null;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'mentions_user_fkey', onDelete: 'CASCADE' })
  userId!: number;
}
