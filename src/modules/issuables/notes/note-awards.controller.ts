import { Body, Controller, Delete, Get, Param, Post, Query, type Type } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import { Answers, AnswersList, PageQuery } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pages/index.js';
import { Urls } from '../../../platform/urls/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { AwardView, presentAward } from '../awards/award.view.js';
import { AwardsService, type OwnedAwardable } from '../awards/awards.service.js';
import { AwardEmojiDto } from '../awards/award.dto.js';
import { type IssuableRoutes, named } from '../kinds/issuable-routes.js';
import { IssuableKinds } from '../kinds/issuable-kinds.js';
import { NotesService } from './notes.service.js';

/** The controller of the awards of notes on issues, or on merge requests (docs/reference/award-emoji.md#endpoints). */
export function noteAwardsController(routes: IssuableRoutes): Type<object> {
  const { type, path, idParameter, ability } = routes;

  @Controller(`${path}/notes/:note_id/award_emoji`)
  @routes.requiresEnabled
  class NoteAwardsController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly notes: NotesService,
      private readonly awards: AwardsService,
      private readonly urls: Urls,
    ) {}

    /** The emoji that a note was awarded, the oldest first. */
    @Get()
    @Requires(ability)
    @AnswersList(AwardView)
    async list(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('note_id') noteId: number,
      @Query() query: PageQuery,
    ): Promise<Page<AwardView>> {
      const note = await this.find(access, caller, issuableId, noteId);
      const page = await this.awards.list(note, query);
      return mapPage(page, (award) => presentAward(award, this.urls));
    }

    /** One emoji that a note was awarded. */
    @Get(':award_id')
    @Requires(ability)
    @Answers(AwardView)
    async read(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('note_id') noteId: number,
      @Param('award_id') id: number,
    ): Promise<AwardView> {
      const note = await this.find(access, caller, issuableId, noteId);
      return presentAward(await this.awards.read(note, id), this.urls);
    }

    /** Awards a note an emoji. */
    @Post()
    @Requires(ability)
    @Answers(AwardView)
    async create(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('note_id') noteId: number,
      @Body() { name }: AwardEmojiDto,
    ): Promise<AwardView> {
      const note = await this.find(access, caller, issuableId, noteId);
      return presentAward(await this.awards.create(note, caller, name), this.urls);
    }

    /** Deletes an award emoji; for its author and for administrators. */
    @Delete(':award_id')
    @Requires(ability)
    @Answers(AwardView)
    async remove(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('note_id') noteId: number,
      @Param('award_id') id: number,
    ): Promise<AwardView> {
      const note = await this.find(access, caller, issuableId, noteId);
      return presentAward(await this.awards.remove(note, caller, id), this.urls);
    }

    private async find(
      access: ProjectAccess,
      caller: User,
      issuableId: number,
      noteId: number,
    ): Promise<OwnedAwardable> {
      const issuable = await this.kinds.of(type).findReadable(access, caller, issuableId);
      if (issuable === null) throw notFound('Award Emoji');
      return this.notes.readAwardable(issuable, caller, noteId);
    }
  }

  return named(NoteAwardsController, `${type}NoteAwardsController`);
}
