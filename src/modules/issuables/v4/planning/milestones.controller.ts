import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { Urls } from '../../../../platform/config/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  FixedStatus,
  TakesBody,
} from '../../../../platform/http/index.js';
import { TEXT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { RequiresEnabled } from '../../model/enabled.guard.js';
import type { Milestone } from '../../planning/milestone.entity.js';
import { MilestonesService } from '../../planning/milestones.service.js';
import {
  hasAncestors,
  toMilestoneChanges,
  toMilestoneFilter,
  toMilestoneValues,
  V4CreateMilestoneDto,
  V4ListMilestonesDto,
  V4UpdateMilestoneDto,
} from './milestone.dto.js';
import { presentV4Milestone, V4MilestoneView } from './milestone.view.js';

@V4Controller('projects/:id/milestones', 'Milestones')
@RequiresEnabled('Issue', 'MergeRequest')
export class V4MilestonesController {
  constructor(
    private readonly milestones: MilestonesService,
    private readonly urls: Urls,
  ) {}

  /** The milestones of a project, with `include_ancestors` also those of its group, the newest first. */
  @Get()
  @Requires('milestone:browse')
  @AnswersList(V4MilestoneView)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: V4ListMilestonesDto,
  ): Promise<Page<V4MilestoneView>> {
    const { id: projectId, namespaceId: groupId, client } = project;
    const scope = hasAncestors(query) ? { projectId, groupId } : { projectId };
    const page = await this.milestones.list(scope, client ?? {}, toMilestoneFilter(query), query);
    return mapPage(page, (milestone) => this.present(milestone, project));
  }

  /** A milestone. */
  @Get(':milestone_id')
  @Requires('milestone:browse')
  @Answers(V4MilestoneView)
  async read(
    @InProject() project: ProjectRef,
    @Param('milestone_id') id: number,
  ): Promise<V4MilestoneView> {
    return this.present(await this.milestones.read({ projectId: project.id }, id), project);
  }

  /** Creates a milestone. */
  @Post()
  @Requires('milestone:plan')
  @TakesBody(TEXT_BODY)
  @Answers(V4MilestoneView)
  async create(
    @Caller() { id: userId }: User,
    @InProject() project: ProjectRef,
    @Body() body: V4CreateMilestoneDto,
  ): Promise<V4MilestoneView> {
    const editor = { owner: { projectId: project.id }, userId };
    const milestone = await this.milestones.create(editor, toMilestoneValues(body));
    return this.present(milestone, project);
  }

  /** Changes, closes or activates a milestone. */
  @Put(':milestone_id')
  @Requires('milestone:plan')
  @TakesBody(TEXT_BODY)
  @Answers(V4MilestoneView)
  async update(
    @Caller() { id: userId }: User,
    @InProject() project: ProjectRef,
    @Param('milestone_id') id: number,
    @Body() body: V4UpdateMilestoneDto,
  ): Promise<V4MilestoneView> {
    const editor = { owner: { projectId: project.id }, userId };
    return this.present(
      await this.milestones.update(editor, id, toMilestoneChanges(body)),
      project,
    );
  }

  /** Deletes a milestone, and removes it from its issues and merge requests. */
  @Delete(':milestone_id')
  @Requires('milestone:plan')
  @AnswersNothing()
  async remove(
    @Caller() { id: userId }: User,
    @InProject() { id: projectId }: ProjectRef,
    @Param('milestone_id') id: number,
  ): Promise<void> {
    await this.milestones.remove({ owner: { projectId }, userId }, id);
  }

  /** Makes a milestone one of the project's group, in place of those of this title in the group's other projects. */
  @Post(':milestone_id/promote')
  @Requires('milestone:plan')
  @FixedStatus(200)
  @Answers(V4MilestoneView)
  async promote(
    @Caller() caller: User,
    @InProject() project: ProjectRef,
    @Param('milestone_id') id: number,
  ): Promise<V4MilestoneView> {
    return this.present(await this.milestones.promote(caller, project, id), project);
  }

  private present(milestone: Milestone, { namespacePath, path }: ProjectRef): V4MilestoneView {
    return presentV4Milestone(milestone, `${namespacePath}/${path}`, this.urls);
  }
}
