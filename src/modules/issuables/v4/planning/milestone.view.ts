import type { Urls } from '../../../../platform/config/index.js';
import type { Milestone } from '../../planning/milestone.entity.js';

/** A milestone of a project or group. */
export class V4MilestoneView {
  id!: number;
  /** Number within the project or group. */
  iid!: number;
  /** Absent for a milestone of a group. */
  project_id?: number;
  /** Absent for a milestone of a project. */
  group_id?: number;
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

/** @param path of its project, with the namespace, or of its group; also that of a project in the group */
export const presentV4Milestone = (
  milestone: Milestone,
  path: string,
  urls: Urls,
): V4MilestoneView => ({
  id: milestone.id,
  iid: milestone.iid,
  ...(milestone.projectId === null ? {} : { project_id: milestone.projectId }),
  ...(milestone.groupId === null ? {} : { group_id: milestone.groupId }),
  title: milestone.title,
  description: milestone.description,
  state: milestone.state,
  created_at: milestone.createdAt,
  updated_at: milestone.updatedAt,
  due_date: milestone.dueDate,
  start_date: milestone.startDate,
  expired: milestone.dueDate !== null && milestone.dueDate < new Date().toISOString().slice(0, 10),
  web_url: urls.web(...addressOf(milestone, path), '-', 'milestones', String(milestone.iid)),
});

/** The segments of the address of its project or group. Groups have one. */
function addressOf({ groupId }: Milestone, path: string): string[] {
  const segments = path.split('/');
  return groupId === null ? segments : ['groups', ...segments.slice(0, 1)];
}
