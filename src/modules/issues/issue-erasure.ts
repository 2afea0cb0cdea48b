import { Injectable } from '@nestjs/common';
import { IssuableErasure } from '../issuables/index.js';

/** Hands what a deleted account did on issues to the ghost, and assigns its own to nobody (5.15). */
@Injectable()
export class IssueErasure {
  constructor(erasure: IssuableErasure) {
    erasure.register('issues');
  }
}
