import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  MayAnswer,
  UnlessModified,
} from '../../../../platform/http/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { RequiresEnabled } from '../../model/enabled.guard.js';
import { LabelsService } from '../../planning/labels.service.js';
import {
  V4CreateLabelDto,
  V4DeleteNamedLabelDto,
  V4ListLabelsDto,
  V4UpdateLabelDto,
  V4UpdateNamedLabelDto,
} from './label.dto.js';
import {
  presentCountedLabel,
  presentV4Label,
  V4CountedLabelView,
  V4LabelView,
} from './label.view.js';

@V4Controller('projects/:id/labels', 'Labels')
@RequiresEnabled('Issue', 'MergeRequest')
export class V4LabelsController {
  constructor(private readonly labels: LabelsService) {}

  /** The labels of a project, by name. */
  @Get()
  @Requires('label:browse')
  @AnswersList(V4LabelView, { or: V4CountedLabelView })
  async list(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Query() query: V4ListLabelsDto,
  ): Promise<Page<V4LabelView>> {
    const reader = { access, userId: caller?.id ?? null };
    const page = await this.labels.list(reader, query, query.search);
    return mapPage(page, query.with_counts ? presentCountedLabel : presentV4Label);
  }

  /** A label, by ID or name. */
  @Get(':name')
  @Requires('label:browse')
  @Answers(V4LabelView)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
  ): Promise<V4LabelView> {
    const reader = { access, userId: caller?.id ?? null };
    return presentV4Label(await this.labels.read(reader, label));
  }

  /** Creates a label. */
  @Post()
  @Requires('label:edit')
  @Answers(V4LabelView)
  @MayAnswer(409)
  async create(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Body() { name, color, description = null, priority = null }: V4CreateLabelDto,
  ): Promise<V4LabelView> {
    const values = { name, color, description, priority };
    return presentV4Label(await this.labels.create({ access, userId }, values));
  }

  /** Updates a label, by ID or name; issues and merge requests keep it. */
  @Put(':name')
  @Requires('label:edit')
  @Answers(V4LabelView)
  async update(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
    @Body() { new_name: name, color, description, priority }: V4UpdateLabelDto,
  ): Promise<V4LabelView> {
    const reader = { access, userId };
    const current = await this.labels.nameOf(reader, label);
    const changes = { name, color, description, priority };
    return presentV4Label(await this.labels.update(reader, current, changes));
  }

  /** Updates the label that the body names. */
  @Put()
  @Requires('label:edit')
  @Answers(V4LabelView)
  async updateNamed(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Body() { name, new_name: newName, color, description, priority }: V4UpdateNamedLabelDto,
  ): Promise<V4LabelView> {
    const changes = { name: newName, color, description, priority };
    return presentV4Label(await this.labels.update({ access, userId }, name, changes));
  }

  /** Deletes a label, by ID or name, and removes it from all issues and merge requests. */
  @Delete(':name')
  @UnlessModified()
  @Requires('label:edit')
  @AnswersNothing()
  async remove(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
  ): Promise<void> {
    const reader = { access, userId };
    await this.labels.remove(reader, await this.labels.nameOf(reader, label));
  }

  /** Deletes the label that the parameters name. */
  @Delete()
  @UnlessModified()
  @Requires('label:edit')
  @AnswersNothing()
  async removeNamed(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Query() { name }: V4DeleteNamedLabelDto,
  ): Promise<void> {
    await this.labels.remove({ access, userId }, name);
  }

  /** Subscribes the caller to a label, by ID or name; 304 when they are. */
  @Post(':name/subscribe')
  @Requires('label:read')
  @Answers(V4LabelView)
  @MayAnswer(304)
  async subscribe(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
  ): Promise<V4LabelView> {
    return presentV4Label(await this.labels.subscribe({ access, userId }, label, true));
  }

  /** Ends the caller's subscription to a label, by ID or name; 304 when there is none. */
  @Post(':name/unsubscribe')
  @Requires('label:read')
  @Answers(V4LabelView)
  @MayAnswer(304)
  async unsubscribe(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
  ): Promise<V4LabelView> {
    return presentV4Label(await this.labels.subscribe({ access, userId }, label, false));
  }
}
