import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import { MergeRequestParts, type MergeRequestWithParts } from './merge-request-parts.js';
import { MergeRequestPresenter } from './merge-request.presenter.js';
import type { MergeRequestView } from './merge-request.view.js';
import type { LocatedMergeRequest } from './merge-requests.repository.js';

/** Single merge requests, as they are answered. */
@Injectable()
export class MergeRequestAnswers {
  constructor(
    private readonly parts: MergeRequestParts,
    private readonly presenter: MergeRequestPresenter,
  ) {}

  /** As a reader who may read it gets it. */
  async as(reader: Subject, mergeRequest: LocatedMergeRequest): Promise<MergeRequestView> {
    return this.of(await this.parts.ofOne(mergeRequest, reader));
  }

  of(parts: MergeRequestWithParts): MergeRequestView {
    return this.presenter.present(parts);
  }
}
