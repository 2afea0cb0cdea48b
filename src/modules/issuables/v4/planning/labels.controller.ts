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
  toLabelChanges,
  toLabelKey,
  V4CreateLabelDto,
  V4DeleteNamedLabelDto,
  V4ListLabelsDto,
  V4UpdateLabelDto,
  V4UpdateNamedLabelDto,
} from './label.dto.js';
import {
  presentCountedLabel,
  presentGroupLabel,
  presentV4Label,
  V4CountedLabelView,
  V4GroupLabelView,
  V4LabelView,
} from './label.view.js';

@V4Controller('projects/:id/labels', 'Labels')
@RequiresEnabled('Issue', 'MergeRequest')
export class V4LabelsController {
  constructor(private readonly labels: LabelsService) {}

  /** The labels of a project and its group, by name. */
  @Get()
  @Requires('label:browse')
  @AnswersList(V4LabelView, { or: V4CountedLabelView })
  async list(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Query() query: V4ListLabelsDto,
  ): Promise<Page<V4LabelView>> {
    const reader = { place: { access }, reader: caller, counts: query.with_counts };
    const page = await this.labels.list(reader, query, { search: query.search });
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
    return presentV4Label(await this.labels.read(readerOf(caller, access), { idOrName: label }));
  }

  /** Creates a label. */
  @Post()
  @Requires('label:edit')
  @Answers(V4LabelView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() { name, color, description = null, priority = null }: V4CreateLabelDto,
  ): Promise<V4LabelView> {
    const values = { name, color, description, priority };
    return presentV4Label(await this.labels.create(readerOf(caller, access), values));
  }

  /** Updates a label, by ID or name; issues and merge requests keep it. All but the priority of a group's label needs the right on the group. */
  @Put(':name')
  @Requires('label:edit')
  @Answers(V4LabelView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
    @Body() body: V4UpdateLabelDto,
  ): Promise<V4LabelView> {
    const changes = { ...toLabelChanges(body), priority: body.priority };
    const key = { idOrName: label };
    return presentV4Label(await this.labels.update(readerOf(caller, access), key, changes));
  }

  /** Updates the label that the body names. */
  @Put()
  @Requires('label:edit')
  @Answers(V4LabelView)
  async updateNamed(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: V4UpdateNamedLabelDto,
  ): Promise<V4LabelView> {
    const changes = { ...toLabelChanges(body), priority: body.priority };
    const key = toLabelKey(body);
    return presentV4Label(await this.labels.update(readerOf(caller, access), key, changes));
  }

  /** Makes a label, by ID or name, one of the project's group, in place of those of this name in the group's other projects. */
  @Put(':name/promote')
  @Requires('label:edit')
  @Answers(V4GroupLabelView)
  async promote(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
  ): Promise<V4GroupLabelView> {
    const editor = readerOf(caller, access);
    return presentGroupLabel(await this.labels.promote(editor, access, { idOrName: label }));
  }

  /** Deletes a label, by ID or name, and removes it from all issues and merge requests. That of a group needs the right on the group. */
  @Delete(':name')
  @UnlessModified()
  @Requires('label:edit')
  @AnswersNothing()
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
  ): Promise<void> {
    await this.labels.remove(readerOf(caller, access), { idOrName: label });
  }

  /** Deletes the label that the parameters name. */
  @Delete()
  @UnlessModified()
  @Requires('label:edit')
  @AnswersNothing()
  async removeNamed(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Query() query: V4DeleteNamedLabelDto,
  ): Promise<void> {
    await this.labels.remove(readerOf(caller, access), toLabelKey(query));
  }

  /** Subscribes the caller to a label, by ID or name; 304 when they are. */
  @Post(':name/subscribe')
  @Requires('label:read')
  @Answers(V4LabelView)
  @MayAnswer(304)
  async subscribe(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
  ): Promise<V4LabelView> {
    const key = { idOrName: label };
    return presentV4Label(await this.labels.subscribe(readerOf(caller, access), key, true));
  }

  /** Ends the caller's subscription to a label, by ID or name; 304 when there is none. */
  @Post(':name/unsubscribe')
  @Requires('label:read')
  @Answers(V4LabelView)
  @MayAnswer(304)
  async unsubscribe(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('name') label: string,
  ): Promise<V4LabelView> {
    const key = { idOrName: label };
    return presentV4Label(await this.labels.subscribe(readerOf(caller, access), key, false));
  }
}

const readerOf = <Reader extends User | null>(reader: Reader, access: ProjectAccess) => ({
  place: { access },
  reader,
  counts: false,
});
