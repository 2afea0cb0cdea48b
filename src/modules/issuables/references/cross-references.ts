import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../access/index.js';
import type { Issuable, IssuableType } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import { SystemNotes } from '../notes/system-notes.js';
import { commitText, referenceText } from './reference-text.js';
import type { Referenced } from './referenced-issuables.js';

/** What refers to issues and merge requests: another one, or a commit. */
export type ReferringThing = { issuable: Issuable } | { sha: string };

const NOUNS: Readonly<Record<IssuableType, string>> = {
  Issue: 'issue',
  MergeRequest: 'merge request',
};

/** Tells issues and merge requests where they are mentioned (docs/reference/references.md#mentions). */
@Injectable()
export class CrossReferences {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly notes: SystemNotes,
  ) {}

  /**
   * Writes a note on each of the targets unless it has one of this origin, in the caller's unit of work.
   * @param project that the mentioning thing belongs to
   */
  async write(
    thing: ReferringThing,
    project: ProjectRef,
    authorId: number,
    targets: readonly Referenced[],
  ): Promise<void> {
    const others = targets.filter(({ issuable }) => !isSame(thing, issuable));
    const told = await this.notes.tellOf(
      originOf(thing, project),
      authorId,
      others.map(({ issuable, access }) => ({
        target: issuable,
        body: `mentioned in ${this.describe(thing, project, access.project)}`,
      })),
    );
    // In one order, whoever else does the same: nobody waits for one who waits for them.
    for (const { type, id } of told.sort(byTypeAndId)) await this.kinds.of(type).touch(id);
  }

  private describe(thing: ReferringThing, project: ProjectRef, home: ProjectRef): string {
    if ('sha' in thing) return `commit ${commitText(thing.sha, project, home)}`;
    const { type, iid } = thing.issuable;
    const name = `${this.kinds.of(type).sigil}${String(iid)}`;
    return `${NOUNS[type]} ${referenceText(name, project, home)}`;
  }
}

function originOf(thing: ReferringThing, { id: projectId }: ProjectRef) {
  return 'sha' in thing
    ? ({ type: 'Commit', projectId, id: thing.sha } as const)
    : { type: thing.issuable.type, projectId, id: thing.issuable.id };
}

function isSame(thing: ReferringThing, { type, id }: Issuable): boolean {
  return 'issuable' in thing && thing.issuable.type === type && thing.issuable.id === id;
}

type Told = Pick<Issuable, 'type' | 'id'>;

const byTypeAndId = (a: Told, b: Told): number => a.type.localeCompare(b.type) || a.id - b.id;
