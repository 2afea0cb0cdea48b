import { descriptionErrors, invalidFields, titleErrors } from '../kinds/issuable.rules.js';
import type { Milestone } from './milestone.entity.js';

export type MilestoneValues = Pick<Milestone, 'title' | 'description' | 'dueDate' | 'startDate'>;

/**
 * What is wrong with a milestone, by field; null when nothing is
 * (docs/reference/milestones.md#titles-and-dates).
 */
export function milestoneErrors({
  title,
  description,
  dueDate,
  startDate,
}: MilestoneValues): Record<string, string[]> | null {
  // Days in ISO 8601 compare as texts do.
  const isInOrder = dueDate === null || startDate === null || startDate < dueDate;
  return invalidFields({
    title: titleErrors(title),
    description: descriptionErrors(description),
    start_date: isInOrder ? [] : ["Can't be greater than due date"],
  });
}
