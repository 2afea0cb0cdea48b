import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Namespace } from '../../groups/index.js';
import { Project } from '../../projects/index.js';
import { User } from '../../users/index.js';
import { StateCounts } from '../model/counters/state-counts.js';
import type { IssuableType } from '../model/issuable.js';

/**
 * A label of a project or of a group (docs/reference/labels.md#the-label-object). A trigger keeps the names of a group and those of its
 * projects apart.
 */
@Entity('labels')
@Index('labels_name_key', ['projectId', 'name'], { unique: true })
@Index('labels_group_name_key', ['groupId', 'name'], { unique: true })
@Check('labels_owner_check', 'num_nonnulls(project_id, group_id) = 1')
export class Label {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'labels_pkey' })
  id!: number;

  /** Null for a label of a group. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Project, { name: 'labels_project_fkey', onDelete: 'CASCADE' })
  projectId!: number | null;

  /** Null for a label of a project. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Namespace, { name: 'labels_group_fkey', onDelete: 'CASCADE' })
  groupId!: number | null;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /** `#` and 6 or 3 hexadecimal digits. */
  @Column({ type: 'varchar', length: 7 })
  color!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  /** That of a label of a project. Those of a group have a `LabelPriority` in each project. */
  @Column({ type: 'int', nullable: true })
  priority!: number | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

const KEY = { primaryKeyConstraintName: 'label_links_pkey' };

/**
 * A label of an issue or merge request. It repeats the columns that lists by label filter and sort by, so that they
 * are fast however many have the label.
 */
@Entity('label_links')
// By label and state in the order of creation, with the columns of filters; created by the migration.
@Index('label_links_label_idx', { synchronize: false })
@Index('label_links_author_idx', ['authorId'])
// By project and label, with the same columns; created by the migration.
@Index('label_links_project_idx', { synchronize: false })
@Index('label_links_confidential_idx', ['labelId', 'targetType', 'targetId'], {
  where: 'confidential',
})
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

  /** The project of the target, if the label is one of a group; null for labels of projects. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Project, { name: 'label_links_project_fkey', onDelete: 'CASCADE' })
  projectId!: number | null;
}

const PRIORITY_KEY = { primaryKeyConstraintName: 'label_priorities_pkey' };

/** The priority that a project gives to a label of its group. */
@Entity('label_priorities')
@Index('label_priorities_project_idx', ['projectId'])
export class LabelPriority {
  @PrimaryColumn({ type: 'int', ...PRIORITY_KEY })
  @ForeignKey(() => Label, { name: 'label_priorities_label_fkey', onDelete: 'CASCADE' })
  labelId!: number;

  @PrimaryColumn({ type: 'int', ...PRIORITY_KEY })
  @ForeignKey(() => Project, { name: 'label_priorities_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'int' })
  priority!: number;
}

const COUNT_KEY = { primaryKeyConstraintName: 'label_counts_pkey' };

/**
 * The numbers of issues or merge requests with a label, without merged ones, to which the changes that wait have to be added. Triggers maintain
 * both (docs/decisions/0042-kept-counters.md).
 */
@Entity('label_counts')
export class LabelCounts extends StateCounts {
  @PrimaryColumn({ type: 'int', ...COUNT_KEY })
  labelId!: number;

  @PrimaryColumn({ type: 'varchar', length: 16, ...COUNT_KEY })
  targetType!: IssuableType;
}

/** A change of the numbers of a label, left by a transaction that found them locked. */
@Entity('label_count_changes')
@Index('label_count_changes_label_idx', ['labelId', 'targetType'])
export class LabelCountChange extends StateCounts {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    primaryKeyConstraintName: 'label_count_changes_pkey',
  })
  id!: string;

  @Column({ type: 'int' })
  labelId!: number;

  @Column({ type: 'varchar', length: 16 })
  targetType!: IssuableType;
}
