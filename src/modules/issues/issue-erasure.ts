import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../users/index.js';
import { IssuesRepository } from './issues.repository.js';

const CHUNK = 1_000;

/** Hands the issues that a deleted account wrote to the ghost, and assigns its own to nobody (5.15). */
@Injectable()
export class IssueErasure {
  constructor(issues: IssuesRepository, erasure: AccountErasure) {
    erasure.register({
      name: 'issues',
      run: async (userId, ghostId) => (await issues.handOver(userId, ghostId, CHUNK)) === CHUNK,
    });
    erasure.register({
      name: 'changes of issues',
      run: async (userId, ghostId) =>
        (await issues.handOverChanges(userId, ghostId, CHUNK)) === CHUNK,
    });
    erasure.register({
      name: 'assignments of issues',
      run: async (userId) => (await issues.unassign(userId, CHUNK)) === CHUNK,
    });
  }
}
