import type { Milestone } from '../../planning/milestone.entity.js';

/** A milestone (docs/reference/milestones.md#the-milestone-object). */
export class MilestoneView {
  id!: number;
  /** Number within the project or group. */
  iid!: number;
  /** Null for a milestone of a group. */
  project_id!: number | null;
  title!: string;
  description!: string | null;
  /** `active` or `closed`. */
  state!: string;
  /** A day, `YYYY-MM-DD`. */
  due_date!: string | null;
  /** A day, `YYYY-MM-DD`. */
  start_date!: string | null;
  created_at!: Date;
  updated_at!: Date;
}

export const presentMilestone = (milestone: Milestone): MilestoneView => ({
  id: milestone.id,
  iid: milestone.iid,
  project_id: milestone.projectId,
  title: milestone.title,
  description: milestone.description,
  state: milestone.state,
  due_date: milestone.dueDate,
  start_date: milestone.startDate,
  created_at: milestone.createdAt,
  updated_at: milestone.updatedAt,
});
