import { Injectable } from '@nestjs/common';
import { IssuableErasure } from '../issuables/index.js';

/** Hands what a deleted account did on merge requests to the ghost, and assigns its own to nobody (5.15). */
@Injectable()
export class MergeRequestErasure {
  constructor(erasure: IssuableErasure) {
    erasure.register('merge_requests', ['merge_user_id', 'force_remove_by_id']);
  }
}
