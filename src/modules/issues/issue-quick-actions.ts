import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  type ActionsOfNote,
  type AppliedActions,
  ProvidesQuickActions,
  type QuickActionExecutor,
} from '../issuables/index.js';
import { IssuesService } from './issues.service.js';

/** Carries out the quick actions of notes on issues (docs/reference/quick-actions.md). */
@Injectable()
@ProvidesQuickActions()
export class IssueQuickActions implements QuickActionExecutor {
  readonly type = 'Issue';

  constructor(
    private readonly work: UnitOfWork,
    private readonly issues: IssuesService,
  ) {}

  run<T>(
    { access, author, target, actions }: ActionsOfNote,
    write: (carryOut: () => Promise<AppliedActions>) => Promise<T>,
  ): Promise<T> {
    return this.work.run(() =>
      write(() => this.issues.carryOut(access, author, target.id, actions)),
    );
  }
}
