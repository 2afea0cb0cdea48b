import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { IssuableType } from '../issuable.js';
import { Label } from './label.entity.js';

const KEY = { primaryKeyConstraintName: 'label_links_pkey' };

/** That an issue or a merge request has a label. */
@Entity('label_links')
@Index('label_links_label_idx', ['labelId', 'targetType', 'targetId'])
export class LabelLink {
  @PrimaryColumn({ type: 'varchar', length: 16, ...KEY })
  targetType!: IssuableType;

  @PrimaryColumn({ type: 'int', ...KEY })
  targetId!: number;

  @PrimaryColumn({ type: 'int', ...KEY })
  @ForeignKey(() => Label, { name: 'label_links_label_fkey', onDelete: 'CASCADE' })
  labelId!: number;
}
