import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../../users/index.js';
import { ProjectMembersRepository } from './project-members.repository.js';

/** Ends the memberships of a deleted account (open points 5.15). */
@Injectable()
export class MembershipErasure {
  constructor(members: ProjectMembersRepository, erasure: AccountErasure) {
    erasure.register({
      name: 'memberships of projects',
      run: (userId) => members.removeSomeOf(userId),
    });
  }
}
