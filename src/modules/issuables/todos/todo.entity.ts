import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Project } from '../../projects/index.js';
import { User } from '../../users/index.js';
import type { IssuableType } from '../model/issuable.js';

export const TODO_ACTIONS = [
  'assigned',
  'mentioned',
  'build_failed',
  'marked',
  'review_requested',
] as const;

/** Why a todo was raised (docs/reference/todos.md#when-todos-are-created). */
export type TodoAction = (typeof TODO_ACTIONS)[number];

export type TodoState = 'pending' | 'done';

/** A reminder of an issue or merge request (docs/reference/todos.md#the-todo-object). */
@Entity('todos')
@Index('todos_pending_key', ['userId', 'targetType', 'targetId'], {
  unique: true,
  where: `state = 'pending'`,
})
@Index('todos_user_idx', ['userId', 'state', 'id'])
@Index('todos_target_idx', ['targetType', 'targetId'])
@Index('todos_project_idx', ['projectId', 'userId'])
@Index('todos_author_idx', ['authorId', 'id'])
@Index('todos_note_idx', ['noteId'], { where: 'note_id IS NOT NULL' })
export class Todo {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'todos_pkey' })
  id!: number;

  /** The user who is reminded. */
  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'todos_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'todos_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'varchar', length: 16 })
  targetType!: IssuableType;

  @Column({ type: 'int' })
  targetId!: number;

  /** The note that caused it. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey('Note', { name: 'todos_note_fkey', onDelete: 'SET NULL' })
  noteId!: number | null;

  /** The user who caused it. */
  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'todos_author_fkey' })
  authorId!: number;

  @Column({ type: 'varchar', length: 16 })
  action!: TodoAction;

  @Column({ type: 'varchar', length: 8, default: 'pending' })
  state!: TodoState;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
