import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { describeInParts, Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import type { User } from '../../users/index.js';
import {
  MergeRequestRelations,
  type MergeRequestWithRelations,
} from '../merge-request-relations.js';
import { type ListedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { countStatement, type ListFilter, pageStatement } from './list-sql.js';

/**
 * The list of a project's merge requests
 * (docs/reference/merge-requests.md#get-projectsidmerge_requests). It tells states, and checks
 * none.
 */
@Injectable()
export class MergeRequestListsService {
  constructor(
    private readonly database: Database,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly relations: MergeRequestRelations,
  ) {}

  /** For a reader who may read them all. */
  async ofProject(
    { id }: ProjectRef,
    reader: User,
    filter: ListFilter,
    request: PageRequest,
  ): Promise<Page<MergeRequestWithRelations>> {
    const page = pageStatement(id, filter, request);
    const found = await this.database.rows<ListedMergeRequest>(page.sql, page.parameters);
    const count = countStatement(id, filter);
    const [row] = await this.database.rows<{ count: number }>(count.sql, count.parameters);
    return describeInParts(
      Page.cut(found, row?.count ?? 0, request),
      ({ textBytes }) => textBytes,
      async (rows) => this.relations.load(await this.mergeRequests.withDescriptions(rows), reader),
    );
  }
}
