import { Injectable } from '@nestjs/common';
import type { DomainError } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { Issuable } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { IssueFinder } from '../issue-finder.js';
import { issuableOf } from '../issue-kind.js';

/** Finds the issues that notes and awards are on; who may not read one learns nothing of these. */
@Injectable()
export class IssueNotes {
  constructor(private readonly finder: IssueFinder) {}

  /** @param absent what is thrown for an issue that is not there, or not for the reader */
  async on(
    access: ProjectAccess,
    reader: User,
    issueId: number,
    absent: DomainError,
  ): Promise<Issuable> {
    const issue = await this.finder.find(access, reader, issueId);
    if (issue === null) throw absent;
    return issuableOf(issue);
  }
}
