import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import type { GroupRef, Subject } from '../../authorization/index.js';
import type { Namespace } from '../../groups/index.js';
import type { User } from '../../users/index.js';
import type { ProjectWithRelations } from '../model/project-relations.js';
import { ProjectListsRepository } from './project-lists.repository.js';
import type { ProjectFilters } from './project-lists.sql.js';
import { both, groupProjects, readableOneByOne } from './project-scopes.sql.js';

/** Projects that come with one group, the newest; `GET /groups/:id/projects` lists all. */
const EMBEDDED_PROJECTS = 1_000;

/** The projects that a group's response embeds. */
interface EmbeddedProjects {
  own: ProjectWithRelations[];
  /** Projects of other namespaces that are shared with the group. */
  shared: ProjectWithRelations[];
}

/** The projects of groups. */
@Injectable()
export class GroupProjectsService {
  constructor(private readonly lists: ProjectListsRepository) {}

  /** Lists a group's own projects and those shared with it that the caller may see. */
  list(
    caller: User,
    group: GroupRef,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<ProjectWithRelations>> {
    return this.lists.list(scopeOf(caller, group), filters, request, { reader: caller });
  }

  /**
   * Loads the newest projects of a group that the caller may see, archived ones included, newest first, with a
   * constant number of statements.
   */
  async loadEmbedded(caller: Subject, group: Namespace): Promise<EmbeddedProjects> {
    const scope = scopeOf(caller, group);
    const loaded = await this.lists.listNewest(scope, EMBEDDED_PROJECTS, {
      reader: caller,
    });
    const isOwn = ({ project }: ProjectWithRelations) => project.namespaceId === group.id;
    return { own: loaded.filter(isOwn), shared: loaded.filter((each) => !isOwn(each)) };
  }
}

const scopeOf = (caller: Subject, { id }: { id: number }) =>
  both(groupProjects(id), readableOneByOne(caller));
