import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/queue/index.js';
import type { ProjectRef } from '../../access/index.js';
import {
  commitText,
  CrossReferences,
  type IssuableReference,
  type Referenced,
  ReferencedIssuables,
  ReferenceReader,
} from '../../issuables/index.js';
import { ForksRepository } from '../../projects/index.js';
import type { User } from '../../users/index.js';
import { mayEdit } from '../issue.policy.js';
import type { Closing } from '../writes/close-issue.js';
import { closingOf } from './closing.jobs.js';
import type { PushedMessage } from './pushed-messages.js';

/** What a pushed commit refers to, as far as the pusher may read it. */
interface CommitEffects {
  readonly sha: string;
  readonly closes: readonly Referenced[];
  readonly mentions: readonly Referenced[];
}

/** What the messages of commits refer to (docs/reference/references.md#mentions). */
@Injectable()
export class CommitReferences {
  constructor(
    private readonly reader: ReferenceReader,
    private readonly referenced: ReferencedIssuables,
    private readonly crossReferences: CrossReferences,
    private readonly forks: ForksRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Whether one of the texts may say that it closes something; none of them is parsed for it. */
  mayClose(texts: readonly string[]): boolean {
    return this.reader.mayClose(texts);
  }

  /**
   * Has the issues closed that the messages say they close and that the pusher may edit, and writes a
   * note on everything else that they refer to and the pusher may read; all in the pusher's name. An
   * issue is closed by the oldest commit that says so, and by a job of its own, for each locks its project.
   * @param messages the oldest first
   * @param credits what closes issues in the commits' place, by the ID of the issue; undefined where
   *   commits close nothing
   * @returns what is to be closed
   */
  async apply(
    messages: readonly PushedMessage[],
    project: ProjectRef,
    pusher: User,
    credits: ReadonlyMap<number, Closing> | undefined,
  ): Promise<Closing[]> {
    const effects = await this.read(messages, project, pusher, { closes: credits !== undefined });
    const closings = new Map<number, Closing>();
    for (const { sha, closes } of effects) {
      for (const { issuable, access } of closes) {
        const { id: issueId, projectId } = issuable;
        if (closings.has(issueId)) continue;
        const via = `commit ${commitText(sha, project, access.project)}`;
        const closing = { projectId, issueId, actorId: pusher.id, via };
        closings.set(issueId, credits?.get(issueId) ?? closing);
      }
    }
    const all = [...closings.values()];
    await this.outbox.addAll(all.map(closingOf));
    for (const { sha, mentions } of effects) {
      await this.crossReferences.write({ sha }, project, pusher.id, mentions);
    }
    return all;
  }

  private async read(
    messages: readonly PushedMessage[],
    project: ProjectRef,
    pusher: User,
    { closes }: { closes: boolean },
  ): Promise<CommitEffects[]> {
    // The newest come first: their texts and references count before the budgets are used up.
    const newest = messages.toReversed();
    const read = await this.reader.read(newest.map(({ text }) => text));
    const found = await this.referenced.findEach(
      read.map(({ issuables }) => issuables),
      project,
      pusher,
    );
    const closing = closes
      ? await this.closing(
          read.map((one) => one.closings),
          project,
          pusher,
        )
      : [];
    const effects = newest.map(({ sha }, index) => {
      const closed = closing[index] ?? [];
      const ids = new Set(closed.map(({ issuable }) => issuable.id));
      const mentions = (found[index] ?? []).filter(
        ({ issuable }) => issuable.type !== 'Issue' || !ids.has(issuable.id),
      );
      return { sha, closes: closed, mentions };
    });
    return effects.reverse();
  }

  /** The issues that texts close of those that they say they close. */
  private async closing(
    texts: readonly (readonly IssuableReference[])[],
    project: ProjectRef,
    pusher: User,
  ): Promise<Referenced[][]> {
    if (texts.every((references) => references.length === 0)) return [];
    const source = await this.forks.sourceOf(project.id);
    const found = await this.referenced.findEach(texts, project, pusher);
    return found.map((issues) =>
      issues.filter(
        // A fork does not close issues of the project that it was forked from.
        ({ issuable, access }) =>
          issuable.projectId !== source && mayEdit(issuable, access, pusher),
      ),
    );
  }
}
