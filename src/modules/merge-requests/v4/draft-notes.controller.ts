import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { invalidParameter } from '../../../platform/errors/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  BooleanParam,
  FixedStatus,
  MayAnswer,
  ObjectParam,
  PageQuery,
  StringParam,
  TakesBody,
} from '../../../platform/http/index.js';
import { TEXT_BODY } from '../../../platform/limits/index.js';
import { mapPage, Page } from '../../../platform/pagination/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../authorization/index.js';
import {
  type DiffPosition,
  DraftNotesService,
  IssuableKinds,
  RequiresEnabled,
} from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { PositionCheck } from '../versions/position-check.js';
import { presentDraftNote, V4DraftNoteView } from './draft-note.view.js';
import { toPositionInput, V4PositionDto } from './position.dto.js';

const LONGEST_ID = 64;

/** `PUT …/draft_notes/:draft_note_id`. */
class V4UpdateDraftNoteDto {
  @StringParam()
  note?: string;

  @ObjectParam(V4PositionDto, { description: 'Ignored for a reply.' })
  position?: V4PositionDto;
}

/** `POST …/draft_notes`. */
class V4CreateDraftNoteDto {
  @StringParam({ required: true })
  note!: string;

  @StringParam({
    blank: 'absent',
    maxLength: LONGEST_ID,
    description: 'The discussion that the note replies to.',
  })
  in_reply_to_discussion_id?: string;

  @BooleanParam({ description: 'Whether publishing the note resolves that discussion.' })
  resolve_discussion?: boolean;

  @StringParam({
    blank: 'absent',
    maxLength: LONGEST_ID,
    description: 'The whole hash of a commit.',
  })
  commit_id?: string;

  @ObjectParam(V4PositionDto, { description: 'As of a discussion; ignored for a reply.' })
  position?: V4PositionDto;
}

/** Notes on merge requests that only their authors see until they publish them. */
@V4Controller('projects/:id/merge_requests/:merge_request_iid/draft_notes', 'DraftNotes')
@RequiresEnabled('MergeRequest')
export class V4DraftNotesController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly drafts: DraftNotesService,
    private readonly positions: PositionCheck,
  ) {}

  /** The caller's drafts on a merge request, the oldest first. */
  @Get()
  @Requires('merge-request:read')
  @AnswersList(V4DraftNoteView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Query() query: PageQuery,
  ): Promise<Page<V4DraftNoteView>> {
    const drafts = await this.drafts.list(await this.place(access, caller, iid));
    return mapPage(Page.of(drafts, query), presentDraftNote);
  }

  /** One draft of the caller's. */
  @Get(':draft_note_id')
  @Requires('merge-request:read')
  @Answers(V4DraftNoteView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Param('draft_note_id') id: number,
  ): Promise<V4DraftNoteView> {
    const place = await this.place(access, caller, iid);
    return presentDraftNote(await this.drafts.read(place, id));
  }

  /** Drafts a note on a merge request, in a discussion, or at a position. */
  @Post()
  @Requires('merge-request:read')
  @TakesBody(TEXT_BODY)
  @Answers(V4DraftNoteView)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Body() body: V4CreateDraftNoteDto,
  ): Promise<V4DraftNoteView> {
    const place = await this.place(access, caller, iid);
    const commitSha = body.commit_id ?? null;
    if (commitSha !== null && !(await this.positions.hasCommit(access.project, commitSha))) {
      throw invalidParameter('commit_id is invalid');
    }
    const position = await this.check(access, place.request.id, body.position);
    const draft = await this.drafts.create(place, {
      body: body.note,
      discussionId: body.in_reply_to_discussion_id,
      resolves: body.resolve_discussion ?? false,
      position: position ?? null,
      commitSha,
    });
    return presentDraftNote(draft);
  }

  /** Publishes all drafts of the caller's, or none if one of them is refused. */
  @Post('bulk_publish')
  @Requires('merge-request:read')
  @FixedStatus(204)
  @AnswersNothing()
  @MayAnswer(409)
  async publishAll(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
  ): Promise<void> {
    await this.drafts.publishAll(await this.place(access, caller, iid));
  }

  /** Publishes one draft of the caller's. */
  @Put(':draft_note_id/publish')
  @Requires('merge-request:read')
  @FixedStatus(204)
  @AnswersNothing()
  @MayAnswer(409)
  async publish(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Param('draft_note_id') id: number,
  ): Promise<void> {
    await this.drafts.publish(await this.place(access, caller, iid), id);
  }

  /** Changes the text or the position of a draft. */
  @Put(':draft_note_id')
  @Requires('merge-request:read')
  @TakesBody(TEXT_BODY)
  @Answers(V4DraftNoteView)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Param('draft_note_id') id: number,
    @Body() { note: body, position: wanted }: V4UpdateDraftNoteDto,
  ): Promise<V4DraftNoteView> {
    const place = await this.place(access, caller, iid);
    await this.drafts.read(place, id);
    const position = await this.check(access, place.request.id, wanted);
    return presentDraftNote(await this.drafts.update(place, id, { body, position }));
  }

  /** Deletes a draft. */
  @Delete(':draft_note_id')
  @Requires('merge-request:read')
  @AnswersNothing()
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Param('draft_note_id') id: number,
  ): Promise<void> {
    await this.drafts.remove(await this.place(access, caller, iid), id);
  }

  private async place(access: ProjectAccess, author: User, iid: number) {
    const request = await this.kinds.readByNumber('MergeRequest', access, author, iid);
    return { access, author, request };
  }

  private async check(
    { project }: ProjectAccess,
    mergeRequestId: number,
    position: V4PositionDto | undefined,
  ): Promise<DiffPosition | undefined> {
    if (position === undefined) return undefined;
    return this.positions.check(project, mergeRequestId, toPositionInput(position));
  }
}
