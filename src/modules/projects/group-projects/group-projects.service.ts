import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/http/index.js';
import type { GroupRef } from '../../access/index.js';
import type { Namespace } from '../../groups/index.js';
import type { User } from '../../users/index.js';
import { type ProjectFilters, ProjectListQuery } from '../lists/project-list-query.js';
import { both, groupProjects, readableOneByOne } from '../lists/project-scopes.js';
import { ProjectRelations, type ProjectWithRelations } from '../project-relations.js';

/** The projects that the answer about a group embeds. */
export interface EmbeddedProjects {
  own: ProjectWithRelations[];
  shared: ProjectWithRelations[];
}

/** A group's own projects and those shared with it, as far as the caller can see them. */
@Injectable()
export class GroupProjectsService {
  constructor(
    private readonly query: ProjectListQuery,
    private readonly relations: ProjectRelations,
  ) {}

  async list(
    caller: User,
    group: GroupRef,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    const page = await this.query.page(visible(caller, group), filters, request);
    return this.relations.loadPage(page, { reader: caller });
  }

  /** All of them, archived ones included, newest first; however many, the statements are the same. */
  async embedded(caller: User, group: Namespace): Promise<EmbeddedProjects> {
    const projects = await this.query.all(visible(caller, group));
    const parts = await this.relations.load(projects, { reader: caller });
    const isOwn = ({ project }: ProjectWithRelations) => project.namespaceId === group.id;
    return { own: parts.filter(isOwn), shared: parts.filter((one) => !isOwn(one)) };
  }
}

const visible = (caller: User, { id }: { id: number }) =>
  both(groupProjects(id), readableOneByOne(caller));
