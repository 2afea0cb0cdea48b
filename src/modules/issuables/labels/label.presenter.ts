import { Injectable } from '@nestjs/common';
import type { DescribedLabel } from './label-details.js';
import type { LabelView } from './label.view.js';

@Injectable()
export class LabelPresenter {
  present({ label, issues, mergeRequests, subscribed }: DescribedLabel): LabelView {
    return {
      id: label.id,
      name: label.name,
      color: label.color,
      description: label.description,
      open_issues_count: issues.open,
      closed_issues_count: issues.closed,
      open_merge_requests_count: mergeRequests.open,
      priority: label.priority,
      subscribed,
    };
  }
}
