import { Body, Get, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { Urls } from '../../../../platform/config/index.js';
import { Answers, AnswersList, PageQuery, StringParam } from '../../../../platform/http/index.js';
import type { SlotCaller } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import {
  Caller,
  Client,
  InProject,
  Level,
  type ProjectRef,
  Requires,
} from '../../../authorization/index.js';
import { Audits } from '../../../audit/index.js';
import { GroupsService } from '../../../groups/index.js';
import { User } from '../../../users/index.js';
import { ProjectTransfersService } from '../../lifecycle/project-transfers.service.js';
import { ProjectsService } from '../../projects.service.js';
import { V4ProjectPresenter } from '../project.presenter.js';
import { V4ProjectView } from '../project.view.js';
import { V4TransferLocationView } from './transfer-location.view.js';

/** `PUT /projects/:id/transfer`. */
class V4TransferProjectDto {
  @StringParam({ required: true, blank: 'refused', description: 'ID or path of a namespace.' })
  namespace!: string;
}

/** `GET /projects/:id/transfer_locations`. */
class V4ListLocationsDto extends PageQuery {
  @StringParam({ blank: 'absent', description: 'What name or path contains.' })
  search?: string;
}

@V4Controller('projects/:id', 'Transfers')
export class V4TransfersController {
  constructor(
    private readonly transfers: ProjectTransfersService,
    private readonly projects: ProjectsService,
    private readonly groups: GroupsService,
    private readonly presenter: V4ProjectPresenter,
    private readonly urls: Urls,
  ) {}

  /** Transfers a project into a namespace in which the caller may create projects; for owners. Its addresses change. */
  @Put('transfer')
  @Requires('project:transfer')
  @Audits('project.transferred', 'project.visibility_changed')
  @Answers(V4ProjectView)
  async transfer(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Body() { namespace }: V4TransferProjectDto,
  ): Promise<V4ProjectView> {
    await this.transfers.transferToNamespace(caller, project, namespace);
    const options = { reader: caller, withPermissions: true };
    return this.presenter.present(await this.projects.read(project.id, options), caller);
  }

  /** The groups that the caller may transfer a project into: those in which they may create projects, by name. */
  @Get('transfer_locations')
  @Requires('project:transfer')
  @AnswersList(V4TransferLocationView)
  async listLocations(
    @Caller() reader: User,
    @Client() client: SlotCaller,
    @InProject() { id }: ProjectRef,
    @Query() query: V4ListLocationsDto,
  ): Promise<Page<V4TransferLocationView>> {
    const { project } = await this.projects.read(id, { reader });
    const filters = {
      allAvailable: false,
      leastLevel: Level.MASTER,
      skip: [project.namespaceId],
      search: query.search,
      orderBy: 'name',
      sort: 'asc',
    } as const;
    const groups = await this.groups.list({ reader, client }, filters, query);
    return mapPage(groups, ({ id: groupId, name, path }) => ({
      id: groupId,
      web_url: this.urls.web('groups', path),
      name,
      avatar_url: null,
      full_name: name,
      full_path: path,
    }));
  }
}
