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
import { IssueWritesGuard } from '../issue-writes.guard.js';
import { IssueAwards } from './issue-awards.js';

@Controller('projects/:id/issues/:issue_id/notes/:note_id/award_emoji')
@UseGuards(IssueWritesGuard)
export class IssueNoteAwardsController {
  constructor(
    private readonly awardables: IssueAwards,
    private readonly awards: AwardsService,
    private readonly presenter: AwardPresenter,
  ) {}

  /** The emoji that a note was awarded, the oldest first. */
  @Get()
  @Requires('issue:read')
  @AnswersList(AwardView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Param('note_id') noteId: number,
    @Query() query: PageQuery,
  ): Promise<Page<AwardView>> {
    const awardable = await this.awardables.note(access, caller, issueId, noteId);
    const page = await this.awards.list(awardable, query);
    return mapPage(page, (award) => this.presenter.present(award));
  }

  /** One emoji that a note was awarded. */
  @Get(':award_id')
  @Requires('issue:read')
  @Answers(AwardView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Param('note_id') noteId: number,
    @Param('award_id') id: number,
  ): Promise<AwardView> {
    const awardable = await this.awardables.note(access, caller, issueId, noteId);
    return this.presenter.present(await this.awards.read(awardable, id));
  }

  /** Awards a note an emoji. */
  @Post()
  @Requires('issue:read')
  @Answers(AwardView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Param('note_id') noteId: number,
    @Body() { name }: AwardEmojiDto,
  ): Promise<AwardView> {
    const awardable = await this.awardables.note(access, caller, issueId, noteId);
    return this.presenter.present(await this.awards.create(awardable, caller, name));
  }

  /** Takes an emoji back; for whom it is from, and for administrators. */
  @Delete(':award_id')
  @Requires('issue:read')
  @Answers(AwardView)
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Param('note_id') noteId: number,
    @Param('award_id') id: number,
  ): Promise<AwardView> {
    const awardable = await this.awardables.note(access, caller, issueId, noteId);
    return this.presenter.present(await this.awards.remove(awardable, caller, id));
  }
}
