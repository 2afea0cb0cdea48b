import { Body, Controller, Delete, Get, Param, Post, Put, Query, UseGuards } from '@nestjs/common';
import { namedNotFound, notFound } from '../../../platform/errors/index.js';
import {
  Answers,
  AnswersList,
  mapPage,
  type Page,
  PageQuery,
} from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import {
  AwardView,
  Comment,
  CreateNoteDto,
  NotePresenter,
  NotesService,
  UpdateNoteDto,
  WriteNotes,
} from '../../issuables/index.js';
import { NoteView } from '../../projects/index.js';
import { User } from '../../users/index.js';
import { MergeRequestFinder } from '../merge-request-finder.js';
import { MergeRequestsGuard } from '../merge-requests.guard.js';

@Controller('projects/:id/merge_requests/:merge_request_id/notes')
@UseGuards(MergeRequestsGuard)
export class MergeRequestNotesController {
  constructor(
    private readonly finder: MergeRequestFinder,
    private readonly reading: NotesService,
    private readonly writing: WriteNotes,
    private readonly comments: Comment,
    private readonly presenter: NotePresenter,
  ) {}

  /** The notes on a merge request, the oldest first, those of the service among them. */
  @Get()
  @Requires('merge-request:read')
  @AnswersList(NoteView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Query() query: PageQuery,
  ): Promise<Page<NoteView>> {
    const absent = namedNotFound('Notes');
    const target = await this.finder.target(access, caller, mergeRequestId, absent);
    const page = await this.reading.list(target, caller, query);
    return mapPage(page, (note) => this.presenter.present(note));
  }

  /** One note on a merge request. */
  @Get(':note_id')
  @Requires('merge-request:read')
  @Answers(NoteView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Param('note_id') id: number,
  ): Promise<NoteView> {
    const target = await this.finder.target(access, caller, mergeRequestId, notFound('Note'));
    return this.presenter.present(await this.reading.read(target, caller, id));
  }

  /** Comments on a merge request; a text that is one emoji, such as `:tada:`, is awarded instead. */
  @Post()
  @Requires('merge-request:read')
  @Answers(NoteView, { or: AwardView })
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Body() { body, created_at: createdAt }: CreateNoteDto,
  ): Promise<NoteView | AwardView> {
    const target = await this.finder.target(access, caller, mergeRequestId, notFound('Note'));
    return this.comments.run(access, target, caller, { body, createdAt });
  }

  /** Gives a note another text; for its author and masters. */
  @Put(':note_id')
  @Requires('merge-request:read')
  @Answers(NoteView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Param('note_id') id: number,
    @Body() { body }: UpdateNoteDto,
  ): Promise<NoteView> {
    const target = await this.finder.target(access, caller, mergeRequestId, notFound('Note'));
    return this.presenter.present(await this.writing.update(access, target, caller, { id, body }));
  }

  /** Deletes a note and answers it as it was; for its author and masters. */
  @Delete(':note_id')
  @Requires('merge-request:read')
  @Answers(NoteView)
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') mergeRequestId: number,
    @Param('note_id') id: number,
  ): Promise<NoteView> {
    const target = await this.finder.target(access, caller, mergeRequestId, notFound('Note'));
    return this.presenter.present(await this.writing.remove(access, target, caller, id));
  }
}
