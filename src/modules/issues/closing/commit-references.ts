import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import type { ProjectRef } from '../../access/index.js';
import {
  commitText,
  CrossReferences,
  parseClosings,
  parseReferences,
  type Referenced,
  ReferencedIssuables,
} from '../../issuables/index.js';
import { ForkLinksRepository } from '../../projects/index.js';
import type { User } from '../../users/index.js';
import { mayEdit } from '../issue.policy.js';
import type { Closing } from '../writes/close-issue.js';
import { closingOf } from './closing.jobs.js';
import type { PushedMessage } from './pushed-messages.js';

/** That a commit closes an issue. */
type ClosingCommit = Pick<Closing, 'issueId'> & Pick<PushedMessage, 'sha'>;

/** What the messages of commits refer to (open points 5.4). */
@Injectable()
export class CommitReferences {
  constructor(
    private readonly referenced: ReferencedIssuables,
    private readonly crossReferences: CrossReferences,
    private readonly forks: ForkLinksRepository,
    private readonly outbox: Outbox,
    private readonly config: Config,
  ) {}

  /** Whether one of the texts says that it closes something. */
  areClosing(texts: readonly string[]): boolean {
    return texts.some((text) => parseClosings(text, this.externalUrl).length > 0);
  }

  /**
   * Has the issues closed that the messages say they close and that the pusher may edit; each by the
   * oldest commit that says so, and by a job of its own, for each locks its project.
   * @param credits what closes issues in the commits' place, by the ID of the issue
   * @returns which commits say so of which issues, and what is to be closed
   */
  async close(
    messages: readonly PushedMessage[],
    project: ProjectRef,
    pusher: User,
    { credits }: { credits: ReadonlyMap<number, Closing> },
  ): Promise<{ said: ClosingCommit[]; closings: Closing[] }> {
    const source = await this.forks.sourceOf(project.id);
    const said: ClosingCommit[] = [];
    const closings = new Map<number, Closing>();
    for (const { sha, text, authorId } of messages) {
      const references = parseClosings(text, this.externalUrl);
      for (const found of await this.referenced.find(references, project, pusher)) {
        const { issuable, access } = found;
        // A fork does not close issues of the project that it was forked from.
        if (issuable.projectId === source || !mayEdit(issuable, access, pusher)) continue;
        const issueId = issuable.id;
        said.push({ issueId, sha });
        if (closings.has(issueId)) continue;
        const via = `commit ${commitText(sha, project, access.project)}`;
        const actorId = authorId ?? pusher.id;
        const closing = { projectId: issuable.projectId, issueId, actorId, via };
        closings.set(issueId, credits.get(issueId) ?? closing);
      }
    }
    const all = [...closings.values()];
    await this.outbox.addAll(all.map(closingOf));
    return { said, closings: all };
  }

  /** Writes a note on everything else that the messages refer to, as far as the pusher may read it. */
  async mention(
    messages: readonly PushedMessage[],
    project: ProjectRef,
    pusher: User,
    closing: readonly ClosingCommit[],
  ): Promise<void> {
    for (const { sha, text, authorId } of messages) {
      const { issuables } = parseReferences(text, this.externalUrl);
      const found = await this.referenced.find(issuables, project, pusher);
      const isClosed = ({ issuable }: Referenced): boolean =>
        issuable.type === 'Issue' &&
        closing.some((one) => one.sha === sha && one.issueId === issuable.id);
      const mentioned = found.filter((one) => !isClosed(one));
      await this.crossReferences.write({ sha }, project, authorId ?? pusher.id, mentioned);
    }
  }

  private get externalUrl(): string {
    return this.config.http.externalUrl;
  }
}
