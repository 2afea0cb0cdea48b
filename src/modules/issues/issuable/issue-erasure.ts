import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { IssuableErasure } from '../../issuables/index.js';

/** Erases accounts from issues. */
@Injectable()
export class IssueErasure extends IssuableErasure {
  constructor(database: Database) {
    super(database, 'issues');
  }
}
