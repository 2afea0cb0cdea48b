import { Injectable } from '@nestjs/common';
import { type DomainError, forbidden } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess, type Subject } from '../../access/index.js';
import {
  type DescribedIssuable,
  type HeadOf,
  type Issuable,
  type IssuableKind,
  BaseIssuableKind,
  ProvidesIssuableKind,
  type ReadScope,
  type ReaderInSql,
} from '../../issuables/index.js';
import { MergeRequestRelations } from '../presentation/merge-request-relations.js';
import { mayRead, readableInSql } from '../model/merge-request.policy.js';
import { MergeRequestPresenter } from '../presentation/merge-request.presenter.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';

/** Returns a merge request as notes, todos and other parts of `issuables` handle it. */
export const issuableOf = (mergeRequest: HeadOf<LocatedMergeRequest>): Issuable => ({
  type: 'MergeRequest',
  id: mergeRequest.id,
  iid: mergeRequest.iid,
  projectId: mergeRequest.projectId,
  authorId: mergeRequest.authorId,
  assigneeId: mergeRequest.assigneeId,
  title: mergeRequest.title,
  confidential: false,
});

/** Returns the same with the description. */
export const describedOf = (row: LocatedMergeRequest): DescribedIssuable => ({
  ...issuableOf(row),
  description: row.description,
});

/** Merge requests as a kind of issuable: how they are found, read and presented. */
@Injectable()
@ProvidesIssuableKind()
export class MergeRequestKind
  extends BaseIssuableKind<LocatedMergeRequest>
  implements IssuableKind
{
  readonly type = 'MergeRequest';
  readonly sigil = '!';
  readonly segment = 'merge_requests';
  readonly table = 'merge_requests';
  readonly hasConfidential = false;

  constructor(
    mergeRequests: MergeRequestsRepository,
    private readonly relations: MergeRequestRelations,
    private readonly presenter: MergeRequestPresenter,
  ) {
    super(mergeRequests);
  }

  allowsReading(issuable: Issuable, access: ProjectAccess, reader: Subject): boolean {
    return mayRead(issuable, access, reader);
  }

  readScope(access: ProjectAccess): ReadScope {
    return allows(access, 'merge-request:read-any') ? 'all' : 'nothing';
  }

  readable(names: ReaderInSql): string {
    return readableInSql(names);
  }

  protected unreadable(): DomainError {
    return forbidden();
  }

  protected issuableOf(row: HeadOf<LocatedMergeRequest>): Issuable {
    return issuableOf(row);
  }

  protected async presentRows(
    rows: readonly LocatedMergeRequest[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, object>> {
    const loaded = await this.relations.load(rows, reader);
    return new Map(loaded.map((one) => [one.mergeRequest.id, this.presenter.present(one)]));
  }
}
