import { Body, Param, Post, Put } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  AlsoAnswers,
  Answers,
  type AnswerWithStatus,
  BooleanParam,
  TakesBody,
} from '../../../platform/http/index.js';
import { TEXT_BODY } from '../../../platform/limits/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../authorization/index.js';
import {
  CommandsOnly,
  DiscussionsService,
  IssuableKinds,
  PLAIN_THREAD,
  RequiresEnabled,
  threadAt,
} from '../../issuables/index.js';
import {
  answerCommands,
  COMMANDS_ONLY,
  presentDiscussion,
  toNoteInput,
  V4CommandsView,
  V4DiscussionView,
} from '../../issuables/v4/index.js';
import { User } from '../../users/index.js';
import { V4UserPresenter } from '../../users/v4/index.js';
import { PositionCheck } from '../versions/position-check.js';
import { toPositionInput, V4CreateMergeRequestDiscussionDto } from './position.dto.js';

/** `PUT …/discussions/:discussion_id`. */
class V4ResolveDiscussionDto {
  @BooleanParam({ required: true })
  resolved!: boolean;
}

/** Begins discussions on merge requests, and resolves them. */
@V4Controller(
  'projects/:id/merge_requests/:merge_request_iid/discussions',
  'MergeRequestResolutions',
)
@RequiresEnabled('MergeRequest')
export class V4MergeRequestDiscussionsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly discussions: DiscussionsService,
    private readonly positions: PositionCheck,
    private readonly users: V4UserPresenter,
  ) {}

  /** Begins a discussion on a merge request, or on a line that one of its versions changes. */
  @Post()
  @Requires('merge-request:read')
  @TakesBody(TEXT_BODY)
  @Answers(V4DiscussionView)
  @AlsoAnswers(202, V4CommandsView, COMMANDS_ONLY)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Body() body: V4CreateMergeRequestDiscussionDto,
  ): Promise<V4DiscussionView | AnswerWithStatus> {
    const { position } = body;
    const request = await this.kinds.readByNumber('MergeRequest', access, caller, iid);
    const thread =
      position === undefined
        ? PLAIN_THREAD
        : threadAt(
            await this.positions.check(access.project, request.id, toPositionInput(position)),
          );
    const input = { ...toNoteInput(body), thread };
    const discussion = await this.discussions.create(access, request, caller, input);
    if (discussion instanceof CommandsOnly) return answerCommands(discussion);
    return presentDiscussion(discussion, request, this.users);
  }

  /** Resolves a thread, or has it be unresolved again; for the author of the merge request and developers. */
  @Put(':discussion_id')
  @Requires('merge-request:read')
  @Answers(V4DiscussionView)
  async resolve(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Param('discussion_id') id: string,
    @Body() { resolved }: V4ResolveDiscussionDto,
  ): Promise<V4DiscussionView> {
    const request = await this.kinds.readByNumber('MergeRequest', access, caller, iid);
    const discussion = await this.discussions.resolve(access, request, caller, { id, resolved });
    return presentDiscussion(discussion, request, this.users);
  }
}
