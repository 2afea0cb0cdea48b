import { Injectable } from '@nestjs/common';
import { forbidden } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { isOpen } from '../merge-request.entity.js';
import { describedOf } from '../merge-request-kind.js';
import { type MergeRequestAction, MergeRequestChanged } from '../merge-request.events.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { BranchChanges } from './branch-changes.js';
import { BranchChecks } from './branch-checks.js';
import { ChangeUnits } from './change-units.js';
import { areFinishing, changedFields } from './changed-fields.js';
import { MergeRequestOutcome } from './merge-request-outcome.js';
import { PrepareChange } from './prepare-change.js';
import type { UpdateMergeRequestInput } from './update-input.js';

/**
 * Changes, closes and reopens merge requests
 * (docs/reference/merge-requests.md#put-projectsidmerge_requestsmerge_request_id).
 */
@Injectable()
export class UpdateMergeRequest {
  constructor(
    private readonly units: ChangeUnits,
    private readonly preparation: PrepareChange,
    private readonly checks: BranchChecks,
    private readonly changes: BranchChanges,
    private readonly outcome: MergeRequestOutcome,
  ) {}

  /**
   * What the caller may not change is passed over.
   * @throws DomainError forbidden, record not found, unprocessable, conflict, invalid record
   */
  async run(
    access: ProjectAccess,
    caller: User,
    id: number,
    input: UpdateMergeRequestInput,
  ): Promise<LocatedMergeRequest> {
    if (access.project.archived) throw forbidden();
    return this.checks.untilAlone(() =>
      this.units.run({ projectId: access.project.id, id }, input, () =>
        this.update(access, caller, id, input),
      ),
    );
  }

  private async update(
    access: ProjectAccess,
    actor: User,
    id: number,
    input: UpdateMergeRequestInput,
  ): Promise<LocatedMergeRequest> {
    const { project } = access;
    const change = await this.preparation.run(access, actor, id, input);
    const { before } = change;
    await this.changes.assertPossible(project, change);
    const fields = changedFields(change);
    const isAsBefore = fields.length === 0 && before.state === change.after.state;
    const after = isAsBefore ? before : await this.changes.write(change, actor.id);
    await this.outcome.recordChange({
      ...{ project, actor, before: describedOf(before), after: describedOf(after) },
      finishesTodo: areFinishing(fields) || (isOpen(before) && !isOpen(after)),
    });
    await this.outcome.done(
      actionsOf(before, after, input).map((action) => {
        const update = action === 'update' ? { fields } : {};
        return new MergeRequestChanged(project.id, id, actor.id, action, update);
      }),
    );
    return after;
  }
}

/** A change of state first, then everything else that was asked for, changed or not. */
function actionsOf(
  before: LocatedMergeRequest,
  after: LocatedMergeRequest,
  { stateEvent, ...others }: UpdateMergeRequestInput,
): MergeRequestAction[] {
  const saysMore = Object.values(others).some((value) => value !== undefined);
  return [
    ...(before.state === after.state ? [] : [stateEvent ?? ('update' as const)]),
    ...(saysMore ? (['update'] as const) : []),
  ];
}
