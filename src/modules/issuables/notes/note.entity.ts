import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Project } from '../../projects/index.js';
import { User } from '../../users/index.js';
import type { IssuableType } from '../model/issuable.js';

/** The kind of object that a cross-reference comes from. */
export type OriginType = IssuableType | 'Commit';

/** A comment on an issue or merge request, or a system note (docs/reference/notes.md#the-note-object). */
@Entity('notes')
@Index('notes_noteable_idx', ['noteableType', 'noteableId', 'id'])
@Index('notes_written_idx', ['noteableType', 'noteableId', 'authorId'], { where: 'NOT system' })
@Index('notes_project_idx', ['projectId'])
@Index('notes_author_idx', ['authorId', 'id'])
// One note for each pair of origin and target, nulls being equal: made by the migration.
@Index('notes_origin_key', { synchronize: false })
export class Note {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'notes_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'notes_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'varchar', length: 16 })
  noteableType!: IssuableType;

  @Column({ type: 'int' })
  noteableId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'notes_author_fkey' })
  authorId!: number;

  @Column({ type: 'text' })
  body!: string;

  /** Whether it is a system note. */
  @Column({ type: 'boolean', default: false })
  system!: boolean;

  /** Set, like the next ones, for a cross-reference: the object that mentions the target. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  originType!: OriginType | null;

  @Column({ type: 'int', nullable: true })
  originProjectId!: number | null;

  /** Of an issue or merge request. */
  @Column({ type: 'int', nullable: true })
  originId!: number | null;

  /** Of a commit. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  originSha!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

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
