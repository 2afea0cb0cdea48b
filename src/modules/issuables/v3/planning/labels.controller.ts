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

  /** The labels of a project and its group, by name. */
  @Get()
  @Requires('label:read')
  @AnswersList(LabelView)
  async list(
    @Caller() reader: User,
    @Access() access: ProjectAccess,
    @Query() query: PageQuery,
  ): Promise<Page<LabelView>> {
    const page = await this.labels.list(readerOf(reader, access), query);
    return mapPage(page, presentLabel);
  }

  /** Creates a label. */
  @Post()
  @Requires('label:edit')
  @Answers(LabelView)
  @MayAnswer(409)
  async create(
    @Caller() reader: User,
    @Access() access: ProjectAccess,
    @Body() { name, color, description = null, priority = null }: CreateLabelDto,
  ): Promise<LabelView> {
    const values = { name, color, description, priority };
    return presentLabel(await this.labels.create(readerOf(reader, access), values));
  }

  /** Updates a label of the project; issues and merge requests keep it. */
  @Put()
  @Requires('label:edit')
  @Answers(LabelView)
  async update(
    @Caller() reader: User,
    @Access() access: ProjectAccess,
    @Body() { name, new_name: newName, color, description, priority }: UpdateLabelDto,
  ): Promise<LabelView> {
    const changes = { name: newName, color, description, priority };
    const key = { name, own: true };
    return presentLabel(await this.labels.update(readerOf(reader, access), key, changes));
  }

  /** Deletes a label of the project, and removes it from all issues and merge requests; returns the label. */
  @Delete()
  @Requires('label:edit')
  @Answers(LabelView)
  async remove(
    @Caller() reader: User,
    @Access() access: ProjectAccess,
    @Body() { name }: DeleteLabelDto,
  ): Promise<LabelView> {
    const key = { name, own: true };
    return presentLabel(await this.labels.remove(readerOf(reader, access), key));
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
    @Caller() reader: User,
    @Access() access: ProjectAccess,
    @Param('label') label: string,
  ): Promise<LabelView> {
    const key = { idOrName: label };
    return presentLabel(await this.labels.subscribe(readerOf(reader, access), key, true));
  }

  /** Unsubscribes the caller from a label, given by ID or name. */
  @Delete()
  @Requires('label:read')
  @Answers(LabelView)
  @MayAnswer(304)
  async remove(
    @Caller() reader: User,
    @Access() access: ProjectAccess,
    @Param('label') label: string,
  ): Promise<LabelView> {
    const key = { idOrName: label };
    return presentLabel(await this.labels.subscribe(readerOf(reader, access), key, false));
  }
}

/** All answers have counts. */
const readerOf = (reader: User, access: ProjectAccess) => ({
  place: { access },
  reader,
  counts: true,
});
