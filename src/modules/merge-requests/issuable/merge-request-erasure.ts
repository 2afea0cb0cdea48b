import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { IssuableErasure } from '../../issuables/index.js';
import { ErasesAccountData } from '../../users/index.js';

/** Replaces deleted accounts in the columns of merge requests. */
@Injectable()
export class MergeRequestErasure extends IssuableErasure {
  constructor(database: Database) {
    super(database, 'merge_requests');
  }

  @ErasesAccountData()
  handOverMergers(userId: number, ghostId: number): Promise<boolean> {
    return this.replace('merge_user_id', userId, ghostId);
  }

  /** Replaces the user who asked for the removal of the source branch. */
  @ErasesAccountData()
  handOverRemovals(userId: number, ghostId: number): Promise<boolean> {
    return this.replace('force_remove_by_id', userId, ghostId);
  }
}
