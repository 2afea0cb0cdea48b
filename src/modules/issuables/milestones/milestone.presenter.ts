import type { Milestone } from './milestone.entity.js';
import type { MilestoneView } from './milestone.view.js';

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
