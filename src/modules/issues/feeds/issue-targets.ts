import { Injectable } from '@nestjs/common';
import { IssuableTargets, noteTarget } from '../../issuables/index.js';
import { IssuesRepository } from '../issues.repository.js';
import { ISSUE_OF_EVENT, ISSUE_OF_NOTE, issueEventVisibility } from './issue-event-visibility.js';

/** Shows issues and the notes on them in the feeds (open points 06). */
@Injectable()
export class IssueTargets {
  constructor(targets: IssuableTargets, issues: IssuesRepository) {
    targets.register({
      type: 'Issue',
      titlesOf: (ids) => issues.titlesOf(ids),
      visibility: issueEventVisibility('Issue', ISSUE_OF_EVENT),
      noteVisibility: issueEventVisibility(noteTarget('Issue'), ISSUE_OF_NOTE),
    });
  }
}
