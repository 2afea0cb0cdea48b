import { allows, type ProjectAccess } from '../../authorization/index.js';
import { type ActionCase, wantedAssignees } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { applyUpdate, type CreateIssueInput, type UpdateIssueInput } from './issue-change.js';
import { mayEdit } from './issue.policy.js';
import type { LocatedIssue } from './issues.repository.js';

/** Returns what the quick actions in the description of a new issue are planned for. */
export function actionCaseOfNew(
  access: ProjectAccess,
  user: User,
  { title, labels, milestoneId, dueDate, confidential, ...people }: CreateIssueInput,
): ActionCase {
  const mayTriage = allows(access, 'issue:triage');
  return {
    type: 'Issue',
    project: access.project,
    user,
    fields: {
      title: title.trim(),
      state: 'open',
      assigneeIds: wantedAssignees({ assigneeIds: [] }, people) ?? [],
      milestoneId: milestoneId ?? null,
      dueDate: dueDate ?? null,
      confidential: confidential ?? false,
    },
    labels: () => Promise.resolve(labels ?? []),
    mayEdit: true,
    mayTriage,
  };
}

/** Returns the same for a locked issue. @param given what the user changes with them, as far as they may */
export function actionCaseOf(
  access: ProjectAccess,
  user: User,
  before: LocatedIssue,
  given: UpdateIssueInput,
): Omit<ActionCase, 'labels'> {
  const wanted = applyUpdate(before, given, {});
  const isEditor = mayEdit(before, access, user);
  return {
    type: 'Issue',
    project: access.project,
    user,
    fields: {
      ...wanted,
      state: wanted.state === 'closed' ? 'closed' : 'open',
      assigneeIds: wantedAssignees(before, given) ?? before.assigneeIds,
      milestoneId: given.milestoneId === undefined ? before.milestoneId : given.milestoneId,
    },
    mayEdit: isEditor,
    mayTriage: isEditor && allows(access, 'issue:triage'),
  };
}
