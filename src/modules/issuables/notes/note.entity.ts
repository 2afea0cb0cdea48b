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

/** Null where a note stands by itself. */
export type NoteType = 'DiscussionNote' | 'DiffNote';

/** A place in the difference between two commits of a merge request. */
export interface DiffPosition {
  readonly baseSha: string;
  readonly startSha: string;
  readonly headSha: string;
  readonly oldPath: string;
  readonly newPath: string;
  /** What it is about: a line, a place in a picture, or the whole file. */
  readonly type: 'text' | 'image' | 'file';
  /** Null for a line that was added, like `newLine` for one that was removed. */
  readonly oldLine: number | null;
  readonly newLine: number | null;
  /** The lines that it goes over, as the client sent them; null for one line. */
  readonly lineRange: PositionRange | null;
  /** Of the picture, and the place in it. */
  readonly image: ImagePlace | null;
}

/** One end of the lines of a position. */
export interface RangeEnd {
  readonly lineCode: string | null;
  readonly type: string | null;
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

export interface PositionRange {
  readonly start: RangeEnd;
  readonly end: RangeEnd;
}

export interface ImagePlace {
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
}

/** A comment on an issue or merge request, or a system note (docs/reference/notes.md#the-note-object). */
@Entity('notes')
@Index('notes_noteable_idx', ['noteableType', 'noteableId', 'id'])
@Index('notes_written_idx', ['noteableType', 'noteableId', 'authorId'], { where: 'NOT system' })
@Index('notes_project_idx', ['projectId'])
@Index('notes_author_idx', ['authorId', 'id'])
@Index('notes_discussion_idx', ['discussionId', 'id'], { where: 'discussion_id IS NOT NULL' })
@Index('notes_heads_idx', ['noteableType', 'noteableId', 'id'], { where: 'NOT is_reply' })
@Index('notes_unresolved_idx', ['noteableType', 'noteableId'], {
  where: 'discussion_id IS NOT NULL AND resolved_at IS NULL AND NOT system',
})
@Index('notes_resolved_by_idx', ['resolvedById'], { where: 'resolved_by_id IS NOT NULL' })
@Index('notes_positions_idx', ['noteableId', 'discussionId'], {
  where: 'position IS NOT NULL AND NOT is_reply AND NOT outdated',
})
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

  /** Set, like `discussionId`, for the notes of a thread. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  type!: NoteType | null;

  /** The ID of the note that began the thread; it may be deleted. */
  @Column({ type: 'int', nullable: true })
  discussionId!: number | null;

  /** Whether an older note of the thread exists. A trigger clears it when that one is deleted. */
  @Column({ type: 'boolean', default: false })
  isReply!: boolean;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  resolvedAt!: Date | null;

  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'notes_resolved_by_fkey' })
  resolvedById!: number | null;

  /** Of a note on a line, where the newest version has that line; the last place if it is outdated. */
  @Column({ type: 'jsonb', nullable: true })
  position!: DiffPosition | null;

  /** Where the note was written. */
  @Column({ type: 'jsonb', nullable: true })
  originalPosition!: DiffPosition | null;

  /** Whether a later version no longer has the line. */
  @Column({ type: 'boolean', default: false })
  outdated!: boolean;

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
