import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { forbidden, notFound, ruleViolated } from '../../../platform/errors/index.js';
import {
  allows,
  type ProjectAccess,
  ProjectAccessRepository,
  type Subject,
} from '../../access/index.js';
import { IssuesRepository } from '../issues.repository.js';

const NOT_PERMITTED = 'Cannot move issue due to insufficient permissions!';
const SAME_PROJECT = 'Cannot move issue to project it originates from!';

/** First key of the advisory locks that make moves between the same projects wait for each other. */
const MOVE_LOCK = 7_265_005;

/** Whether an issue may be moved, asked in the order of docs/reference/issues.md#moving. */
@Injectable()
export class MoveChecks {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly issues: IssuesRepository,
    private readonly database: Database,
  ) {}

  /**
   * @returns the caller's standing on the target
   * @throws DomainError forbidden where the project has no issues, not found, rule violated
   */
  async run(
    access: ProjectAccess,
    caller: Subject,
    issueId: number,
    targetId: number,
  ): Promise<ProjectAccess> {
    if (!access.project.issuesEnabled) throw forbidden();
    const issue = await this.issues.findIn(access.project.id, issueId);
    if (issue === null) throw notFound('Issue');
    const target = await this.projects.find(caller, { id: targetId });
    if (target === null) throw notFound('Project');
    const mayMove = [access, target].every(
      (standing) => standing.project.issuesEnabled && allows(standing, 'issue:edit-any'),
    );
    if (!mayMove || issue.movedToId !== null) throw alreadyMoved();
    if (target.project.id === access.project.id) throw ruleViolated(SAME_PROJECT);
    return target;
  }

  /**
   * Waits for other moves from and to the two projects, to the end of the unit of work: such that cross
   * would wait for each other's numbers and counts.
   */
  async waitForOthers(projectId: number, targetId: number): Promise<void> {
    await this.database.rows(
      `SELECT pg_advisory_xact_lock($1, id)
         FROM (SELECT id FROM unnest($2::int[]) AS id ORDER BY id) AS ordered`,
      [MOVE_LOCK, [projectId, targetId]],
    );
  }
}

/** An issue moves once; who may not move it gets the same answer. */
export const alreadyMoved = () => ruleViolated(NOT_PERMITTED);
