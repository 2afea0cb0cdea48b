import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/http/index.js';
import type { Subject } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { ProjectRelations, type ProjectWithRelations } from '../project-relations.js';
import { type ProjectFilters, ProjectListQuery } from './project-list-query.js';
import {
  allProjects,
  both,
  memberProjects,
  ownedProjects,
  type ProjectScope,
  readableProjects,
  starredProjects,
  visibleProjects,
} from './project-scopes.js';

/** The lists of projects that belong to no group (docs/reference/projects.md#lists). */
@Injectable()
export class ProjectListsService {
  constructor(
    private readonly query: ProjectListQuery,
    private readonly relations: ProjectRelations,
  ) {}

  /** Those the caller is a member of; administrators likewise. */
  ofMember(caller: User, filters: ProjectFilters, request: PageRequest) {
    return this.withPermissions(memberProjects(caller.id), caller, filters, request);
  }

  /** Those and the ones that their visibility shows to the caller. */
  visible(caller: User, filters: ProjectFilters, request: PageRequest) {
    return this.withPermissions(visibleProjects(caller), caller, filters, request);
  }

  owned(caller: User, filters: ProjectFilters, request: PageRequest) {
    return this.withPermissions(ownedProjects(caller.id), caller, filters, request);
  }

  all(caller: User, filters: ProjectFilters, request: PageRequest) {
    return this.withPermissions(allProjects, caller, filters, request);
  }

  /** Those the caller has starred and can still see. */
  starred(
    caller: User,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    const scope = both(starredProjects(caller.id), readableProjects(caller));
    return this.list(scope, caller, filters, request);
  }

  /** Those the reader may see, archived ones included; anonymous readers see public ones. */
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
    const page = await this.query.page(scope, filters, request);
    return this.relations.loadPage(page, { reader });
  }

  private async withPermissions(
    scope: ProjectScope,
    reader: User,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    const page = await this.query.page(scope, filters, request);
    return this.relations.loadPage(page, { reader, withPermissions: true });
  }
}
