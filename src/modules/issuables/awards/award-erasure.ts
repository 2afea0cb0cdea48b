import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../../users/index.js';
import { AwardsRepository } from './awards.repository.js';

const CHUNK = 1_000;

/** Awards go with the account (open points 5.15). */
@Injectable()
export class AwardErasure {
  constructor(awards: AwardsRepository, erasure: AccountErasure) {
    erasure.register({
      name: 'award emoji',
      run: async (userId) => (await awards.removeSome(userId, CHUNK)) === CHUNK,
    });
  }
}
