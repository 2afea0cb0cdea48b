import type { LabelView } from './label.view.js';
import type { DescribedLabel } from './labels.service.js';

export const presentLabel = ({
  label,
  issues,
  mergeRequests,
  subscribed,
}: DescribedLabel): LabelView => ({
  id: label.id,
  name: label.name,
  color: label.color,
  description: label.description,
  open_issues_count: issues.open,
  closed_issues_count: issues.closed,
  open_merge_requests_count: mergeRequests.open,
  priority: label.priority,
  subscribed,
});
