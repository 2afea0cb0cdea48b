import { Body, Controller, Delete, Get, Post, Put, Query, UseGuards } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  MayAnswer,
  type Page,
  PageQuery,
} from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { TrackersGuard } from '../trackers.guard.js';
import { CreateLabelDto } from './dto/create-label.dto.js';
import { DeleteLabelDto } from './dto/delete-label.dto.js';
import { UpdateLabelDto } from './dto/update-label.dto.js';
import { LabelPresenter } from './label.presenter.js';
import { LabelView } from './label.view.js';
import { LabelsService } from './labels.service.js';

@Controller('projects/:id/labels')
@UseGuards(TrackersGuard)
export class LabelsController {
  constructor(
    private readonly labels: LabelsService,
    private readonly presenter: LabelPresenter,
  ) {}

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
    return mapPage(page, (label) => this.presenter.present(label));
  }

  /** Makes a label. */
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
    return this.presenter.present(await this.labels.create({ access, userId }, values));
  }

  /** Changes a label; what has it keeps it. */
  @Put()
  @Requires('label:edit')
  @Answers(LabelView)
  async update(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Body() { name, new_name: newName, color, description, priority }: UpdateLabelDto,
  ): Promise<LabelView> {
    const changes = { name: newName, color, description, priority };
    return this.presenter.present(await this.labels.update({ access, userId }, name, changes));
  }

  /** Deletes a label, which takes it off everything that has it; answers the label as it was. */
  @Delete()
  @Requires('label:edit')
  @Answers(LabelView)
  async remove(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Body() { name }: DeleteLabelDto,
  ): Promise<LabelView> {
    return this.presenter.present(await this.labels.remove({ access, userId }, name));
  }
}
