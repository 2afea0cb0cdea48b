import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import {
  MergeRequestRelations,
  type MergeRequestWithRelations,
} from './merge-request-relations.js';
import { MergeRequestPresenter } from './merge-request.presenter.js';
import type { MergeRequestView } from './merge-request.view.js';
import type { LocatedMergeRequest } from './merge-requests.repository.js';
import { Mergeability } from './refresh/mergeability.js';

/** Single merge requests, as they are answered. */
@Injectable()
export class MergeRequestAnswers {
  constructor(
    private readonly relations: MergeRequestRelations,
    private readonly presenter: MergeRequestPresenter,
    private readonly mergeability: Mergeability,
  ) {}

  /** As a reader who may read it gets it. */
  async as(reader: Subject, mergeRequest: LocatedMergeRequest): Promise<MergeRequestView> {
    return this.of(await this.relations.loadOne(mergeRequest, reader));
  }

  /** The same, with a status that is known. */
  async checked(reader: Subject, mergeRequest: LocatedMergeRequest): Promise<MergeRequestView> {
    const mergeStatus = await this.mergeability.check(mergeRequest);
    return this.as(reader, { ...mergeRequest, mergeStatus });
  }

  of(parts: MergeRequestWithRelations): MergeRequestView {
    return this.presenter.present(parts);
  }
}
