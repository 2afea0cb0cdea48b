import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import { allows } from '../../authorization/index.js';
import {
  type ActionsOfNote,
  type AppliedActions,
  type FurtherActions,
  ProvidesQuickActions,
  type QuickAction,
  type QuickActionExecutor,
  withoutRefusals,
} from '../../issuables/index.js';
import { MergeRequestsService, ReopeningRefused } from '../merge-requests.service.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import { AcceptService } from './accept.service.js';
import { ApprovalsService } from './approvals.service.js';
import { acceptInputFor, mergeByQuickAction } from './merge-by-quick-action.job.js';

/** Carries out the quick actions of notes on merge requests (docs/decisions/0077-quick-actions.md). */
@Injectable()
@ProvidesQuickActions()
export class MergeRequestQuickActions implements QuickActionExecutor {
  readonly type = 'MergeRequest';

  constructor(
    private readonly requests: MergeRequestsService,
    private readonly repository: MergeRequestsRepository,
    private readonly approvals: ApprovalsService,
    private readonly accepting: AcceptService,
    private readonly outbox: Outbox,
  ) {}

  /** Runs `write` again without reopening the request where that is refused, since it may have written a part. */
  async run<T>(
    note: ActionsOfNote,
    write: (carryOut: () => Promise<AppliedActions>) => Promise<T>,
  ): Promise<T> {
    const { access, author, target } = note;
    // Git looks at the branches, which no transaction is to wait for.
    const mergedSha = await this.findMergeable(note);
    const further = this.furtherActions(note, mergedSha);
    const attempt = (actions: readonly QuickAction[]): Promise<T> =>
      this.requests.runActions(access, author, target.id, actions, () =>
        write(() => this.requests.carryOut(access, author, target.id, actions, further)),
      );
    try {
      return await attempt(note.actions);
    } catch (error) {
      if (!(error instanceof ReopeningRefused)) throw error;
      return attempt(note.actions.filter(({ name }) => name !== 'reopen'));
    }
  }

  private furtherActions(
    { access, author, target: { id } }: ActionsOfNote,
    mergedSha: string | null,
  ): FurtherActions {
    return {
      approve: async () => {
        await this.approvals.approve({ user: author, access }, id);
        return { changes: { approved: true }, sentence: 'Approved the current merge request.' };
      },
      merge: async () => {
        if (mergedSha === null) return null;
        const merge = { mergeRequestId: id, userId: author.id, sha: mergedSha };
        await this.outbox.add(mergeByQuickAction.with(merge));
        return { changes: { mergedSha }, sentence: 'Scheduled to merge this merge request.' };
      },
    };
  }

  /** Returns the head that a note may have merged now; null if it asks for no merge, or that would be refused. */
  private async findMergeable({
    access,
    target,
    actions,
    headSha,
  }: ActionsOfNote): Promise<string | null> {
    if (headSha === undefined || !actions.some(({ name }) => name === 'merge')) return null;
    if (access.project.archived || !allows(access, 'merge-request:accept')) return null;
    const request = await this.repository.findIn(target.projectId, target.id);
    if (request === null) return null;
    return withoutRefusals(async () => {
      const input = acceptInputFor(headSha);
      return (await this.accepting.findRefusal(access, request, input)) === null ? headSha : null;
    });
  }
}
