import { Injectable } from '@nestjs/common';
import type { Milestone } from './milestone.entity.js';
import type { MilestoneView } from './milestone.view.js';

@Injectable()
export class MilestonePresenter {
  present(milestone: Milestone): MilestoneView {
    return {
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
    };
  }
}
