import { Injectable } from '@nestjs/common';
import { IssuableTargets, NotesRepository, noteTarget } from '../../issuables/index.js';
import { ProvidesEventTargets } from '../../projects/index.js';
import { IssuesRepository } from '../issues.repository.js';
import { ISSUE_OF_EVENT, ISSUE_OF_NOTE, issueEventVisibility } from './issue-event-visibility.js';

/** Describes issues and the notes on them for the feeds. */
@Injectable()
@ProvidesEventTargets()
export class IssueTargets extends IssuableTargets {
  constructor(notes: NotesRepository, issues: IssuesRepository) {
    super(notes, {
      type: 'Issue',
      titlesOf: (ids) => issues.titlesOf(ids),
      visibility: issueEventVisibility('Issue', ISSUE_OF_EVENT),
      noteVisibility: issueEventVisibility(noteTarget('Issue'), ISSUE_OF_NOTE),
    });
  }
}
