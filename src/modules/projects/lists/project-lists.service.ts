import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/pages/index.js';
import type { Subject } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { ProjectRelations, type ProjectWithRelations } from '../presentation/project-relations.js';
import { type ProjectFilters, ProjectListsRepository } from './project-lists.repository.js';
import {
  allProjects,
  both,
  memberProjects,
  ownedProjects,
  type ProjectScope,
  readableProjects,
  starredProjects,
  visibleProjects,
} from './project-scopes.sql.js';

/** Lists of projects across namespaces (docs/reference/projects.md#lists). */
@Injectable()
export class ProjectListsService {
  constructor(
    private readonly lists: ProjectListsRepository,
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
    return this.list(scope, caller, filters, request);
  }

  /** Lists the projects that the reader may see, archived ones included. */
  search(
    reader: Subject,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    return this.list(readableProjects(reader), reader, filters, request);
  }

  private async list(
    scope: ProjectScope,
    reader: Subject,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    const page = await this.lists.list(scope, filters, request);
    return this.relations.loadPage(page, { reader });
  }

  private async listWithPermissions(
    scope: ProjectScope,
    reader: User,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    const page = await this.lists.list(scope, filters, request);
    return this.relations.loadPage(page, { reader, withPermissions: true });
  }
}
