import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { MergeRequestParts, type MergeRequestWithParts } from '../merge-request-parts.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { countStatement, type ListFilter, pageStatement } from './list-sql.js';

/** The list of a project's merge requests (specification 4.7). It tells states, and checks none. */
@Injectable()
export class MergeRequestListsService {
  constructor(
    private readonly database: Database,
    private readonly parts: MergeRequestParts,
  ) {}

  /** For a reader who may read them all. */
  async ofProject(
    { id }: ProjectRef,
    reader: User,
    filter: ListFilter,
    request: PageRequest,
  ): Promise<Page<MergeRequestWithParts>> {
    const page = pageStatement(id, filter, request);
    const found = await this.database.rows<LocatedMergeRequest>(page.sql, page.parameters);
    const count = countStatement(id, filter);
    const [row] = await this.database.rows<{ count: number }>(count.sql, count.parameters);
    const { items, total, perPage, hasNext } = Page.cut(found, row?.count ?? 0, request);
    return new Page(await this.parts.of(items, reader), total, request.page, perPage, hasNext);
  }
}
