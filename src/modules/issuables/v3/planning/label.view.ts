import type { DescribedLabel } from '../../planning/labels.service.js';

/** A label of a project or its group (docs/reference/labels.md#the-label-object). */
export class LabelView {
  id!: number;
  name!: string;
  /** `#` and 6 or 3 hexadecimal digits. */
  color!: string;
  description!: string | null;
  /** Like the next two: of those that the caller may read. */
  open_issues_count!: number;
  closed_issues_count!: number;
  open_merge_requests_count!: number;
  priority!: number | null;
  /** Whether the caller is subscribed. */
  subscribed!: boolean;
}

export const presentLabel = ({
  label,
  priority,
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
  priority,
  subscribed,
});
