import { Injectable } from '@nestjs/common';
import { IssuableEventTargets, NotesRepository, noteTarget } from '../../issuables/index.js';
import { ProvidesEventTargets } from '../../projects/index.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import {
  mergeRequestEventVisibility,
  REQUEST_OF_EVENT,
  REQUEST_OF_NOTE,
} from './merge-request-event-visibility.js';

/** Provides the titles of merge requests, and the notes on them, that feeds show. */
@Injectable()
@ProvidesEventTargets()
export class MergeRequestTargets extends IssuableEventTargets {
  constructor(notes: NotesRepository, mergeRequests: MergeRequestsRepository) {
    super(notes, {
      type: 'MergeRequest',
      titlesOf: (ids) => mergeRequests.titlesOf(ids),
      visibility: mergeRequestEventVisibility('MergeRequest', REQUEST_OF_EVENT),
      noteVisibility: mergeRequestEventVisibility(noteTarget('MergeRequest'), REQUEST_OF_NOTE),
    });
  }
}
