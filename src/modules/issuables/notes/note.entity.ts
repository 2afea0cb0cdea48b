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
import type { IssuableType } from '../kinds/issuable.js';
import type { OriginType } from '../changes/system-notes.repository.js';
import type { MovedReferences } from '../references/moved-references.js';

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

  /** The references in the body that moves have expanded; null if there are none. */
  @Column({ type: 'jsonb', nullable: true })
  movedReferences!: MovedReferences[] | null;

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
