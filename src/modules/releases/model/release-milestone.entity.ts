import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Milestone } from '../../issuables/index.js';
import { Release } from '../../repository/index.js';

/** A milestone of a release, in the same project. */
@Entity('release_milestones')
@Index('release_milestones_milestone_idx', ['milestoneId'])
export class ReleaseMilestone {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'release_milestones_pkey' })
  @ForeignKey(() => Release, { name: 'release_milestones_release_fkey', onDelete: 'CASCADE' })
  releaseId!: number;

  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'release_milestones_pkey' })
  @ForeignKey(() => Milestone, { name: 'release_milestones_milestone_fkey', onDelete: 'CASCADE' })
  milestoneId!: number;
}
