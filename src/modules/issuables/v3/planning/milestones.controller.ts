import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { Answers, AnswersList, TakesBody } from '../../../../platform/http/index.js';
import { TEXT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { RequiresEnabled } from '../../model/enabled.guard.js';
import {
  CreateMilestoneDto,
  ListMilestonesDto,
  toMilestoneChanges,
  toMilestoneFilter,
  UpdateMilestoneDto,
} from './milestone.dto.js';
import { MilestoneView, presentMilestone } from './milestone.view.js';
import { MilestonesService } from '../../planning/milestones.service.js';

@V3Controller('projects/:id/milestones', 'Milestones')
@RequiresEnabled('Issue', 'MergeRequest')
export class MilestonesController {
  constructor(private readonly milestones: MilestonesService) {}

  /** The milestones of a project, the newest first. */
  @Get()
  @Requires('milestone:read')
  @AnswersList(MilestoneView)
  async list(
    @InProject() { id: projectId, client }: ProjectRef,
    @Query() query: ListMilestonesDto,
  ): Promise<Page<MilestoneView>> {
    const filter = toMilestoneFilter(query);
    const page = await this.milestones.list({ projectId }, client ?? {}, filter, query);
    return mapPage(page, presentMilestone);
  }

  /** A milestone. */
  @Get(':milestone_id')
  @Requires('milestone:read')
  @Answers(MilestoneView)
  async read(
    @InProject() { id: projectId }: ProjectRef,
    @Param('milestone_id') id: number,
  ): Promise<MilestoneView> {
    return presentMilestone(await this.milestones.read({ projectId }, id));
  }

  /** Creates a milestone. */
  @Post()
  @Requires('milestone:edit')
  @TakesBody(TEXT_BODY)
  @Answers(MilestoneView)
  async create(
    @Caller() { id: userId }: User,
    @InProject() { id: projectId }: ProjectRef,
    @Body() { title, description = null, due_date, start_date }: CreateMilestoneDto,
  ): Promise<MilestoneView> {
    const values = { title, description, dueDate: due_date ?? null, startDate: start_date ?? null };
    return presentMilestone(await this.milestones.create({ owner: { projectId }, userId }, values));
  }

  /** Changes, closes or activates a milestone. */
  @Put(':milestone_id')
  @Requires('milestone:edit')
  @TakesBody(TEXT_BODY)
  @Answers(MilestoneView)
  async update(
    @Caller() { id: userId }: User,
    @InProject() { id: projectId }: ProjectRef,
    @Param('milestone_id') id: number,
    @Body() body: UpdateMilestoneDto,
  ): Promise<MilestoneView> {
    const editor = { owner: { projectId }, userId };
    const updated = await this.milestones.update(editor, id, toMilestoneChanges(body));
    return presentMilestone(updated);
  }

  /** Deletes a milestone, and removes it from its issues and merge requests; returns the milestone. */
  @Delete(':milestone_id')
  @Requires('milestone:edit')
  @Answers(MilestoneView)
  async remove(
    @Caller() { id: userId }: User,
    @InProject() { id: projectId }: ProjectRef,
    @Param('milestone_id') id: number,
  ): Promise<MilestoneView> {
    const editor = { owner: { projectId }, userId };
    return presentMilestone(await this.milestones.remove(editor, id));
  }
}
