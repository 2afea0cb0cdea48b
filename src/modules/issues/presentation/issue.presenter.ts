import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/urls/index.js';
import { presentMilestone } from '../../issuables/index.js';
import { summarizeUser } from '../../users/index.js';
import type { IssueWithRelations } from './issue-relations.js';
import type { IssueView } from './issue.view.js';

@Injectable()
export class IssuePresenter {
  constructor(private readonly urls: Urls) {}

  present({ issue, labels, milestone, author, assignee, counters }: IssueWithRelations): IssueView {
    return {
      id: issue.id,
      iid: issue.iid,
      project_id: issue.projectId,
      title: issue.title,
      description: issue.description,
      state: issue.state,
      created_at: issue.createdAt,
      updated_at: issue.updatedAt,
      labels: labels.map(({ name }) => name),
      milestone: milestone && presentMilestone(milestone),
      assignee: assignee && summarizeUser(assignee, this.urls),
      author: summarizeUser(author, this.urls),
      subscribed: counters.subscribed,
      user_notes_count: counters.userNotesCount,
      upvotes: counters.upvotes,
      downvotes: counters.downvotes,
      due_date: issue.dueDate,
      web_url: this.urls.web(...issue.projectPath.split('/'), 'issues', String(issue.iid)),
      confidential: issue.confidential,
    };
  }
}
