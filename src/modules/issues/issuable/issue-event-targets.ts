import { Injectable } from '@nestjs/common';
import { IssuableEventTargets, NotesRepository, noteTarget } from '../../issuables/index.js';
import { ProvidesEventTargets } from '../../projects/index.js';
import { issueEventVisibility } from '../model/issue.policy.js';
import { IssuesRepository } from '../model/issues.repository.js';

const ISSUE_OF_EVENT = 'FROM issues i WHERE i.id = event.target_id';

const ISSUE_OF_NOTE = `
  FROM notes n JOIN issues i ON n.noteable_type = 'Issue' AND i.id = n.noteable_id
 WHERE n.id = event.target_id`;

/** Describes issues and the notes on them for the feeds. */
@Injectable()
@ProvidesEventTargets()
export class IssueEventTargets extends IssuableEventTargets {
  constructor(notes: NotesRepository, issues: IssuesRepository) {
    super(notes, {
      type: 'Issue',
      titlesOf: (ids) => issues.titlesOf(ids),
      visibility: issueEventVisibility('Issue', ISSUE_OF_EVENT),
      noteVisibility: issueEventVisibility(noteTarget('Issue'), ISSUE_OF_NOTE),
    });
  }
}
