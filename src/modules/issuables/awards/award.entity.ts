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

/** The kinds of objects that are awarded emoji. */
export type AwardableType = IssuableType | 'Note';

/** An emoji that a user awarded (docs/reference/award-emoji.md#the-award-object). */
@Entity('award_emoji')
@Index('award_emoji_key', ['awardableType', 'awardableId', 'name', 'userId'], { unique: true })
@Index('award_emoji_user_idx', ['userId'])
@Index('award_emoji_project_idx', ['projectId'])
export class Award {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'award_emoji_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'award_emoji_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'varchar', length: 16 })
  awardableType!: AwardableType;

  @Column({ type: 'int' })
  awardableId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'award_emoji_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** Without colons. */
  @Column({ type: 'varchar', length: 64 })
  name!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
