import { Injectable } from '@nestjs/common';
import type { Subject } from '../../access/index.js';
import { IssuableRelations, type EmbeddedRelations } from '../../issuables/index.js';
import type { LocatedMergeRequest } from '../model/merge-requests.repository.js';

/** A merge request with the relations that its response embeds, as one reader sees them. */
export interface MergeRequestWithRelations extends EmbeddedRelations {
  mergeRequest: LocatedMergeRequest;
}

/** Loads the relations (author, assignee, labels, milestone, counters) that merge request responses embed. */
@Injectable()
export class MergeRequestRelations {
  constructor(private readonly relations: IssuableRelations) {}

  async loadOne(
    mergeRequest: LocatedMergeRequest,
    reader: Subject,
  ): Promise<MergeRequestWithRelations> {
    const relationsOf = await this.relations.load('MergeRequest', [mergeRequest], reader);
    return { mergeRequest, ...relationsOf(mergeRequest) };
  }

  /** Loads the relations of a page with one statement per kind. */
  async load(
    mergeRequests: readonly LocatedMergeRequest[],
    reader: Subject,
  ): Promise<MergeRequestWithRelations[]> {
    if (mergeRequests.length === 0) return [];
    const relationsOf = await this.relations.load('MergeRequest', mergeRequests, reader);
    return mergeRequests.map((mergeRequest) => ({ mergeRequest, ...relationsOf(mergeRequest) }));
  }
}
