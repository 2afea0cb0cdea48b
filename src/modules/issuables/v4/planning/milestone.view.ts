import type { Urls } from '../../../../platform/config/index.js';
import type { Milestone } from '../../planning/milestone.entity.js';

/** A milestone of a project. */
export class V4MilestoneView {
  id!: number;
  /** Number within the project. */
  iid!: number;
  project_id!: number;
  title!: string;
  description!: string | null;
  /** `active` or `closed`. */
  state!: string;
  created_at!: Date;
  updated_at!: Date;
  /** A day, `YYYY-MM-DD`. */
  due_date!: string | null;
  /** A day, `YYYY-MM-DD`. */
  start_date!: string | null;
  /** Whether its due date is over. */
  expired!: boolean;
  web_url!: string;
}

/** @param projectPath namespace and path of its project */
export const presentV4Milestone = (
  milestone: Milestone,
  projectPath: string,
  urls: Urls,
): V4MilestoneView => ({
  id: milestone.id,
  iid: milestone.iid,
  project_id: milestone.projectId,
  title: milestone.title,
  description: milestone.description,
  state: milestone.state,
  created_at: milestone.createdAt,
  updated_at: milestone.updatedAt,
  due_date: milestone.dueDate,
  start_date: milestone.startDate,
  expired: milestone.dueDate !== null && milestone.dueDate < new Date().toISOString().slice(0, 10),
  web_url: urls.web(...projectPath.split('/'), '-', 'milestones', String(milestone.iid)),
});
