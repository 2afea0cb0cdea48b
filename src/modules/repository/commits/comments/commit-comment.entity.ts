import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Project } from '../../../projects/index.js';
import { User } from '../../../users/index.js';

/** A side of a diff: the file after the commit, or before it. */
export const LINE_TYPES = ['new', 'old'] as const;

export type LineType = (typeof LINE_TYPES)[number];

/** The numbers that a line has on both sides of a diff; null on a side on which it is not. */
export interface CommentLines {
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

/** A line with the name of its file before the commit. */
export interface StoredLines extends CommentLines {
  readonly oldPath: string;
}

/**
 * A comment on a commit, or on one of the lines that it changes
 * (docs/reference/commits.md#post-projectsidrepositorycommitsshacomments).
 */
@Entity('commit_comments')
@Index('commit_comments_commit_idx', ['projectId', 'sha', 'id'])
@Index('commit_comments_author_idx', ['authorId', 'id'])
export class CommitComment {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'commit_comments_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'commit_comments_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  /** The full hash. */
  @Column({ type: 'varchar', length: 40 })
  sha!: string;

  /** For the feeds: the commit itself may be deleted later. */
  @Column({ type: 'text' })
  commitTitle!: string;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'commit_comments_author_fkey' })
  authorId!: number;

  @Column({ type: 'text' })
  note!: string;

  /** Null, like the next two, for a comment on the commit as a whole. */
  @Column({ type: 'text', nullable: true })
  path!: string | null;

  @Column({ type: 'int', nullable: true })
  line!: number | null;

  @Column({ type: 'varchar', length: 3, nullable: true })
  lineType!: LineType | null;

  /** Of a comment on a line that was made as a discussion. */
  @Column({ type: 'jsonb', nullable: true })
  position!: StoredLines | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Null unless its text was changed. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  updatedAt!: Date | null;
}
