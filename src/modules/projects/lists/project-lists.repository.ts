import { Injectable } from '@nestjs/common';
import { Database, SharedReads } from '../../../platform/database/index.js';
import { Page, type PageRequest, windowOf } from '../../../platform/pagination/index.js';
import type { Subject } from '../../authorization/index.js';
import type { User } from '../../users/index.js';
import {
  ProjectRelations,
  type ProjectWithRelations,
  readerValues,
  type RelationsOptions,
} from '../model/project-relations.js';
import {
  countedPage,
  countedProjects,
  isPrepared,
  pageOfIds,
  type ProjectFilters,
  type ProjectStatement,
} from './project-lists.sql.js';
import {
  allProjects,
  both,
  memberProjects,
  ownedProjects,
  type ProjectScope,
  type ProjectSelection,
  readableProjects,
  scopeOfSelection,
  starredProjects,
  visibleProjects,
} from './project-scopes.sql.js';

interface PageQuestion {
  scope: ProjectScope;
  filters: ProjectFilters;
  request: PageRequest;
  options: RelationsOptions;
  /** Selects the IDs of the page, and counts the list where `isPrepared`. */
  statement: ProjectStatement;
}

/**
 * Lists projects with their relations (docs/reference/projects.md#lists). The conditions of a list are split into
 * disjoint parts. Each part yields its first rows, or its share of the count, by its own index and stops early, which
 * a statement with OR between them could not (docs/decisions/0021-lists-in-parts.md).
 */
@Injectable()
export class ProjectListsRepository {
  private readonly pages = new SharedReads<PageQuestion, Page<ProjectWithRelations>>({
    key: keyOf,
    answer: (question) => this.loadPage(question),
  });

  constructor(
    private readonly database: Database,
    private readonly relations: ProjectRelations,
  ) {}

  /** Lists the projects that the caller is a member of; administrators likewise. */
  listOfMember(caller: User, filters: ProjectFilters, request: PageRequest) {
    return this.listWithPermissions(memberProjects(caller.id), caller, filters, request);
  }

  /** Lists the projects that the caller is a member of or sees by their visibility. */
  listVisible(caller: User, filters: ProjectFilters, request: PageRequest) {
    return this.listWithPermissions(visibleProjects(caller), caller, filters, request);
  }

  listOwned(caller: User, filters: ProjectFilters, request: PageRequest) {
    return this.listWithPermissions(ownedProjects(caller.id), caller, filters, request);
  }

  listAll(caller: User, filters: ProjectFilters, request: PageRequest) {
    return this.listWithPermissions(allProjects, caller, filters, request);
  }

  /** Lists the projects that the caller has starred and can still see. */
  listStarred(
    caller: User,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    const scope = both(starredProjects(caller.id), readableProjects(caller));
    return this.list(scope, filters, request, { reader: caller });
  }

  /** Lists those of the projects that a reader may see that match a selection. */
  listSelected(
    reader: Subject,
    selection: ProjectSelection,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    const options = { reader, withPermissions: reader !== null };
    return this.list(scopeOfSelection(reader, selection), filters, request, options);
  }

  /** Lists the projects that the reader may see, archived ones included. */
  search(
    reader: Subject,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    return this.list(readableProjects(reader), filters, request, { reader });
  }

  /**
   * Lists one page. Concurrent requests of a reader for the same page share its statements: one that selects and
   * counts, or two for a filtered page, and one that loads.
   */
  list(
    scope: ProjectScope,
    filters: ProjectFilters,
    request: PageRequest,
    options: RelationsOptions,
  ): Promise<Page<ProjectWithRelations>> {
    const window = windowOf(request);
    const statement = isPrepared(filters, window)
      ? countedPage(scope, filters, window)
      : pageOfIds(scope, filters, window);
    return this.pages.ask({ scope, filters, request, options, statement });
  }

  /** Lists the newest projects, with two statements. */
  async listNewest(
    scope: ProjectScope,
    limit: number,
    options: RelationsOptions,
  ): Promise<ProjectWithRelations[]> {
    const ids = await this.selectIds(pageOfIds(scope, {}, { offset: 0, limit }));
    return this.relations.load(ids, options);
  }

  private listWithPermissions(
    scope: ProjectScope,
    reader: User,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    return this.list(scope, filters, request, { reader, withPermissions: true });
  }

  private async loadPage(question: PageQuestion): Promise<Page<ProjectWithRelations>> {
    const { filters, request, options } = question;
    const page = isPrepared(filters, windowOf(request))
      ? await this.selectCounted(question)
      : await this.countAndSelect(question);
    return page.withItems(await this.relations.load(page.items, options));
  }

  private async selectCounted({ statement, request }: PageQuestion): Promise<Page<number>> {
    const { sql, values } = statement;
    const [row] = await this.database.rows<{ count: number; ids: number[] | null }>(sql, values);
    return Page.cut(row?.ids ?? [], row?.count ?? 0, request);
  }

  /** Counts first, so that the statement for the page is not even planned when nothing matches. */
  private async countAndSelect({
    scope,
    filters,
    request,
    statement,
  }: PageQuestion): Promise<Page<number>> {
    const { sql, values } = countedProjects(scope, filters);
    const [row] = await this.database.rows<{ count: number }>(sql, values);
    const counted = row?.count ?? 0;
    const ids = counted === 0 ? [] : await this.selectIds(statement);
    return Page.cut(ids, counted, request);
  }

  private async selectIds({ sql, values }: ProjectStatement): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(sql, values);
    return rows.map(({ id }) => id);
  }
}

/** Returns everything that a page depends on. The statement stands for the scope and the filters. */
function keyOf({ request, options, statement: { sql, values } }: PageQuestion): string {
  const { id, leastVisible } = readerValues(options.reader);
  const { page, perPage, firstPage } = request;
  const { withPermissions } = options;
  return JSON.stringify([sql, values, page, perPage, firstPage, id, leastVisible, withPermissions]);
}
