import { Body, Controller, Delete, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import {
  Answers,
  AnswersList,
  mapPage,
  type Page,
  PageQuery,
} from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { AwardEmojiDto, AwardPresenter, AwardsService, AwardView } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { MergeRequestsGuard } from '../merge-requests.guard.js';
import { MergeRequestAwards } from './merge-request-awards.js';

@Controller('projects/:id/merge_requests/:merge_request_id/notes/:note_id/award_emoji')
@UseGuards(MergeRequestsGuard)
export class MergeRequestNoteAwardsController {
  constructor(
    private readonly awardables: MergeRequestAwards,
    private readonly awards: AwardsService,
    private readonly presenter: AwardPresenter,
  ) {}

  /** The emoji that a note was awarded, the oldest first. */
  @Get()
  @Requires('merge-request:read')
  @AnswersList(AwardView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Param('note_id') noteId: number,
    @Query() query: PageQuery,
  ): Promise<Page<AwardView>> {
    const awardable = await this.awardables.note(access, caller, mergeRequestId, noteId);
    const page = await this.awards.list(awardable, query);
    return mapPage(page, (award) => this.presenter.present(award));
  }

  /** One emoji that a note was awarded. */
  @Get(':award_id')
  @Requires('merge-request:read')
  @Answers(AwardView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Param('note_id') noteId: number,
    @Param('award_id') id: number,
  ): Promise<AwardView> {
    const awardable = await this.awardables.note(access, caller, mergeRequestId, noteId);
    return this.presenter.present(await this.awards.read(awardable, id));
  }

  /** Awards a note an emoji. */
  @Post()
  @Requires('merge-request:read')
  @Answers(AwardView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Param('note_id') noteId: number,
    @Body() { name }: AwardEmojiDto,
  ): Promise<AwardView> {
    const awardable = await this.awardables.note(access, caller, mergeRequestId, noteId);
    return this.presenter.present(await this.awards.create(awardable, caller, name));
  }

  /** Takes an emoji back; for whom it is from, and for administrators. */
  @Delete(':award_id')
  @Requires('merge-request:read')
  @Answers(AwardView)
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Param('note_id') noteId: number,
    @Param('award_id') id: number,
  ): Promise<AwardView> {
    const awardable = await this.awardables.note(access, caller, mergeRequestId, noteId);
    return this.presenter.present(await this.awards.remove(awardable, caller, id));
  }
}
