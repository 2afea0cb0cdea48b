import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../users/index.js';
import type { IssuableType } from '../issuable.js';
import { Label } from './label.entity.js';

const KEY = { primaryKeyConstraintName: 'label_links_pkey' };

/**
 * That an issue or a merge request has a label; with what lists by label go by, so that they are as
 * quick however many have it.
 */
@Entity('label_links')
// By label and state in the order of creation, with what else lists look at: made by the migration.
@Index('label_links_label_idx', { synchronize: false })
@Index('label_links_author_idx', ['authorId'])
export class LabelLink {
  @PrimaryColumn({ type: 'varchar', length: 16, ...KEY })
  targetType!: IssuableType;

  @PrimaryColumn({ type: 'int', ...KEY })
  targetId!: number;

  @PrimaryColumn({ type: 'int', ...KEY })
  @ForeignKey(() => Label, { name: 'label_links_label_fkey', onDelete: 'CASCADE' })
  labelId!: number;

  /** Of the target, like the next three. */
  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'varchar', length: 8 })
  state!: string;

  @Column({ type: 'boolean' })
  confidential!: boolean;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'label_links_author_fkey' })
  authorId!: number;
}
