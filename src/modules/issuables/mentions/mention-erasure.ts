import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../../users/index.js';
import { MentionsRepository } from './mentions.repository.js';

/** Texts go on naming a deleted account, but nobody is meant by it (open points 5.15). */
@Injectable()
export class MentionErasure {
  constructor(mentions: MentionsRepository, erasure: AccountErasure) {
    erasure.register({ name: 'mentions', run: (userId) => mentions.removeSomeOfUser(userId) });
  }
}
