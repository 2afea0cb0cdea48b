import { Injectable } from '@nestjs/common';
import { LabelLinksRepository, SystemNotesRepository } from '../../issuables/index.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { type Change, changeTexts } from './change-texts.js';

/** Writes changes of single merge requests, with the notes that tell of them. */
@Injectable()
export class MergeRequestChanges {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly notes: SystemNotesRepository,
    private readonly links: LabelLinksRepository,
  ) {}

  /**
   * Writes what a request that the unit of work has locked has become.
   * @returns the request as it is then
   */
  async write(change: Change, actorId: number): Promise<LocatedMergeRequest> {
    const { before, after } = change;
    const target = { type: 'MergeRequest', id: after.id, projectId: after.projectId } as const;
    for (const text of changeTexts(change)) await this.notes.insert(target, actorId, text);
    const updatedAt = await this.mergeRequests.update(after, actorId);
    if (before.state !== after.state) await this.links.follow(target);
    return { ...after, updatedById: actorId, updatedAt };
  }
}
