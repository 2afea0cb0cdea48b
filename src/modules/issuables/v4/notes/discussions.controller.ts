import { Body, Delete, Get, Param, Post, Put, Query, type Type } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  AlsoAnswers,
  Answers,
  AnswersList,
  AnswersNothing,
  type AnswerWithStatus,
  ApiOperation,
  BooleanParam,
  ExactlyOneOf,
  PageQuery,
  StringParam,
  TakesBody,
  UnlessModified,
} from '../../../../platform/http/index.js';
import { TEXT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, Page } from '../../../../platform/pagination/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { V4UserPresenter } from '../../../users/v4/index.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import { PLAIN_THREAD } from '../../notes/discussion.js';
import { DiscussionsService } from '../../notes/discussions.service.js';
import { CommandsOnly, NotesService } from '../../notes/notes.service.js';
import type { V4IssuableRoutes } from '../issuable-routes.js';
import { answerCommands, COMMANDS_ONLY, V4CommandsView } from './commands.view.js';
import { presentDiscussion, V4DiscussionView } from './discussion.view.js';
import { presentV4Note, V4NoteView } from './note.view.js';
import { toNoteInput, V4CreateNoteDto } from './notes.controller.js';

/** `PUT …/discussions/:discussion_id/notes/:note_id`. */
@ExactlyOneOf('body', 'resolved')
class V4UpdateDiscussionNoteDto {
  @StringParam({ description: 'The new text; or `resolved`.' })
  body?: string;

  @BooleanParam({ description: 'Whether the note is resolved; or `body`.' })
  resolved?: boolean;
}

/** The controller of the discussions on issues, or on merge requests. Merge requests begin theirs elsewhere, with positions. */
export function v4DiscussionsController(routes: V4IssuableRoutes): Type<object> {
  const { type, path, iidParameter, oneNoun, ability } = routes;

  @V4Controller(`${path}/discussions`, `${type}Discussions`)
  @routes.requiresEnabled
  class V4DiscussionsController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly discussions: DiscussionsService,
      private readonly notes: NotesService,
      private readonly users: V4UserPresenter,
    ) {}

    @Get()
    @ApiOperation({ summary: `The discussions on ${oneNoun}, the oldest first.` })
    @Requires(ability)
    @AnswersList(V4DiscussionView)
    async list(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Query() query: PageQuery,
    ): Promise<Page<V4DiscussionView>> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const page = await this.discussions.list(target, caller, query);
      return mapPage(page, (discussion) => presentDiscussion(discussion, target, this.users));
    }

    @Get(':discussion_id')
    @ApiOperation({ summary: `One discussion on ${oneNoun}.` })
    @Requires(ability)
    @Answers(V4DiscussionView)
    async read(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('discussion_id') id: string,
    ): Promise<V4DiscussionView> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const discussion = await this.discussions.read(target, caller, id);
      return presentDiscussion(discussion, target, this.users);
    }

    /** The notes of a discussion, the oldest first. */
    @Get(':discussion_id/notes')
    @Requires(ability)
    @AnswersList(V4NoteView)
    async listNotes(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('discussion_id') id: string,
      @Query() query: PageQuery,
    ): Promise<Page<V4NoteView>> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const { notes } = await this.discussions.read(target, caller, id);
      return mapPage(Page.of(notes, query), (note) => presentV4Note(note, target, this.users));
    }

    /** One note of a discussion. */
    @Get(':discussion_id/notes/:note_id')
    @Requires(ability)
    @Answers(V4NoteView)
    async readNote(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('discussion_id') discussionId: string,
      @Param('note_id') noteId: number,
    ): Promise<V4NoteView> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const note = await this.discussions.readNote(target, caller, { discussionId, noteId });
      return presentV4Note(note, target, this.users);
    }

    /** Replies to a discussion; a note that stands by itself becomes a thread. */
    @Post(':discussion_id/notes')
    @Requires(ability)
    @TakesBody(TEXT_BODY)
    @Answers(V4NoteView)
    @AlsoAnswers(202, V4CommandsView, COMMANDS_ONLY)
    async reply(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('discussion_id') discussionId: string,
      @Body() body: V4CreateNoteDto,
    ): Promise<V4NoteView | AnswerWithStatus> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const reply = { ...toNoteInput(body), discussionId };
      const note = await this.discussions.reply(access, target, caller, reply);
      if (note instanceof CommandsOnly) return answerCommands(note);
      return presentV4Note(note, target, this.users);
    }

    /** Changes the text of a note, for its author and maintainers; or resolves it, as a discussion. */
    @Put(':discussion_id/notes/:note_id')
    @Requires(ability)
    @TakesBody(TEXT_BODY)
    @Answers(V4NoteView)
    async update(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('discussion_id') discussionId: string,
      @Param('note_id') noteId: number,
      @Body() { body, resolved }: V4UpdateDiscussionNoteDto,
    ): Promise<V4NoteView> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const found = await this.discussions.readNote(target, caller, { discussionId, noteId });
      const changed =
        body === undefined
          ? await this.discussions.resolveNote(access, target, caller, {
              note: found.note,
              resolved: resolved === true,
            })
          : await this.notes.update(access, target, caller, { id: noteId, body });
      return presentV4Note(changed, target, this.users);
    }

    /** Deletes a note of a discussion; for its author and maintainers. */
    @Delete(':discussion_id/notes/:note_id')
    @UnlessModified()
    @Requires(ability)
    @AnswersNothing()
    async remove(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('discussion_id') discussionId: string,
      @Param('note_id') noteId: number,
    ): Promise<void> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      await this.discussions.readNote(target, caller, { discussionId, noteId });
      await this.notes.remove(access, target, caller, noteId);
    }
  }

  return V4DiscussionsController;
}

/** The controller that begins discussions without positions. */
export function v4NewDiscussionsController(routes: V4IssuableRoutes): Type<object> {
  const { type, path, iidParameter, oneNoun, ability } = routes;

  @V4Controller(`${path}/discussions`, `${type}NewDiscussions`)
  @routes.requiresEnabled
  class V4NewDiscussionsController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly discussions: DiscussionsService,
      private readonly users: V4UserPresenter,
    ) {}

    @Post()
    @ApiOperation({ summary: `Begins a discussion on ${oneNoun}.` })
    @Requires(ability)
    @TakesBody(TEXT_BODY)
    @Answers(V4DiscussionView)
    @AlsoAnswers(202, V4CommandsView, COMMANDS_ONLY)
    async create(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Body() body: V4CreateNoteDto,
    ): Promise<V4DiscussionView | AnswerWithStatus> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const input = { ...toNoteInput(body), thread: PLAIN_THREAD };
      const discussion = await this.discussions.create(access, target, caller, input);
      if (discussion instanceof CommandsOnly) return answerCommands(discussion);
      return presentDiscussion(discussion, target, this.users);
    }
  }

  return V4NewDiscussionsController;
}
