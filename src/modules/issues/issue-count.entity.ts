import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Project } from '../projects/index.js';

/** How many issues of a project are open: what `open_issues_count` is told from. */
@Entity('issue_counts')
export class IssueCount {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'issue_counts_pkey' })
  @ForeignKey(() => Project, { name: 'issue_counts_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  /** Confidential ones included. */
  @Column({ type: 'int' })
  opened!: number;

  @Column({ type: 'int' })
  openedConfidential!: number;
}
