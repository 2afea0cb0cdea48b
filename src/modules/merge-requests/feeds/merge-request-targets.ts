import { Injectable } from '@nestjs/common';
import { IssuableTargets, noteTarget } from '../../issuables/index.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import {
  mergeRequestEventVisibility,
  REQUEST_OF_EVENT,
  REQUEST_OF_NOTE,
} from './merge-request-event-visibility.js';

/** Shows merge requests and the notes on them in the feeds (open points 06). */
@Injectable()
export class MergeRequestTargets {
  constructor(targets: IssuableTargets, mergeRequests: MergeRequestsRepository) {
    targets.register({
      type: 'MergeRequest',
      titlesOf: (ids) => mergeRequests.titlesOf(ids),
      visibility: mergeRequestEventVisibility('MergeRequest', REQUEST_OF_EVENT),
      noteVisibility: mergeRequestEventVisibility(noteTarget('MergeRequest'), REQUEST_OF_NOTE),
    });
  }
}
