import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  MayAnswer,
} from '../../../../platform/http/index.js';
import type { SlotCaller } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import {
  AccessToGroup,
  Caller,
  Client,
  type GroupAccess,
  MaybeCaller,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { LabelsService } from '../../planning/labels.service.js';
import {
  toLabelChanges,
  toLabelKey,
  V4CreateGroupLabelDto,
  V4DeleteNamedLabelDto,
  V4ListGroupLabelsDto,
  V4UpdateGroupLabelDto,
  V4UpdateNamedGroupLabelDto,
} from './label.dto.js';
import {
  presentCountedGroupLabel,
  presentGroupLabel,
  V4CountedGroupLabelView,
  V4GroupLabelView,
} from './label.view.js';

@V4Controller('groups/:id/labels', 'GroupLabels')
export class V4GroupLabelsController {
  constructor(private readonly labels: LabelsService) {}

  /** The labels of a group, by name. */
  @Get()
  @Requires('group-label:browse')
  @AnswersList(V4GroupLabelView, { or: V4CountedGroupLabelView })
  async list(
    @MaybeCaller() reader: User | null,
    @Client() client: SlotCaller,
    @AccessToGroup() group: GroupAccess,
    @Query() query: V4ListGroupLabelsDto,
  ): Promise<Page<V4GroupLabelView>> {
    const { with_counts: counts, only_group_labels: onlyOwn, search } = query;
    const place = { group, client };
    const filter = { search, ofProjects: !onlyOwn };
    const page = await this.labels.list({ place, reader, counts }, query, filter);
    return mapPage(page, counts ? presentCountedGroupLabel : presentGroupLabel);
  }

  /** A label of a group, by ID or name. */
  @Get(':name')
  @Requires('group-label:browse')
  @Answers(V4GroupLabelView)
  async read(
    @MaybeCaller() caller: User | null,
    @AccessToGroup() group: GroupAccess,
    @Param('name') label: string,
  ): Promise<V4GroupLabelView> {
    return presentGroupLabel(await this.labels.read(readerOf(caller, group), { idOrName: label }));
  }

  /** Creates a label that all projects of the group have; no project may have the name already. */
  @Post()
  @Requires('group-label:edit')
  @Answers(V4GroupLabelView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @AccessToGroup() group: GroupAccess,
    @Body() { name, color, description = null }: V4CreateGroupLabelDto,
  ): Promise<V4GroupLabelView> {
    const values = { name, color, description, priority: null };
    return presentGroupLabel(await this.labels.create(readerOf(caller, group), values));
  }

  /** Updates a label of a group, by ID or name; issues and merge requests keep it. */
  @Put(':name')
  @Requires('group-label:edit')
  @Answers(V4GroupLabelView)
  async update(
    @Caller() caller: User,
    @AccessToGroup() group: GroupAccess,
    @Param('name') label: string,
    @Body() body: V4UpdateGroupLabelDto,
  ): Promise<V4GroupLabelView> {
    const [editor, key] = [readerOf(caller, group), { idOrName: label }];
    return presentGroupLabel(await this.labels.update(editor, key, toLabelChanges(body)));
  }

  /** Updates the label of a group that the body names. */
  @Put()
  @Requires('group-label:edit')
  @Answers(V4GroupLabelView)
  async updateNamed(
    @Caller() caller: User,
    @AccessToGroup() group: GroupAccess,
    @Body() body: V4UpdateNamedGroupLabelDto,
  ): Promise<V4GroupLabelView> {
    const [editor, key] = [readerOf(caller, group), toLabelKey(body)];
    return presentGroupLabel(await this.labels.update(editor, key, toLabelChanges(body)));
  }

  /** Deletes a label of a group, by ID or name, and removes it from all issues and merge requests. */
  @Delete(':name')
  @Requires('group-label:edit')
  @AnswersNothing()
  async remove(
    @Caller() caller: User,
    @AccessToGroup() group: GroupAccess,
    @Param('name') label: string,
  ): Promise<void> {
    await this.labels.remove(readerOf(caller, group), { idOrName: label });
  }

  /** Deletes the label of a group that the parameters name. */
  @Delete()
  @Requires('group-label:edit')
  @AnswersNothing()
  async removeNamed(
    @Caller() caller: User,
    @AccessToGroup() group: GroupAccess,
    @Query() query: V4DeleteNamedLabelDto,
  ): Promise<void> {
    await this.labels.remove(readerOf(caller, group), toLabelKey(query));
  }

  /** Subscribes the caller to a label of a group, by ID or name; 304 when they are. */
  @Post(':name/subscribe')
  @Requires('group-label:read')
  @Answers(V4GroupLabelView)
  @MayAnswer(304)
  async subscribe(
    @Caller() caller: User,
    @AccessToGroup() group: GroupAccess,
    @Param('name') label: string,
  ): Promise<V4GroupLabelView> {
    const [editor, key] = [readerOf(caller, group), { idOrName: label }];
    return presentGroupLabel(await this.labels.subscribe(editor, key, true));
  }

  /** Ends the caller's subscription to a label of a group, by ID or name; 304 when there is none. */
  @Post(':name/unsubscribe')
  @Requires('group-label:read')
  @Answers(V4GroupLabelView)
  @MayAnswer(304)
  async unsubscribe(
    @Caller() caller: User,
    @AccessToGroup() group: GroupAccess,
    @Param('name') label: string,
  ): Promise<V4GroupLabelView> {
    const [editor, key] = [readerOf(caller, group), { idOrName: label }];
    return presentGroupLabel(await this.labels.subscribe(editor, key, false));
  }
}

const readerOf = <Reader extends User | null>(reader: Reader, group: GroupAccess) => ({
  place: { group, client: {} },
  reader,
  counts: false,
});
