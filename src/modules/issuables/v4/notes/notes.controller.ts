import { Body, Delete, Get, Param, Post, Put, Query, type Type } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  AlsoAnswers,
  Answers,
  AnswersList,
  AnswersNothing,
  type AnswerWithStatus,
  ApiOperation,
  EnumParam,
  PageQuery,
  StringParam,
  TakesBody,
  TimestampParam,
  UnlessModified,
} from '../../../../platform/http/index.js';
import { TEXT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { V4UserPresenter } from '../../../users/v4/index.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { NotesRequest } from '../../notes/notes.repository.js';
import { CommandsOnly, NotesService } from '../../notes/notes.service.js';
import type { V4IssuableRoutes } from '../issuable-routes.js';
import { answerCommands, COMMANDS_ONLY, V4CommandsView } from './commands.view.js';
import { presentV4Note, V4NoteView } from './note.view.js';

const ORDERS = ['created_at', 'updated_at'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;
const ACTIVITIES = ['all_notes', 'only_comments', 'only_activity'] as const;

/** `GET …/notes`. */
class V4ListNotesDto extends PageQuery {
  @EnumParam(ORDERS, { default: 'created_at' })
  order_by: (typeof ORDERS)[number] = 'created_at';

  @EnumParam(DIRECTIONS, { default: 'desc' })
  sort: (typeof DIRECTIONS)[number] = 'desc';

  @EnumParam(ACTIVITIES, {
    default: 'all_notes',
    description: 'Notes of users, or of the service.',
  })
  activity_filter: (typeof ACTIVITIES)[number] = 'all_notes';
}

/** Whether a filter selects system notes only, or none; absent: all notes. */
const SYSTEM = { all_notes: undefined, only_comments: false, only_activity: true } as const;

const toNotesRequest = ({ order_by, sort, activity_filter }: V4ListNotesDto): NotesRequest => ({
  order: { by: order_by, direction: sort },
  system: SYSTEM[activity_filter],
});

/** `PUT …/notes/:note_id`. */
class V4UpdateNoteDto {
  @StringParam({ required: true })
  body!: string;
}

/** `POST …/notes`. */
export class V4CreateNoteDto extends V4UpdateNoteDto {
  @TimestampParam({ description: 'For administrators and project owners; ignored from others.' })
  created_at?: Date;

  @StringParam({
    maxLength: 64,
    description:
      'The head of the merge request that the author has seen; the quick action `/merge` needs it.',
  })
  merge_request_diff_head_sha?: string;
}

/** The input of a note. */
export const toNoteInput = (dto: V4CreateNoteDto) => ({
  body: dto.body,
  createdAt: dto.created_at,
  headSha: dto.merge_request_diff_head_sha,
});

/** The controller of the notes on issues, or on merge requests. */
export function v4IssuableNotesController(routes: V4IssuableRoutes): Type<object> {
  const { type, path, iidParameter, oneNoun, ability, readAbility } = routes;

  @V4Controller(`${path}/notes`, `${type}Notes`)
  @routes.requiresEnabled
  class V4IssuableNotesController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly notes: NotesService,
      private readonly users: V4UserPresenter,
    ) {}

    @Get()
    @ApiOperation({ summary: `The notes on ${oneNoun}, the newest first.` })
    @Requires(readAbility)
    @AnswersList(V4NoteView)
    async list(
      @MaybeCaller() caller: User | null,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Query() query: V4ListNotesDto,
    ): Promise<Page<V4NoteView>> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const page = await this.notes.list(target, caller, query, toNotesRequest(query));
      return mapPage(page, (note) => presentV4Note(note, target, this.users));
    }

    @Get(':note_id')
    @ApiOperation({ summary: `One note on ${oneNoun}.` })
    @Requires(readAbility)
    @Answers(V4NoteView)
    async read(
      @MaybeCaller() caller: User | null,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('note_id') id: number,
    ): Promise<V4NoteView> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      return presentV4Note(await this.notes.read(target, caller, id), target, this.users);
    }

    @Post()
    @ApiOperation({ summary: `Comments on ${oneNoun}.` })
    @Requires(ability)
    @TakesBody(TEXT_BODY)
    @Answers(V4NoteView)
    @AlsoAnswers(202, V4CommandsView, COMMANDS_ONLY)
    async create(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Body() body: V4CreateNoteDto,
    ): Promise<V4NoteView | AnswerWithStatus> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const note = await this.notes.create(access, target, caller, toNoteInput(body));
      if (note instanceof CommandsOnly) return answerCommands(note);
      return presentV4Note(note, target, this.users);
    }

    /** Changes the text of a note; for its author and maintainers. */
    @Put(':note_id')
    @Requires(ability)
    @TakesBody(TEXT_BODY)
    @Answers(V4NoteView)
    async update(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('note_id') id: number,
      @Body() { body }: V4UpdateNoteDto,
    ): Promise<V4NoteView> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      const note = await this.notes.update(access, target, caller, { id, body });
      return presentV4Note(note, target, this.users);
    }

    /** Deletes a note; for its author and maintainers. */
    @Delete(':note_id')
    @UnlessModified()
    @Requires(ability)
    @AnswersNothing()
    async remove(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('note_id') id: number,
    ): Promise<void> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      await this.notes.remove(access, target, caller, id);
    }
  }

  return V4IssuableNotesController;
}
