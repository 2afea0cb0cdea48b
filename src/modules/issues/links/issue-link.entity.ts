import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Issue } from '../model/issue.entity.js';

/** A link between two issues, which relates each to the other (docs/reference/v4-issues.md#links). */
@Entity('issue_links')
@Index('issue_links_source_idx', ['sourceId'])
@Index('issue_links_target_idx', ['targetId'])
// Unique for the pair, whichever is the source; the migration creates it.
@Index('issue_links_pair_key', { synchronize: false })
export class IssueLink {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'issue_links_pkey' })
  id!: number;

  /** The issue that it was made from. */
  @Column({ type: 'int' })
  @ForeignKey(() => Issue, { name: 'issue_links_source_fkey', onDelete: 'CASCADE' })
  sourceId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Issue, { name: 'issue_links_target_fkey', onDelete: 'CASCADE' })
  targetId!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
