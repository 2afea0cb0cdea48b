import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { User } from '../../../users/index.js';
import type { DiffPosition } from '../note.entity.js';

/** A note on a merge request that its author has not published (docs/reference/v4-draft-notes.md). */
@Entity('draft_notes')
@Index('draft_notes_request_idx', ['mergeRequestId', 'authorId', 'id'])
@Index('draft_notes_author_idx', ['authorId'])
export class DraftNote {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'draft_notes_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey('MergeRequest', { name: 'draft_notes_request_fkey', onDelete: 'CASCADE' })
  mergeRequestId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'draft_notes_author_fkey', onDelete: 'CASCADE' })
  authorId!: number;

  @Column({ type: 'text' })
  body!: string;

  /** The ID of the first note of the thread that it replies to, which may be deleted. */
  @Column({ type: 'int', nullable: true })
  discussionId!: number | null;

  /** Whether publishing it resolves the thread. */
  @Column({ type: 'boolean', default: false })
  resolves!: boolean;

  /** Where it begins a thread. */
  @Column({ type: 'jsonb', nullable: true })
  position!: DiffPosition | null;

  /** The commit that its author was looking at. */
  @Column({ type: 'varchar', length: 40, nullable: true })
  commitSha!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
