import { Injectable } from '@nestjs/common';
import { forbidden, recordNotFound } from '../../platform/errors/index.js';
import type { ProjectAccess, Subject } from '../access/index.js';
import { mayRead } from './issue.policy.js';
import { IssuesRepository, type LocatedIssue } from './issues.repository.js';

/** Finds issues for those who may read them. */
@Injectable()
export class IssueFinder {
  constructor(private readonly issues: IssuesRepository) {}

  /** Null for what is not in the project, and for what the reader may not know of. */
  async find(access: ProjectAccess, reader: Subject, id: number): Promise<LocatedIssue | null> {
    if (!access.project.issuesEnabled) return null;
    const issue = await this.issues.findIn(access.project.id, id);
    return issue !== null && mayRead(issue, access, reader) ? issue : null;
  }

  /** @throws DomainError record not found */
  async read(access: ProjectAccess, reader: Subject, id: number): Promise<LocatedIssue> {
    const issue = await this.find(access, reader, id);
    if (issue === null) throw recordNotFound();
    return issue;
  }

  /**
   * As `read`, for those who are about to add something to the issue.
   * @throws DomainError forbidden where the project has no issues, record not found
   */
  async readForWriting(access: ProjectAccess, reader: Subject, id: number): Promise<LocatedIssue> {
    if (!access.project.issuesEnabled) throw forbidden();
    return this.read(access, reader, id);
  }
}
