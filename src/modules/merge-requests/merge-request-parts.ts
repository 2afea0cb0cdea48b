import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import { IssuableParts, type Parts } from '../issuables/index.js';
import type { LocatedMergeRequest } from './merge-requests.repository.js';

/** A merge request with what its answer embeds, as one reader gets it. */
export interface MergeRequestWithParts extends Parts {
  mergeRequest: LocatedMergeRequest;
}

/** Puts merge requests together with what their answers embed. */
@Injectable()
export class MergeRequestParts {
  constructor(private readonly parts: IssuableParts) {}

  async ofOne(mergeRequest: LocatedMergeRequest, reader: Subject): Promise<MergeRequestWithParts> {
    const partsOf = await this.parts.of('MergeRequest', [mergeRequest], reader);
    return { mergeRequest, ...partsOf(mergeRequest) };
  }

  /** One statement for each kind of part, however many requests there are. */
  async of(
    mergeRequests: readonly LocatedMergeRequest[],
    reader: Subject,
  ): Promise<MergeRequestWithParts[]> {
    if (mergeRequests.length === 0) return [];
    const partsOf = await this.parts.of('MergeRequest', mergeRequests, reader);
    return mergeRequests.map((mergeRequest) => ({ mergeRequest, ...partsOf(mergeRequest) }));
  }
}
