import { Injectable } from '@nestjs/common';
import { AccountErasure } from './account-erasure.js';
import { DeletionsRepository } from './deletions.repository.js';

/** Attributes the events of a deleted account in other people's projects to the ghost account. */
@Injectable()
export class AuthorshipErasure {
  constructor(deletions: DeletionsRepository, erasure: AccountErasure) {
    erasure.register({
      name: 'events',
      run: (userId, ghostId) => deletions.handOverEvents(userId, ghostId),
    });
  }
}
