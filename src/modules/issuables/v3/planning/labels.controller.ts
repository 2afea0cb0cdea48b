import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { Answers, AnswersList, MayAnswer, PageQuery } from '../../../../platform/http/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { RequiresEnabled } from '../../model/enabled.guard.js';
import { CreateLabelDto, DeleteLabelDto, UpdateLabelDto } from './label.dto.js';
import { LabelView, presentLabel } from './label.view.js';
import { LabelsService } from '../../planning/labels.service.js';

@V3Controller('projects/:id/labels', 'Labels')
@RequiresEnabled('Issue', 'MergeRequest')
export class LabelsController {
  constructor(private readonly labels: LabelsService) {}

  /** The labels of a project, by name. */
  @Get()
  @Requires('label:read')
  @AnswersList(LabelView)
  async list(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Query() query: PageQuery,
  ): Promise<Page<LabelView>> {
    const page = await this.labels.list({ access, userId }, query);
    return mapPage(page, presentLabel);
  }

  /** Creates a label. */
  @Post()
  @Requires('label:edit')
  @Answers(LabelView)
  @MayAnswer(409)
  async create(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Body() { name, color, description = null, priority = null }: CreateLabelDto,
  ): Promise<LabelView> {
    const values = { name, color, description, priority };
    return presentLabel(await this.labels.create({ access, userId }, values));
  }

  /** Updates a label; issues and merge requests keep it. */
  @Put()
  @Requires('label:edit')
  @Answers(LabelView)
  async update(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Body() { name, new_name: newName, color, description, priority }: UpdateLabelDto,
  ): Promise<LabelView> {
    const changes = { name: newName, color, description, priority };
    return presentLabel(await this.labels.update({ access, userId }, name, changes));
  }

  /** Deletes a label, and removes it from all issues and merge requests; returns the label. */
  @Delete()
  @Requires('label:edit')
  @Answers(LabelView)
  async remove(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Body() { name }: DeleteLabelDto,
  ): Promise<LabelView> {
    return presentLabel(await this.labels.remove({ access, userId }, name));
  }
}

@V3Controller('projects/:id/labels/:label/subscription', 'LabelSubscriptions')
@RequiresEnabled('Issue', 'MergeRequest')
export class LabelSubscriptionsController {
  constructor(private readonly labels: LabelsService) {}

  /** Subscribes the caller to a label, given by ID or name. */
  @Post()
  @Requires('label:read')
  @Answers(LabelView)
  @MayAnswer(304)
  async add(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Param('label') label: string,
  ): Promise<LabelView> {
    return presentLabel(await this.labels.subscribe({ access, userId }, label, true));
  }

  /** Unsubscribes the caller from a label, given by ID or name. */
  @Delete()
  @Requires('label:read')
  @Answers(LabelView)
  @MayAnswer(304)
  async remove(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Param('label') label: string,
  ): Promise<LabelView> {
    return presentLabel(await this.labels.subscribe({ access, userId }, label, false));
  }
}
