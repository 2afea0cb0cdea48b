import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { type DomainError, namedNotFound, notFound } from '../../../platform/errors/index.js';
import { Answers, AnswersList, PageQuery } from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pages/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import {
  type AuthoredNote,
  type Issuable,
  IssuableKinds,
  NotesService,
  RequiresEnabled,
} from '../../issuables/index.js';
import { User, UserPresenter } from '../../users/index.js';
import { CreateCommentDto } from '../presentation/merge-request.dto.js';
import { OldCommentView } from './old-comment.view.js';

/** Notes on merge requests, as clients know them that are older than the notes resource. */
@Controller('projects/:id/merge_requests/:merge_request_id/comments')
@RequiresEnabled('MergeRequest')
export class OldCommentsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly notes: NotesService,
    private readonly users: UserPresenter,
  ) {}

  /** The texts and authors of the notes on a merge request, the oldest first. */
  @Get()
  @Requires('merge-request:read')
  @AnswersList(OldCommentView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Query() query: PageQuery,
  ): Promise<Page<OldCommentView>> {
    const target = await this.find(access, caller, id, namedNotFound('Notes'));
    const page = await this.notes.list(target, caller, query);
    return mapPage(page, (note) => this.present(note));
  }

  /** Comments on a merge request, whatever the text. */
  @Post()
  @Requires('merge-request:read')
  @Answers(OldCommentView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_id') id: number,
    @Body() { note: body }: CreateCommentDto,
  ): Promise<OldCommentView> {
    const target = await this.find(access, caller, id, notFound('Note'));
    return this.present(await this.notes.create(access, target, caller, { body }));
  }

  private async find(
    access: ProjectAccess,
    caller: User,
    id: number,
    absent: DomainError,
  ): Promise<Issuable> {
    const mergeRequest = await this.kinds.of('MergeRequest').findReadable(access, caller, id);
    if (mergeRequest === null) throw absent;
    return mergeRequest;
  }

  private present({ note, author }: AuthoredNote): OldCommentView {
    return { note: note.body, author: this.users.summary(author) };
  }
}
