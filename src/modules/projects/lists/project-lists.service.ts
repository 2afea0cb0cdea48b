import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/pages/index.js';
import type { Subject } from '../../access/index.js';
import type { User } from '../../users/index.js';
import type { ProjectWithRelations } from '../presentation/project-relations.js';
import { ProjectListsRepository } from './project-lists.repository.js';
import type { ProjectFilters } from './project-lists.sql.js';
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
  constructor(private readonly lists: ProjectListsRepository) {}

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
    return this.lists.list(scope, filters, request, { reader: caller });
  }

  /** Lists the projects that the reader may see, archived ones included. */
  search(
    reader: Subject,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    return this.lists.list(readableProjects(reader), filters, request, { reader });
  }

  private listWithPermissions(
    scope: ProjectScope,
    reader: User,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    return this.lists.list(scope, filters, request, { reader, withPermissions: true });
  }
}
