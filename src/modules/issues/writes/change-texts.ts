import type { LabelChange, Milestone } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import type { LocatedIssue } from '../issues.repository.js';

/** What an issue was, what it is, and the rows that it refers to since. */
export interface Change {
  before: LocatedIssue;
  after: LocatedIssue;
  /** Whom it is assigned to, where that changed. */
  assignee?: Pick<User, 'username'> | null | undefined;
  /** Where that changed. */
  milestone?: Pick<Milestone, 'iid'> | null | undefined;
  labels?: LabelChange | undefined;
  /** What closed it, where that was no request: `commit …`, `merge request !5`. */
  via?: string | undefined;
}

/** The texts of the notes that tell of a change, one for each thing that changed (open points 5.17). */
export function changeTexts(change: Change): string[] {
  const { before, after, assignee, milestone } = change;
  const changed = (field: keyof LocatedIssue) => before[field] !== after[field];
  return [
    ...(changed('title') ? [`changed title from **${before.title}** to **${after.title}**`] : []),
    ...(changed('assigneeId') ? [assigneeText(assignee)] : []),
    ...(changed('milestoneId') ? [milestoneText(milestone)] : []),
    ...labelTexts(change.labels),
    ...(changed('confidential') ? [confidentialityText(after)] : []),
    ...(changed('state') ? [stateText(change)] : []),
  ];
}

const assigneeText = (assignee: Change['assignee']): string =>
  assignee ? `assigned to @${assignee.username}` : 'removed assignee';

const milestoneText = (milestone: Change['milestone']): string =>
  milestone ? `changed milestone to %${String(milestone.iid)}` : 'removed milestone';

const confidentialityText = ({ confidential }: LocatedIssue): string =>
  confidential ? 'made the issue confidential' : 'made the issue visible to everyone';

function stateText({ after, via }: Change): string {
  const text = after.state === 'closed' ? 'closed' : 'reopened';
  return via === undefined ? text : `${text} via ${via}`;
}

/** One text for all labels: `added ~3 ~4 labels and removed ~5 label`. */
function labelTexts({ added, removed }: LabelChange = { added: [], removed: [] }): string[] {
  const said = (verb: string, labels: LabelChange['added']): string[] => {
    if (labels.length === 0) return [];
    const names = labels.map(({ id }) => `~${String(id)}`).join(' ');
    return [`${verb} ${names} ${labels.length === 1 ? 'label' : 'labels'}`];
  };
  const texts = [...said('added', added), ...said('removed', removed)];
  return texts.length === 0 ? [] : [texts.join(' and ')];
}
