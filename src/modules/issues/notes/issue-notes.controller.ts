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
import { IssueWritesGuard } from '../issue-writes.guard.js';
import { IssueNotes } from './issue-notes.js';

@Controller('projects/:id/issues/:issue_id/notes')
@UseGuards(IssueWritesGuard)
export class IssueNotesController {
  constructor(
    private readonly notes: IssueNotes,
    private readonly reading: NotesService,
    private readonly writing: WriteNotes,
    private readonly comments: Comment,
    private readonly presenter: NotePresenter,
  ) {}

  /** The notes on an issue, the oldest first, those of the service among them. */
  @Get()
  @Requires('issue:read')
  @AnswersList(NoteView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Query() query: PageQuery,
  ): Promise<Page<NoteView>> {
    const target = await this.notes.on(access, caller, issueId, namedNotFound('Notes'));
    const page = await this.reading.list(target, caller, query);
    return mapPage(page, (note) => this.presenter.present(note));
  }

  /** One note on an issue. */
  @Get(':note_id')
  @Requires('issue:read')
  @Answers(NoteView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Param('note_id') id: number,
  ): Promise<NoteView> {
    const target = await this.notes.on(access, caller, issueId, notFound('Note'));
    return this.presenter.present(await this.reading.read(target, caller, id));
  }

  /** Comments on an issue; a text that is one emoji, such as `:tada:`, is awarded instead. */
  @Post()
  @Requires('issue:read')
  @Answers(NoteView, { or: AwardView })
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Body() { body, created_at: createdAt }: CreateNoteDto,
  ): Promise<NoteView | AwardView> {
    const target = await this.notes.on(access, caller, issueId, notFound('Note'));
    return this.comments.run(access, target, caller, { body, createdAt });
  }

  /** Gives a note another text; for its author and masters. */
  @Put(':note_id')
  @Requires('issue:read')
  @Answers(NoteView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Param('note_id') id: number,
    @Body() { body }: UpdateNoteDto,
  ): Promise<NoteView> {
    const target = await this.notes.on(access, caller, issueId, notFound('Note'));
    return this.presenter.present(await this.writing.update(access, target, caller, { id, body }));
  }

  /** Deletes a note and answers it as it was; for its author and masters. */
  @Delete(':note_id')
  @Requires('issue:read')
  @Answers(NoteView)
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_id') issueId: number,
    @Param('note_id') id: number,
  ): Promise<NoteView> {
    const target = await this.notes.on(access, caller, issueId, notFound('Note'));
    return this.presenter.present(await this.writing.remove(access, target, caller, id));
  }
}
