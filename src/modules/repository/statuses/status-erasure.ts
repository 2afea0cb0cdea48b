import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../../users/index.js';
import { CommitStatusesRepository } from './commit-statuses.repository.js';

const CHUNK = 1_000;

/** Attributes to the ghost the statuses that a deleted account posted (open points 5.15). */
@Injectable()
export class StatusErasure {
  constructor(statuses: CommitStatusesRepository, erasure: AccountErasure) {
    erasure.register({
      name: 'commit statuses',
      run: async (userId, ghostId) => (await statuses.handOver(userId, ghostId, CHUNK)) === CHUNK,
    });
  }
}
