import type { User } from '../../users/index.js';
import type { LabelChange } from '../labels/label-links.repository.js';
import type { Milestone } from '../milestones/milestone.entity.js';

/** The new assignee, milestone and labels of an issue or merge request, where they have changed. */
export interface TriageChange {
  assignee?: Pick<User, 'username'> | null | undefined;
  milestone?: Pick<Milestone, 'iid'> | null | undefined;
  labels?: LabelChange | undefined;
}

// Texts of system notes (docs/reference/notes.md#system-notes).

export const titleText = (before: string, after: string): string =>
  `changed title from **${before}** to **${after}**`;

export const assigneeText = (assignee: TriageChange['assignee']): string =>
  assignee ? `assigned to @${assignee.username}` : 'removed assignee';

export const milestoneText = (milestone: TriageChange['milestone']): string =>
  milestone ? `changed milestone to %${String(milestone.iid)}` : 'removed milestone';

/** Returns one text for all labels: `added ~3 ~4 labels and removed ~5 label`. */
export function labelTexts({ added, removed }: LabelChange = { added: [], removed: [] }): string[] {
  const said = (verb: string, labels: LabelChange['added']): string[] => {
    if (labels.length === 0) return [];
    const names = labels.map(({ id }) => `~${String(id)}`).join(' ');
    return [`${verb} ${names} ${labels.length === 1 ? 'label' : 'labels'}`];
  };
  const texts = [...said('added', added), ...said('removed', removed)];
  return texts.length === 0 ? [] : [texts.join(' and ')];
}
