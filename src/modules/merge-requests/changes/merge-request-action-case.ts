import { allows, type ProjectAccess } from '../../authorization/index.js';
import { type ActionCase, wantedAssignees } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { isOpen, isWorkInProgress, withoutMarker } from '../model/merge-request.entity.js';
import { mayEdit } from '../model/merge-request.policy.js';
import type { LocatedMergeRequest } from '../model/merge-requests.repository.js';
import { applyStateEvent } from './merge-request-change.js';
import type { CreateMergeRequestInput, UpdateMergeRequestInput } from './merge-request-input.js';

const DRAFTS = { isDraft: isWorkInProgress, withoutMarker };

/** Returns what the quick actions in the description of a new request are planned for. @param into access to the target project */
export function actionCaseOfNew(
  into: ProjectAccess,
  user: User,
  { title, labels, milestoneId, ...people }: CreateMergeRequestInput,
): ActionCase {
  return {
    type: 'MergeRequest',
    project: into.project,
    user,
    fields: {
      title: title.trim(),
      state: 'open',
      assigneeIds: wantedAssignees({ assigneeIds: [] }, people) ?? [],
      milestoneId: milestoneId ?? null,
    },
    labels: () => Promise.resolve(labels ?? []),
    mayEdit: true,
    mayTriage: allows(into, 'merge-request:triage'),
    drafts: DRAFTS,
  };
}

/** Returns the same for a locked request. @param given what the user changes with them, as far as they may */
export function actionCaseOf(
  access: ProjectAccess,
  user: User,
  before: LocatedMergeRequest,
  given: UpdateMergeRequestInput,
): Omit<ActionCase, 'labels'> {
  const { milestoneId } = given;
  const wanted = applyStateEvent(before, given.stateEvent);
  const isEditor = !access.project.archived && mayEdit(before, access, user);
  return {
    type: 'MergeRequest',
    project: access.project,
    user,
    fields: {
      title: given.title?.trim() ?? before.title,
      state: isOpen(wanted) ? 'open' : stateOf(wanted),
      assigneeIds: wantedAssignees(before, given) ?? before.assigneeIds,
      milestoneId: milestoneId === undefined ? before.milestoneId : milestoneId,
    },
    mayEdit: isEditor,
    mayTriage: isEditor && allows(access, 'merge-request:triage'),
    drafts: DRAFTS,
  };
}

const stateOf = ({ state }: LocatedMergeRequest): 'closed' | 'merged' =>
  state === 'closed' ? 'closed' : 'merged';
