import { Body, Delete, Get, Param, Post, Put, Query, type Type } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { type DomainError, notFound } from '../../../../platform/errors/index.js';
import {
  AlsoAnswers,
  Answers,
  AnswersList,
  type AnswerWithStatus,
  ApiOperation,
  PageQuery,
  StringParam,
  TakesBody,
  TimestampParam,
} from '../../../../platform/http/index.js';
import { TEXT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Urls } from '../../../../platform/config/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { NoteView } from '../../../feeds/v3/index.js';
import { User } from '../../../users/index.js';
import { AwardView, presentAward } from '../awards/award.view.js';
import { AwardsService, type OwnedAwardable } from '../../awards/awards.service.js';
import { AwardEmojiDto } from '../awards/issuable-awards.controller.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { IssuableRoutes } from '../issuable-routes.js';
import type { Issuable } from '../../model/issuable.js';
import { answerCommands, COMMANDS_ONLY, CommandsView } from './commands.view.js';
import { presentAuthoredNote } from './note.presenter.js';
import { CommandsOnly, NotesService } from '../../notes/notes.service.js';

/** `PUT …/notes/:note_id`. */
class UpdateNoteDto {
  @StringParam({ required: true })
  body!: string;
}

/** `POST …/notes`. */
class CreateNoteDto extends UpdateNoteDto {
  @TimestampParam({ description: 'For administrators and project owners; others are not heeded.' })
  created_at?: Date;

  @StringParam({
    maxLength: 64,
    description:
      'The head of the merge request that the author has seen; the quick action `/merge` needs it.',
  })
  merge_request_diff_head_sha?: string;
}

/** The controller of the notes on issues, or on merge requests (docs/reference/notes.md#endpoints). */
export function issuableNotesController(routes: IssuableRoutes): Type<object> {
  const { type, path, idParameter, oneNoun, ability } = routes;

  @V3Controller(`${path}/notes`, `${type}Notes`)
  @routes.requiresEnabled
  class IssuableNotesController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly notes: NotesService,
      private readonly awards: AwardsService,
      private readonly urls: Urls,
    ) {}

    @Get()
    @ApiOperation({
      summary: `The notes on ${oneNoun}, the oldest first, those of the service among them.`,
    })
    @Requires(ability)
    @AnswersList(NoteView)
    async list(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Query() query: PageQuery,
    ): Promise<Page<NoteView>> {
      // At once: nothing of the page is answered unless the caller may read the issuable.
      const [page] = await Promise.all([
        this.notes.list({ type, id: issuableId }, caller, query),
        this.find(access, caller, issuableId, () => notFound('notes')),
      ]);
      return mapPage(page, (note) => presentAuthoredNote(note, this.urls));
    }

    @Get(':note_id')
    @ApiOperation({ summary: `One note on ${oneNoun}.` })
    @Requires(ability)
    @Answers(NoteView)
    async read(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('note_id') id: number,
    ): Promise<NoteView> {
      const issuable = await this.find(access, caller, issuableId);
      return presentAuthoredNote(await this.notes.read(issuable, caller, id), this.urls);
    }

    @Post()
    @ApiOperation({
      summary: `Comments on ${oneNoun}; a text that is one emoji, such as \`:tada:\`, is awarded instead.`,
    })
    @Requires(ability)
    @TakesBody(TEXT_BODY)
    @Answers(NoteView, { or: AwardView })
    @AlsoAnswers(202, CommandsView, COMMANDS_ONLY)
    async create(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Body()
      { body, created_at: createdAt, merge_request_diff_head_sha: headSha }: CreateNoteDto,
    ): Promise<NoteView | AwardView | AnswerWithStatus> {
      const issuable = await this.find(access, caller, issuableId);
      const award = await this.awards.createFromText(issuable, caller, body);
      if (award !== null) return presentAward(award, this.urls);
      const input = { body, createdAt, headSha };
      const note = await this.notes.create(access, issuable, caller, input);
      if (note instanceof CommandsOnly) return answerCommands(note);
      return presentAuthoredNote(note, this.urls);
    }

    /** Changes the text of a note; for its author and masters. */
    @Put(':note_id')
    @Requires(ability)
    @TakesBody(TEXT_BODY)
    @Answers(NoteView)
    async update(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('note_id') id: number,
      @Body() { body }: UpdateNoteDto,
    ): Promise<NoteView> {
      const issuable = await this.find(access, caller, issuableId);
      const note = await this.notes.update(access, issuable, caller, { id, body });
      return presentAuthoredNote(note, this.urls);
    }

    /** Deletes a note and returns it; for its author and masters. */
    @Delete(':note_id')
    @Requires(ability)
    @Answers(NoteView)
    async remove(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('note_id') id: number,
    ): Promise<NoteView> {
      const issuable = await this.find(access, caller, issuableId);
      const note = await this.notes.remove(access, issuable, caller, id);
      return presentAuthoredNote(note, this.urls);
    }

    private async find(
      access: ProjectAccess,
      caller: User,
      id: number,
      absent: () => DomainError = () => notFound('note'),
    ): Promise<Issuable> {
      const issuable = await this.kinds.of(type).findReadable(access, caller, id);
      if (issuable === null) throw absent();
      return issuable;
    }
  }

  return IssuableNotesController;
}

/** The controller of the awards of notes on issues, or on merge requests (docs/reference/award-emoji.md#endpoints). */
export function noteAwardsController(routes: IssuableRoutes): Type<object> {
  const { type, path, idParameter, ability } = routes;

  @V3Controller(`${path}/notes/:note_id/award_emoji`, `${type}NoteAwards`)
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
      if (issuable === null) throw notFound('award-emoji');
      return this.notes.readAwardable(issuable, caller, noteId);
    }
  }

  return NoteAwardsController;
}
