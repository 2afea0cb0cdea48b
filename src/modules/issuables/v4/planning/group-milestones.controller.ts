import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { Urls } from '../../../../platform/config/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  TakesBody,
} from '../../../../platform/http/index.js';
import { type SlotCaller, TEXT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Caller, Client, type GroupRef, InGroup, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { MilestonesService } from '../../planning/milestones.service.js';
import {
  toMilestoneChanges,
  toMilestoneFilter,
  toMilestoneValues,
  V4CreateMilestoneDto,
  V4ListMilestonesDto,
  V4UpdateMilestoneDto,
} from './milestone.dto.js';
import { presentV4Milestone, V4MilestoneView } from './milestone.view.js';

@V4Controller('groups/:id/milestones', 'GroupMilestones')
export class V4GroupMilestonesController {
  constructor(
    private readonly milestones: MilestonesService,
    private readonly urls: Urls,
  ) {}

  /** The milestones of a group, the newest first. */
  @Get()
  @Requires('group-milestone:browse')
  @AnswersList(V4MilestoneView)
  async list(
    @Client() client: SlotCaller,
    @InGroup() { id: groupId, path }: GroupRef,
    @Query() query: V4ListMilestonesDto,
  ): Promise<Page<V4MilestoneView>> {
    const page = await this.milestones.list({ groupId }, client, toMilestoneFilter(query), query);
    return mapPage(page, (milestone) => presentV4Milestone(milestone, path, this.urls));
  }

  /** A milestone of a group. */
  @Get(':milestone_id')
  @Requires('group-milestone:browse')
  @Answers(V4MilestoneView)
  async read(
    @InGroup() { id: groupId, path }: GroupRef,
    @Param('milestone_id') id: number,
  ): Promise<V4MilestoneView> {
    return presentV4Milestone(await this.milestones.read({ groupId }, id), path, this.urls);
  }

  /** Creates a milestone that all projects of the group have; no project may have the title already. */
  @Post()
  @Requires('group-milestone:edit')
  @TakesBody(TEXT_BODY)
  @Answers(V4MilestoneView)
  async create(
    @Caller() { id: userId }: User,
    @InGroup() { id: groupId, path }: GroupRef,
    @Body() body: V4CreateMilestoneDto,
  ): Promise<V4MilestoneView> {
    const editor = { owner: { groupId }, userId };
    const milestone = await this.milestones.create(editor, toMilestoneValues(body));
    return presentV4Milestone(milestone, path, this.urls);
  }

  /** Changes, closes or activates a milestone of a group. */
  @Put(':milestone_id')
  @Requires('group-milestone:edit')
  @TakesBody(TEXT_BODY)
  @Answers(V4MilestoneView)
  async update(
    @Caller() { id: userId }: User,
    @InGroup() { id: groupId, path }: GroupRef,
    @Param('milestone_id') id: number,
    @Body() body: V4UpdateMilestoneDto,
  ): Promise<V4MilestoneView> {
    const editor = { owner: { groupId }, userId };
    const milestone = await this.milestones.update(editor, id, toMilestoneChanges(body));
    return presentV4Milestone(milestone, path, this.urls);
  }

  /** Deletes a milestone of a group, and removes it from its issues and merge requests. */
  @Delete(':milestone_id')
  @Requires('group-milestone:edit')
  @AnswersNothing()
  async remove(
    @Caller() { id: userId }: User,
    @InGroup() { id: groupId }: GroupRef,
    @Param('milestone_id') id: number,
  ): Promise<void> {
    await this.milestones.remove({ owner: { groupId }, userId }, id);
  }
}
